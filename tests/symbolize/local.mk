# The symboliser against addr2line, and on files of many kinds that are compiled for it.
noinst_PROGRAMS += %D%/symbolize-tool
tests_symbolize_symbolize_tool_SOURCES = %D%/symbolize-tool.c
tests_symbolize_symbolize_tool_LDADD = libsymbolize.la

symbolize_tests = \
	%D%/same-as-addr2line.test \
	%D%/same-as-libdwarf.test \
	%D%/split-dwarf.test \
	%D%/where-debug-info-is.test
TESTS += $(symbolize_tests)
dist_check_SCRIPTS += $(symbolize_tests)
EXTRA_DIST += %D%/frames.sh %D%/subject.cc tests/bench/symbolize

if HAVE_LIBDWARF
check_PROGRAMS += %D%/same-as-libdwarf
tests_symbolize_same_as_libdwarf_SOURCES = %D%/same-as-libdwarf.c
tests_symbolize_same_as_libdwarf_CFLAGS = $(AM_CFLAGS) $(DWARF_CFLAGS)
tests_symbolize_same_as_libdwarf_LDADD = libsymbolize.la $(DWARF_LIBS)
endif

check_PROGRAMS += tests/fuzz/symbolize_fuzz
tests_fuzz_symbolize_fuzz_SOURCES = tests/fuzz/symbolize_fuzz.c
tests_fuzz_symbolize_fuzz_LDADD = libsymbolize.la
tests_fuzz_symbolize_fuzz_CFLAGS = $(AM_CFLAGS) $(symbolize_fuzz_cflags)
tests_fuzz_symbolize_fuzz_LDFLAGS = $(AM_LDFLAGS) $(symbolize_fuzz_ldflags)
if LIBFUZZER
symbolize_fuzz_cflags = -DLIBFUZZER -fsanitize=fuzzer
symbolize_fuzz_ldflags = -fsanitize=fuzzer
else
TESTS += tests/fuzz/symbolize_fuzz
endif
