# liblow: what runs inside the traced process too. No malloc, no stdio, no locks of libc; scripts/check-deps sees to it.
noinst_LTLIBRARIES += liblow.la
liblow_la_SOURCES = \
	%D%/events.c %D%/events.h \
	%D%/varint.h
noinst_HEADERS += include/gotrace/events.def

include %D%/unwind/local.mk
include %D%/symbolize/local.mk
