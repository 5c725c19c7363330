# The wire format: part of liblow, as it is written inside the traced process.
liblow_la_SOURCES += \
	%D%/events.c %D%/events.h \
	%D%/varint.h
