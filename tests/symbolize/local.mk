# The symboliser against addr2line, and on files of many kinds that are compiled for it.
noinst_PROGRAMS += %D%/symbolize-tool
tests_symbolize_symbolize_tool_SOURCES = %D%/symbolize-tool.c
tests_symbolize_symbolize_tool_LDADD = libsymbolize.la

symbolize_tests = \
	%D%/same-as-addr2line.test \
	%D%/where-debug-info-is.test
TESTS += $(symbolize_tests)
dist_check_SCRIPTS += $(symbolize_tests)
EXTRA_DIST += %D%/subject.cc
