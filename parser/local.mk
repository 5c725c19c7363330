# libgotrace: reads, checks, prints and writes Go execution traces. The objects are in a convenience library, so that the
# command and the tests, which link libparser, reach what the shared library does not export.
noinst_LTLIBRARIES += libgotrace-core.la libparser.la
libgotrace_core_la_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/clock_events.c %D%/clock_events.h \
	%D%/decimal.h \
	%D%/event.c %D%/event.h \
	%D%/event_copy.c \
	%D%/event_print.c %D%/event_print.h \
	%D%/failure.c %D%/failure.h \
	%D%/frontier.c %D%/frontier.h \
	%D%/generation.c %D%/generation.h \
	%D%/generations.c \
	%D%/gosort.c %D%/gosort.h \
	%D%/gotrace_version.c \
	%D%/hints.h \
	%D%/idmap.c %D%/idmap.h \
	%D%/order.c %D%/order.h \
	%D%/order_go.c \
	%D%/order_proc.c \
	%D%/order_range.c \
	%D%/order_user.c \
	%D%/reader.c %D%/reader.h \
	%D%/reader_next.c \
	%D%/reader_open.c \
	%D%/source.c %D%/source.h \
	%D%/stack_texts.c %D%/stack_texts.h \
	%D%/tables.c \
	%D%/unplaced.c %D%/unplaced.h \
	%D%/validate.c %D%/validate.h %D%/validate_spans.c \
	%D%/vec.c %D%/vec.h \
	%D%/wall_time.c %D%/wall_time.h
libgotrace_core_la_LIBADD = liblow.la

# What only the command and the tests have.
libparser_la_SOURCES = \
	%D%/convert.c %D%/convert.h \
	%D%/convert_switch.c %D%/convert_switch.h \
	%D%/origin.c %D%/origin.h \
	%D%/v1/builder.c %D%/v1/builder.h
libparser_la_LIBADD = libgotrace-core.la

lib_LTLIBRARIES += libgotrace.la
libgotrace_la_SOURCES =
libgotrace_la_LIBADD = libgotrace-core.la
libgotrace_la_DEPENDENCIES = libgotrace-core.la %D%/gotrace.map
libgotrace_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined -Wl,--version-script=$(srcdir)/%D%/gotrace.map
EXTRA_DIST += %D%/gotrace.map

gotraceincludedir = $(includedir)/gotrace
gotraceinclude_HEADERS = \
	include/gotrace/base.h \
	include/gotrace/builder.h \
	include/gotrace/events.def \
	include/gotrace/events.h \
	include/gotrace/gotrace.h \
	include/gotrace/raw.h \
	include/gotrace/reader.h \
	include/gotrace/validate.h \
	include/gotrace/version.h

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = gotrace.pc

include %D%/raw.mk
include %D%/analyze/local.mk
include %D%/as_v1/local.mk
include %D%/as_v2/local.mk
include %D%/from_v1/local.mk
include %D%/rewrite/local.mk
include %D%/v1/local.mk
