# libgolden: golden tests of trace readers, and their regular expressions.
noinst_LTLIBRARIES += libgolden.la
libgolden_la_SOURCES = \
	%D%/golden.c %D%/golden.h \
	%D%/golden_regex.c
