# Unit tests of lib/: one program a file, named after it.
if HAVE_CMOCKA
unit_tests = \
	%D%/test-cut \
	%D%/test-clock \
	%D%/test-events \
	%D%/test-gate \
	%D%/test-options \
	%D%/test-progress \
	%D%/test-recording \
	%D%/test-sched \
	%D%/test-sched-generation \
	%D%/test-sched-steal \
	%D%/test-sched-threads \
	%D%/test-sched-torn \
	%D%/test-sched-walk \
	%D%/test-spool \
	%D%/test-spool-read \
	%D%/test-stacktab \
	%D%/test-symbolize \
	%D%/test-trace-time \
	%D%/test-unwind-cfi \
	%D%/test-unwind-walk \
	%D%/test-varint \
	%D%/test-waitq

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

unit_test_LIBS = liblow.la $(CMOCKA_LIBS)

tests_unit_test_unwind_cfi_SOURCES = %D%/test-unwind-cfi.c
tests_unit_test_unwind_cfi_LDADD = $(unit_test_LIBS)
tests_unit_test_unwind_walk_SOURCES = %D%/test-unwind-walk.c
tests_unit_test_unwind_walk_LDADD = $(unit_test_LIBS)
tests_unit_test_symbolize_SOURCES = %D%/test-symbolize.c
tests_unit_test_symbolize_LDADD = libsymbolize.la $(unit_test_LIBS)

tests_unit_test_varint_SOURCES = %D%/test-varint.c
tests_unit_test_varint_LDADD = $(unit_test_LIBS)

tests_unit_test_gate_SOURCES = %D%/test-gate.c %D%/filter.h
tests_unit_test_gate_LDADD = $(unit_test_LIBS)
tests_unit_test_progress_SOURCES = %D%/test-progress.c cmd/progress.c cmd/progress.h
tests_unit_test_progress_LDADD = $(unit_test_LIBS)
tests_unit_test_recording_SOURCES = %D%/test-recording.c cmd/first_stacks.c cmd/heap_types.c cmd/progress.c cmd/recording.c \
	cmd/recording_frames.c cmd/recording_modules.c cmd/samples.c cmd/symbol_cache.c cmd/trace_time.c
tests_unit_test_recording_LDADD = libparser.la libsymbolize.la $(unit_test_LIBS)
tests_unit_test_waitq_SOURCES = %D%/test-waitq.c
tests_unit_test_waitq_LDADD = $(unit_test_LIBS)

tests_unit_test_spool_SOURCES = %D%/test-spool.c %D%/filter.h %D%/spool-fixture.c %D%/spool-fixture.h
tests_unit_test_spool_LDADD = $(unit_test_LIBS)

tests_unit_test_clock_SOURCES = %D%/test-clock.c
tests_unit_test_clock_LDADD = $(unit_test_LIBS)
tests_unit_test_events_SOURCES = %D%/test-events.c
tests_unit_test_events_LDADD = $(unit_test_LIBS)
tests_unit_test_options_SOURCES = %D%/test-options.c preload/option_values.c preload/options.c preload/out_path.c
tests_unit_test_options_LDADD = $(unit_test_LIBS)
tests_unit_test_trace_time_SOURCES = %D%/test-trace-time.c %D%/random.h cmd/trace_time.c
tests_unit_test_trace_time_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_cut_SOURCES = %D%/test-cut.c cmd/cut.c
tests_unit_test_cut_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_spool_read_SOURCES = %D%/test-spool-read.c cmd/spool_read.c %D%/random.h %D%/spool-fixture.c
tests_unit_test_spool_read_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_stacktab_SOURCES = %D%/test-stacktab.c
tests_unit_test_stacktab_LDADD = $(unit_test_LIBS)

unit_model = %D%/model.c %D%/model.h
unit_model_trace = %D%/model-trace.c %D%/model-trace.h

tests_unit_test_sched_SOURCES = %D%/test-sched.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_generation_SOURCES = %D%/test-sched-generation.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_generation_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_steal_SOURCES = %D%/test-sched-steal.c $(unit_model) $(unit_model_trace)
tests_unit_test_sched_steal_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_sched_threads_SOURCES = %D%/test-sched-threads.c %D%/random.h $(unit_model) $(unit_model_trace)
tests_unit_test_sched_threads_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_sched_torn_SOURCES = %D%/test-sched-torn.c $(unit_model)
tests_unit_test_sched_torn_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_walk_SOURCES = %D%/test-sched-walk.c %D%/random.h $(unit_model) $(unit_model_trace)
tests_unit_test_sched_walk_LDADD = libparser.la $(unit_test_LIBS)
endif

noinst_HEADERS += %D%/unit.h %D%/unwind-image.h
