# The golden traces, and the program that writes them.
check_PROGRAMS += %D%/make-golden
tests_golden_make_golden_SOURCES = \
	%D%/make-golden.c %D%/scenario.h \
	%D%/plain.c %D%/steal.c %D%/version.c %D%/structure.c %D%/order.c %D%/range.c %D%/invalid.c
tests_golden_make_golden_LDADD = libparser.la

EXTRA_DIST += $(wildcard $(srcdir)/%D%/v*.test) $(wildcard $(srcdir)/%D%/v1/*.test)
