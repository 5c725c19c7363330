include %D%/raw.mk

# The reader: shell tests of the command, and one program a file.
reader_tests = %D%/abi.test %D%/headers.test %D%/go-versions.test %D%/print.test %D%/validate.test %D%/convert.test %D%/example.test \
	%D%/critical.test %D%/stat.test %D%/stat-filters.test %D%/stat-json.test %D%/stat-tasks.test
TESTS += $(reader_tests)
dist_check_SCRIPTS += $(reader_tests)
EXTRA_DIST += %D%/goversions/programs.go %D%/stat-json.py %D%/stat-parts.py

check_PROGRAMS += %D%/test-golden-padded
TESTS += %D%/test-golden-padded
tests_parser_test_golden_padded_SOURCES = %D%/test-golden-padded.c %D%/padded.c %D%/padded.h
tests_parser_test_golden_padded_LDADD = libgolden.la libparser.la

check_PROGRAMS += %D%/test-short-way
TESTS += %D%/test-short-way
tests_parser_test_short_way_SOURCES = %D%/test-short-way.c %D%/padded.c %D%/padded.h
tests_parser_test_short_way_LDADD = libgolden.la libparser.la
tests_parser_test_short_way_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=reader_next_slow,--wrap=reader_decide

check_PROGRAMS += %D%/abi-types
tests_parser_abi_types_SOURCES = %D%/abi-types.c
EXTRA_DIST += %D%/gotrace.abi

check_PROGRAMS += docs/examples/waits
docs_examples_waits_SOURCES = docs/examples/waits.c
docs_examples_waits_CPPFLAGS = -I$(top_srcdir)/include
docs_examples_waits_LDADD = libgotrace.la

check_PROGRAMS += docs/examples/generations
docs_examples_generations_SOURCES = docs/examples/generations.c
docs_examples_generations_CPPFLAGS = -I$(top_srcdir)/include
docs_examples_generations_LDADD = libgotrace.la

if HAVE_CMOCKA
check_PROGRAMS += %D%/test-lock-stats
TESTS += %D%/test-lock-stats
tests_parser_test_lock_stats_SOURCES = %D%/test-lock-stats.c
tests_parser_test_lock_stats_LDADD = libanalyze.la $(reader_program_LIBS)
check_PROGRAMS += %D%/test-run-queue
TESTS += %D%/test-run-queue
tests_parser_test_run_queue_SOURCES = %D%/test-run-queue.c %D%/findings.h %D%/waits.h
tests_parser_test_run_queue_LDADD = libanalyze.la libparser.la $(reader_program_LIBS)
check_PROGRAMS += %D%/test-switches %D%/test-switches-places %D%/test-switches-queues %D%/test-switches-waits %D%/test-switches-wakers
TESTS += %D%/test-switches %D%/test-switches-places %D%/test-switches-queues %D%/test-switches-waits %D%/test-switches-wakers
tests_parser_test_switches_SOURCES = %D%/test-switches.c %D%/switched.h %D%/waits.h
tests_parser_test_switches_LDADD = libanalyze.la libparser.la $(reader_program_LIBS)
tests_parser_test_switches_waits_SOURCES = %D%/test-switches-waits.c %D%/switched.h %D%/waits.h
tests_parser_test_switches_waits_LDADD = libanalyze.la libparser.la $(reader_program_LIBS)
tests_parser_test_switches_places_SOURCES = %D%/test-switches-places.c %D%/switched.h %D%/waits.h
tests_parser_test_switches_places_LDADD = libanalyze.la libparser.la $(reader_program_LIBS)
tests_parser_test_switches_queues_SOURCES = %D%/test-switches-queues.c %D%/switched.h %D%/waits.h
tests_parser_test_switches_queues_LDADD = libanalyze.la libparser.la $(reader_program_LIBS)
tests_parser_test_switches_wakers_SOURCES = %D%/test-switches-wakers.c %D%/switched.h %D%/waits.h
tests_parser_test_switches_wakers_LDADD = libanalyze.la libparser.la $(reader_program_LIBS)
check_PROGRAMS += %D%/test-blame %D%/test-blame-bounds %D%/test-consumer %D%/test-cpu %D%/test-frames %D%/test-needs %D%/test-span-filter %D%/test-stat-bounds %D%/test-stat-tasks %D%/test-stat-threads
TESTS += %D%/test-blame %D%/test-blame-bounds %D%/test-consumer %D%/test-cpu %D%/test-frames %D%/test-needs %D%/test-span-filter %D%/test-stat-bounds %D%/test-stat-tasks %D%/test-stat-threads
check_PROGRAMS += %D%/test-findings %D%/test-findings-threads %D%/test-findings-naps
TESTS += %D%/test-findings %D%/test-findings-threads %D%/test-findings-naps
tests_parser_test_blame_bounds_SOURCES = %D%/test-blame-bounds.c %D%/waits.h
tests_parser_test_blame_bounds_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_blame_SOURCES = %D%/test-blame.c %D%/waits.h cmd/stat_locks.c cmd/stat_owners.c cmd/stat_parts.c
tests_parser_test_blame_LDADD = libreport.la libanalyze.la $(reader_program_LIBS)
tests_parser_test_consumer_SOURCES = %D%/test-consumer.c
tests_parser_test_consumer_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_cpu_SOURCES = %D%/test-cpu.c %D%/waits.h
tests_parser_test_cpu_LDADD = libanalyze.la $(reader_program_LIBS)
check_PROGRAMS += %D%/test-diff-rows %D%/test-resample
TESTS += %D%/test-diff-rows %D%/test-resample
tests_parser_test_diff_rows_SOURCES = %D%/test-diff-rows.c
tests_parser_test_diff_rows_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_resample_SOURCES = %D%/test-resample.c
tests_parser_test_resample_LDADD = libanalyze.la $(reader_program_LIBS)
check_PROGRAMS += %D%/test-critical %D%/test-critical-sums %D%/test-path-log
TESTS += %D%/test-critical %D%/test-critical-sums %D%/test-path-log
tests_parser_test_critical_SOURCES = %D%/test-critical.c %D%/path-report.h %D%/paths.h %D%/waits.h \
	cmd/critical_parts.c cmd/critical_report.c cmd/stat_parts.c
tests_parser_test_critical_LDADD = libreport.la libanalyze.la $(reader_program_LIBS)
tests_parser_test_critical_sums_SOURCES = %D%/test-critical-sums.c %D%/paths.h %D%/waits.h
tests_parser_test_critical_sums_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_findings_SOURCES = %D%/test-findings.c %D%/findings.h %D%/waits.h cmd/stat_findings.c cmd/finding_text.c
tests_parser_test_findings_LDADD = libreport.la libanalyze.la $(reader_program_LIBS)
tests_parser_test_findings_threads_SOURCES = %D%/test-findings-threads.c %D%/findings.h %D%/waits.h
tests_parser_test_findings_naps_SOURCES = %D%/test-findings-naps.c %D%/findings.h %D%/waits.h
tests_parser_test_findings_naps_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_findings_threads_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_frames_SOURCES = %D%/test-frames.c
tests_parser_test_frames_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_needs_SOURCES = %D%/test-needs.c %D%/waits.h
tests_parser_test_needs_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_span_filter_SOURCES = %D%/test-span-filter.c %D%/filtered.h %D%/waits.h
tests_parser_test_span_filter_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_path_log_SOURCES = %D%/test-path-log.c
tests_parser_test_path_log_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_stat_bounds_SOURCES = %D%/test-stat-bounds.c
tests_parser_test_stat_bounds_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_stat_threads_SOURCES = %D%/test-stat-threads.c %D%/waits.h
tests_parser_test_stat_threads_LDADD = libanalyze.la $(reader_program_LIBS)
tests_parser_test_stat_tasks_SOURCES = %D%/test-stat-tasks.c cmd/stat_parts.c cmd/stat_tasks.c
tests_parser_test_stat_tasks_LDADD = libreport.la libanalyze.la $(reader_program_LIBS)

reader_programs = \
	%D%/test-reader \
	%D%/test-reader-parts \
	%D%/test-reader-bounds \
	%D%/test-convert \
	%D%/test-generations \
	%D%/test-reader-as-go \
	%D%/test-reader-file \
	%D%/test-reader-lifetime \
	%D%/test-reader-open \
	%D%/test-reader-paths \
	%D%/test-reader-memory \
	%D%/test-event-print
check_PROGRAMS += $(reader_programs)
TESTS += $(reader_programs)
reader_program_LIBS = libparser.la $(CMOCKA_LIBS)
tests_parser_test_reader_SOURCES = %D%/test-reader.c %D%/every-kind.h
tests_parser_test_reader_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_open_SOURCES = %D%/test-reader-open.c %D%/every-kind.h
tests_parser_test_reader_open_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_parts_SOURCES = %D%/test-reader-parts.c
tests_parser_test_reader_parts_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_bounds_SOURCES = %D%/test-reader-bounds.c %D%/batches.h
tests_parser_test_reader_bounds_LDADD = $(reader_program_LIBS)
tests_parser_test_convert_SOURCES = %D%/test-convert.c
tests_parser_test_convert_LDADD = $(reader_program_LIBS)
tests_parser_test_generations_SOURCES = %D%/test-generations.c
tests_parser_test_generations_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_as_go_SOURCES = %D%/test-reader-as-go.c %D%/made.h
tests_parser_test_reader_as_go_LDADD = $(reader_program_LIBS)
tests_parser_test_event_print_SOURCES = %D%/test-event-print.c %D%/made.h
tests_parser_test_event_print_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_paths_SOURCES = %D%/test-reader-paths.c %D%/made.h
tests_parser_test_reader_paths_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_lifetime_SOURCES = %D%/test-reader-lifetime.c %D%/made.h
tests_parser_test_reader_lifetime_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_file_SOURCES = %D%/test-reader-file.c %D%/batches.h
tests_parser_test_reader_file_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_file_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pread
tests_parser_test_reader_memory_SOURCES = %D%/test-reader-memory.c %D%/allowance.c %D%/allowance.h \
	tests/v1/made.c tests/v1/made.h
tests_parser_test_reader_memory_LDADD = $(reader_program_LIBS)
tests_parser_test_reader_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
endif
