# The raw level and the builder: one program a file.
if HAVE_CMOCKA
raw_tests = \
	%D%/test-raw \
	%D%/test-raw-errors \
	%D%/test-text \
	%D%/test-builder \
	%D%/test-builder-limits \
	%D%/test-golden \
	%D%/test-raw-memory

check_PROGRAMS += $(raw_tests)
TESTS += $(raw_tests)

raw_test_LIBS = libparser.la $(CMOCKA_LIBS)

tests_parser_test_raw_SOURCES = %D%/test-raw.c
tests_parser_test_raw_LDADD = $(raw_test_LIBS)
tests_parser_test_raw_errors_SOURCES = %D%/test-raw-errors.c
tests_parser_test_raw_errors_LDADD = $(raw_test_LIBS)
tests_parser_test_text_SOURCES = %D%/test-text.c
tests_parser_test_text_LDADD = $(raw_test_LIBS)
tests_parser_test_builder_SOURCES = %D%/test-builder.c
tests_parser_test_builder_LDADD = $(raw_test_LIBS)
tests_parser_test_builder_limits_SOURCES = %D%/test-builder-limits.c
tests_parser_test_builder_limits_LDADD = $(raw_test_LIBS)
tests_parser_test_golden_SOURCES = %D%/test-golden.c
tests_parser_test_golden_LDADD = libgolden.la $(raw_test_LIBS)
tests_parser_test_raw_memory_SOURCES = %D%/test-raw-memory.c %D%/allowance.c %D%/allowance.h
tests_parser_test_raw_memory_LDADD = libgolden.la $(raw_test_LIBS)
tests_parser_test_raw_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
endif

noinst_HEADERS += %D%/raw-events.h

dist_check_SCRIPTS += %D%/golden.test %D%/raw-command.test
TESTS += %D%/golden.test %D%/raw-command.test
