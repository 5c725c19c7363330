# A planted disease each, for the sentences of thrace stat.
disease_programs = \
	%D%/bank \
	%D%/bell \
	%D%/cache \
	%D%/daemon \
	%D%/filter \
	%D%/heat \
	%D%/index \
	%D%/journal \
	%D%/loader \
	%D%/mailbox \
	%D%/parser \
	%D%/printer \
	%D%/render \
	%D%/routes

if BUILD_PRELOAD
check_PROGRAMS += $(disease_programs)
tests_programs_diseases_bell_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_cache_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_filter_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_heat_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_journal_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_loader_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_printer_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_routes_CFLAGS = $(program_CFLAGS)
tests_programs_diseases_bank_SOURCES = %D%/bank.cpp
tests_programs_diseases_bank_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fno-optimize-sibling-calls
tests_programs_diseases_daemon_SOURCES = %D%/daemon.cpp
tests_programs_diseases_daemon_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fno-optimize-sibling-calls
tests_programs_diseases_index_SOURCES = %D%/index.cpp
tests_programs_diseases_index_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fno-optimize-sibling-calls
tests_programs_diseases_mailbox_SOURCES = %D%/mailbox.cpp
tests_programs_diseases_mailbox_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fno-optimize-sibling-calls
tests_programs_diseases_parser_SOURCES = %D%/parser.cpp
tests_programs_diseases_parser_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fno-optimize-sibling-calls
tests_programs_diseases_render_SOURCES = %D%/render.cpp
tests_programs_diseases_render_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fno-optimize-sibling-calls
endif

EXTRA_DIST += %D%/work.h %D%/ledger.rs
