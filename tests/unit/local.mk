# Unit tests of lib/: one program a file, named after it.
if HAVE_CMOCKA
unit_tests = \
	%D%/test-symbolize \
	%D%/test-varint

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

unit_test_LIBS = liblow.la $(CMOCKA_LIBS)

tests_unit_test_symbolize_SOURCES = %D%/test-symbolize.c
tests_unit_test_symbolize_LDADD = libsymbolize.la $(unit_test_LIBS)

tests_unit_test_varint_SOURCES = %D%/test-varint.c
tests_unit_test_varint_LDADD = $(unit_test_LIBS)
endif

noinst_HEADERS += %D%/unit.h
