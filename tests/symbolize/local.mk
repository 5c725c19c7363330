# The symboliser against addr2line, and on files of many kinds that are compiled for it.
noinst_PROGRAMS += %D%/symbolize-tool
tests_symbolize_symbolize_tool_SOURCES = %D%/symbolize-tool.c
tests_symbolize_symbolize_tool_LDADD = libsymbolize.la
