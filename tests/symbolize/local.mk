# The symboliser against addr2line, and on files of many kinds that are compiled for it.
noinst_PROGRAMS += %D%/symbolize-tool
tests_symbolize_symbolize_tool_SOURCES = %D%/symbolize-tool.c
tests_symbolize_symbolize_tool_LDADD = libsymbolize.la

symbolize_tests = \
	%D%/cache.test \
	%D%/same-as-addr2line.test \
	%D%/same-as-libdwarf.test \
	%D%/split-dwarf.test \
	%D%/unreadable.test \
	%D%/variables.test \
	%D%/where-debug-info-is.test
TESTS += $(symbolize_tests)
dist_check_SCRIPTS += $(symbolize_tests)
EXTRA_DIST += %D%/frames.sh %D%/subject.cc %D%/variables.c %D%/variables.cc %D%/variables.h %D%/variables.rs

if HAVE_LIBDWARF
check_PROGRAMS += %D%/same-as-libdwarf
tests_symbolize_same_as_libdwarf_SOURCES = %D%/libdwarf.h %D%/same-as-libdwarf.c
tests_symbolize_same_as_libdwarf_CFLAGS = $(AM_CFLAGS) $(DWARF_CFLAGS)
tests_symbolize_same_as_libdwarf_LDADD = libsymbolize.la $(DWARF_LIBS)
endif

check_PROGRAMS += %D%/damaged-files
TESTS += %D%/damaged-files
tests_symbolize_damaged_files_SOURCES = %D%/damaged-files.c
tests_symbolize_damaged_files_LDADD = libsymbolize.la

if HAVE_CMOCKA
check_PROGRAMS += %D%/test-go-table
TESTS += %D%/test-go-table
tests_symbolize_test_go_table_SOURCES = %D%/test-go-table.c
tests_symbolize_test_go_table_LDADD = libsymbolize.la $(CMOCKA_LIBS)
endif
