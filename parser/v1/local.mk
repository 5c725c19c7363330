# v1 traces, of Go 1.5 to 1.21: part of libgotrace.
libgotrace_core_la_SOURCES += \
	%D%/check.c \
	%D%/clock.c \
	%D%/contents.c \
	%D%/cursor.c \
	%D%/events.c %D%/events.def %D%/events.h \
	%D%/front.c %D%/front.h \
	%D%/futile.c \
	%D%/kept.h \
	%D%/load.c %D%/load.h \
	%D%/merge.c \
	%D%/parse.c %D%/parse.h \
	%D%/print.c %D%/print.h \
	%D%/procs.c %D%/procs.h \
	%D%/raw.c %D%/raw.h \
	%D%/raw_bytes.c \
	%D%/samples.c \
	%D%/scan.c \
	%D%/sequence.c \
	%D%/stop_reasons.def \
	%D%/text_reader.c \
	%D%/text_writer.c \
	%D%/trace.h \
	%D%/wire.c %D%/wire.h
