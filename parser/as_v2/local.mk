# Events of v1 traces as events of v2: part of libgotrace.
libgotrace_core_la_SOURCES += \
	%D%/as_v2.h \
	%D%/events.c %D%/names.c %D%/names.h \
	%D%/open.c \
	%D%/tables.c
