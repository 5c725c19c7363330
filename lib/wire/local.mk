# The wire format: part of liblow, as it is written inside the traced process.
liblow_la_SOURCES += \
	%D%/batch_header.c %D%/batch_header.h \
	%D%/cursor.c %D%/cursor.h \
	%D%/events.c %D%/events.h \
	%D%/file_header.c %D%/file_header.h \
	%D%/varint.h \
	%D%/version.c %D%/version.h %D%/versions.def
