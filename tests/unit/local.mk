# Unit tests of lib/: one program a file, named after it. The longest come first, so that none is left alone at the end.
if HAVE_CMOCKA
unit_tests = \
	%D%/test-explore-wake \
	%D%/test-explore-waitq \
	%D%/test-explore-handles \
	%D%/test-explore-sched \
	%D%/test-explore-gate \
	%D%/test-explore-spool \
	%D%/test-sched-threads \
	%D%/test-active \
	%D%/test-closing \
	%D%/test-cut \
	%D%/test-clock \
	%D%/test-suspensions \
	%D%/test-control \
	%D%/test-control-client \
	%D%/test-debug \
	%D%/test-descriptors \
	%D%/test-dwarf \
	%D%/test-dwarf-forms \
	%D%/test-events \
	%D%/test-first-stacks \
	%D%/test-gate \
	%D%/test-handles \
	%D%/test-heap-in-trace \
	%D%/test-heap-profile \
	%D%/test-image \
	%D%/test-libc-words \
	%D%/test-lock \
	%D%/test-annotation-names \
	%D%/test-memory-file \
	%D%/test-meta \
	%D%/test-loader-locks \
	%D%/test-locks \
	%D%/test-object-origins \
	%D%/test-open-tasks \
	%D%/test-opening \
	%D%/test-options \
	%D%/test-orphaned-spools \
	%D%/test-out \
	%D%/test-output \
	%D%/test-probes \
	%D%/test-process-life \
	%D%/test-progress \
	%D%/test-recording \
	%D%/test-recording-objects \
	%D%/test-recording-samples \
	%D%/test-recording-strings \
	%D%/test-recording-switches \
	%D%/test-report \
	%D%/test-resting \
	%D%/test-sched \
	%D%/test-sched-calls \
	%D%/test-sched-generation \
	%D%/test-sched-handler \
	%D%/test-sched-refused \
	%D%/test-sched-sessions \
	%D%/test-sched-steal \
	%D%/test-sched-times \
	%D%/test-sched-torn \
	%D%/test-sched-walk \
	%D%/test-spool \
	%D%/test-spool-damage \
	%D%/test-spool-disk \
	%D%/test-spool-layout \
	%D%/test-spool-lists \
	%D%/test-spool-packing \
	%D%/test-spool-read \
	%D%/test-spool-ring \
	%D%/test-spool-threads \
	%D%/test-stack-table \
	%D%/test-stacktab \
	%D%/test-symbol-cache \
	%D%/test-symbolize \
	%D%/test-symbols \
	%D%/test-symtab \
	%D%/test-table \
	%D%/test-target \
	%D%/test-trace-time \
	%D%/test-turn-batch \
	%D%/test-unwind-cfi \
	%D%/test-unwind-far \
	%D%/test-unwind-memo \
	%D%/test-unwind-modules \
	%D%/test-unwind-signals \
	%D%/test-unwind-walk \
	%D%/test-varint \
	%D%/test-waitq \
	%D%/test-waitq-threads \
	%D%/test-wire-cursor \
	%D%/test-wire-headers \
	%D%/test-wire-versions

# What several threads use at once: scripts/check --tsan runs these, and builds nothing else for it.
threaded_unit_tests = \
	%D%/test-gate \
	%D%/test-lock \
	%D%/test-sched-calls \
	%D%/test-sched-steal \
	%D%/test-sched-threads \
	%D%/test-spool \
	%D%/test-spool-disk \
	%D%/test-spool-layout \
	%D%/test-spool-lists \
	%D%/test-spool-packing \
	%D%/test-spool-ring \
	%D%/test-spool-threads \
	%D%/test-stacktab \
	%D%/test-waitq \
	%D%/test-waitq-threads

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests) %D%/skips.test
tests_of_scripts += %D%/test-events

unit_test_LIBS = liblow.la $(CMOCKA_LIBS)

tests_unit_test_unwind_cfi_SOURCES = %D%/test-unwind-cfi.c
tests_unit_test_unwind_cfi_LDADD = $(unit_test_LIBS)
tests_unit_test_unwind_far_SOURCES = %D%/test-unwind-far.c
tests_unit_test_unwind_far_LDADD = $(unit_test_LIBS)
tests_unit_test_unwind_memo_SOURCES = %D%/test-unwind-memo.c
tests_unit_test_unwind_memo_LDADD = $(unit_test_LIBS)
tests_unit_test_unwind_modules_SOURCES = %D%/test-unwind-modules.c
tests_unit_test_unwind_modules_LDADD = $(unit_test_LIBS)
tests_unit_test_unwind_signals_SOURCES = %D%/test-unwind-signals.c
tests_unit_test_unwind_signals_LDADD = $(unit_test_LIBS)
tests_unit_test_unwind_walk_SOURCES = %D%/test-unwind-walk.c
tests_unit_test_unwind_walk_LDADD = $(unit_test_LIBS)
tests_unit_test_symbolize_SOURCES = %D%/test-symbolize.c
tests_unit_test_symbolize_LDADD = libsymbolize.la $(unit_test_LIBS)

tests_unit_test_active_SOURCES = %D%/test-active.c preload/active.c
tests_unit_test_active_LDADD = $(unit_test_LIBS)
tests_unit_test_closing_SOURCES = %D%/test-closing.c preload/active.c preload/closing.c
tests_unit_test_closing_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_test_closing_LDADD = $(unit_test_LIBS)
tests_unit_test_resting_SOURCES = %D%/test-resting.c %D%/spool-fixture.c preload/active.c preload/resting.c
tests_unit_test_resting_LDADD = $(unit_test_LIBS)
tests_unit_test_annotation_names_SOURCES = %D%/test-annotation-names.c preload/annotate/names.c
tests_unit_test_annotation_names_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_test_annotation_names_LDADD = $(unit_test_LIBS)
tests_unit_test_descriptors_SOURCES = %D%/test-descriptors.c preload/descriptors.c preload/socket_address.c
tests_unit_test_descriptors_LDADD = $(unit_test_LIBS)
tests_unit_test_handles_SOURCES = %D%/test-handles.c preload/handles.c
tests_unit_test_handles_LDADD = $(unit_test_LIBS)
tests_unit_test_libc_words_SOURCES = %D%/test-libc-words.c preload/libc_words.c
tests_unit_test_libc_words_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_test_libc_words_LDADD = $(unit_test_LIBS)
tests_unit_test_loader_locks_SOURCES = %D%/test-loader-locks.c %D%/folder.h
tests_unit_test_loader_locks_LDADD = libattach.la libstacks.la $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_locks_SOURCES = %D%/test-locks.c
tests_unit_test_locks_LDADD = $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_object_origins_SOURCES = %D%/test-object-origins.c preload/object_origins.c
tests_unit_test_object_origins_LDADD = $(unit_test_LIBS)
tests_unit_test_open_tasks_SOURCES = %D%/test-open-tasks.c preload/annotate/open_tasks.c
tests_unit_test_open_tasks_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_test_open_tasks_LDADD = $(unit_test_LIBS)
tests_unit_test_probes_SOURCES = %D%/test-probes.c preload/moved.c preload/probes/notes.c preload/probes/operands.c
tests_unit_test_probes_LDADD = $(unit_test_LIBS)
tests_unit_test_symbols_SOURCES = %D%/test-symbols.c preload/symbols.c
tests_unit_test_symbols_LDADD = $(unit_test_LIBS) -ldl
tests_unit_test_dwarf_SOURCES = %D%/test-dwarf.c %D%/dwarf-bytes.h
tests_unit_test_dwarf_LDADD = libsymbolize.la $(unit_test_LIBS)
tests_unit_test_dwarf_forms_SOURCES = %D%/test-dwarf-forms.c %D%/dwarf-bytes.h
tests_unit_test_dwarf_forms_LDADD = libsymbolize.la $(unit_test_LIBS)
tests_unit_test_debug_SOURCES = %D%/test-debug.c %D%/elf-image.h
tests_unit_test_debug_LDADD = libsymbolize.la $(unit_test_LIBS)
tests_unit_test_image_SOURCES = %D%/test-image.c %D%/elf-image.h
tests_unit_test_image_LDADD = libsymbolize.la $(unit_test_LIBS)
tests_unit_test_symtab_SOURCES = %D%/test-symtab.c %D%/elf-image.h
tests_unit_test_symtab_LDADD = libsymbolize.la $(unit_test_LIBS)

tests_unit_test_wire_versions_SOURCES = %D%/test-wire-versions.c
tests_unit_test_wire_versions_LDADD = $(unit_test_LIBS)
tests_unit_test_wire_cursor_SOURCES = %D%/test-wire-cursor.c
tests_unit_test_wire_cursor_LDADD = $(unit_test_LIBS)
tests_unit_test_wire_headers_SOURCES = %D%/test-wire-headers.c
tests_unit_test_wire_headers_LDADD = $(unit_test_LIBS)
tests_unit_test_varint_SOURCES = %D%/test-varint.c
tests_unit_test_varint_LDADD = $(unit_test_LIBS)

tests_unit_test_gate_SOURCES = %D%/test-gate.c %D%/filter.h
tests_unit_test_gate_LDADD = $(unit_test_LIBS)
tests_unit_test_progress_SOURCES = %D%/test-progress.c
tests_unit_test_progress_LDADD = libfinish.la $(unit_test_LIBS)
tests_unit_test_recording_SOURCES = %D%/test-recording.c %D%/recording-file.h
tests_unit_test_recording_LDADD = $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_recording_objects_SOURCES = %D%/test-recording-objects.c %D%/recording-file.h
tests_unit_test_recording_objects_LDADD = $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_recording_strings_SOURCES = %D%/test-recording-strings.c %D%/recording-file.h
tests_unit_test_recording_strings_LDADD = $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_recording_switches_SOURCES = %D%/test-recording-switches.c
tests_unit_test_recording_switches_LDADD = $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_recording_samples_SOURCES = %D%/test-recording-samples.c %D%/recording-file.h
tests_unit_test_recording_samples_LDADD = $(finish_LIBS) $(unit_test_LIBS)
tests_unit_test_waitq_SOURCES = %D%/test-waitq.c %D%/waitq-fixture.h
tests_unit_test_waitq_LDADD = $(unit_test_LIBS)
tests_unit_test_waitq_threads_SOURCES = %D%/test-waitq-threads.c %D%/waitq-fixture.h
tests_unit_test_waitq_threads_LDADD = $(unit_test_LIBS)

tests_unit_test_spool_SOURCES = %D%/test-spool.c %D%/spool-fixture.c %D%/spool-fixture.h
tests_unit_test_spool_LDADD = $(unit_test_LIBS)
tests_unit_test_spool_disk_SOURCES = %D%/test-spool-disk.c %D%/filter.h %D%/spool-fixture.c
tests_unit_test_spool_disk_LDADD = $(unit_test_LIBS)
tests_unit_test_spool_packing_SOURCES = %D%/test-spool-packing.c %D%/spool-fixture.c
tests_unit_test_spool_packing_LDADD = $(unit_test_LIBS)
tests_unit_test_spool_threads_SOURCES = %D%/test-spool-threads.c %D%/spool-fixture.c
tests_unit_test_spool_threads_LDADD = $(unit_test_LIBS)

tests_unit_test_spool_layout_SOURCES = %D%/test-spool-layout.c
tests_unit_test_spool_layout_LDADD = $(unit_test_LIBS)

tests_unit_test_spool_lists_SOURCES = %D%/test-spool-lists.c %D%/spool-fixture.c
tests_unit_test_spool_lists_LDADD = $(unit_test_LIBS)
tests_unit_test_spool_ring_SOURCES = %D%/test-spool-ring.c %D%/filter.h %D%/spool-fixture.c
tests_unit_test_spool_ring_LDADD = $(unit_test_LIBS)

tests_unit_test_clock_SOURCES = %D%/test-clock.c
tests_unit_test_clock_LDADD = $(unit_test_LIBS)
tests_unit_test_suspensions_SOURCES = %D%/test-suspensions.c
tests_unit_test_suspensions_LDADD = $(unit_test_LIBS)
tests_unit_test_control_SOURCES = %D%/test-control.c
tests_unit_test_control_LDADD = $(unit_test_LIBS)
tests_unit_test_lock_SOURCES = %D%/test-lock.c
tests_unit_test_lock_LDADD = $(unit_test_LIBS)
tests_unit_test_meta_SOURCES = %D%/test-meta.c
tests_unit_test_meta_LDADD = $(unit_test_LIBS)
tests_unit_test_events_SOURCES = %D%/test-events.c
tests_unit_test_events_LDADD = $(unit_test_LIBS)
tests_unit_test_options_SOURCES = %D%/test-options.c
tests_unit_test_options_LDADD = $(unit_test_LIBS)
tests_unit_test_trace_time_SOURCES = %D%/test-trace-time.c %D%/random.h
tests_unit_test_trace_time_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_cut_SOURCES = %D%/test-cut.c
tests_unit_test_cut_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_opening_SOURCES = %D%/test-opening.c
tests_unit_test_opening_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_spool_read_SOURCES = %D%/test-spool-read.c %D%/spool-found.h %D%/spool-fixture.c
tests_unit_test_spool_read_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_spool_damage_SOURCES = %D%/test-spool-damage.c %D%/random.h %D%/spool-found.h %D%/spool-fixture.c
tests_unit_test_spool_damage_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_process_life_SOURCES = %D%/test-process-life.c %D%/spool-fixture.c
tests_unit_test_process_life_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_stacktab_SOURCES = %D%/test-stacktab.c
tests_unit_test_stacktab_LDADD = $(unit_test_LIBS)

# Of the command: a file of it with its test.
tests_unit_test_control_client_SOURCES = %D%/test-control-client.c cmd/control_client.c cmd/network.c
tests_unit_test_control_client_LDADD = libfinish.la $(unit_test_LIBS)
tests_unit_test_heap_in_trace_SOURCES = %D%/test-heap-in-trace.c
tests_unit_test_heap_in_trace_LDADD = libfinish.la libexport.la libparser.la $(unit_test_LIBS) -lm
tests_unit_test_first_stacks_SOURCES = %D%/test-first-stacks.c
tests_unit_test_first_stacks_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_heap_profile_SOURCES = %D%/test-heap-profile.c
tests_unit_test_heap_profile_LDADD = libfinish.la libexport.la libparser.la $(unit_test_LIBS) -lm
tests_unit_test_orphaned_spools_SOURCES = %D%/test-orphaned-spools.c
tests_unit_test_orphaned_spools_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_memory_file_SOURCES = %D%/test-memory-file.c
tests_unit_test_memory_file_LDADD = libexport.la $(unit_test_LIBS)
tests_unit_test_memory_file_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=realloc
tests_unit_test_turn_batch_SOURCES = %D%/test-turn-batch.c
tests_unit_test_turn_batch_LDADD = libexport.la libanalyze.la libparser.la $(unit_test_LIBS)
tests_unit_test_output_SOURCES = %D%/test-output.c
tests_unit_test_output_LDADD = libfinish.la $(unit_test_LIBS)
tests_unit_test_stack_table_SOURCES = %D%/test-stack-table.c
tests_unit_test_stack_table_LDADD = libfinish.la libparser.la $(unit_test_LIBS)
tests_unit_test_symbol_cache_SOURCES = %D%/test-symbol-cache.c
tests_unit_test_symbol_cache_LDADD = libfinish.la $(unit_test_LIBS)
tests_unit_test_table_SOURCES = %D%/test-table.c
tests_unit_test_table_LDADD = libreport.la libanalyze.la libparser.la $(unit_test_LIBS)
tests_unit_test_out_SOURCES = %D%/test-out.c
tests_unit_test_out_LDADD = libreport.la libanalyze.la libparser.la $(unit_test_LIBS)
tests_unit_test_report_SOURCES = %D%/test-report.c
tests_unit_test_report_LDADD = libreport.la libanalyze.la libparser.la $(unit_test_LIBS)
tests_unit_test_target_SOURCES = %D%/test-target.c cmd/target.c
tests_unit_test_target_LDADD = $(unit_test_LIBS)

# They include what they explore.
unit_explore = %D%/explore.c %D%/explore.h %D%/explored-model.h %D%/random.h
tests_unit_test_explore_gate_SOURCES = %D%/test-explore-gate.c $(unit_explore)
tests_unit_test_explore_gate_LDADD = $(unit_test_LIBS)
tests_unit_test_explore_sched_SOURCES = %D%/test-explore-sched.c $(unit_explore)
tests_unit_test_explore_sched_LDADD = $(unit_test_LIBS)
tests_unit_test_explore_spool_SOURCES = %D%/test-explore-spool.c $(unit_explore)
tests_unit_test_explore_spool_LDADD = $(unit_test_LIBS)
tests_unit_test_explore_waitq_SOURCES = %D%/test-explore-waitq.c $(unit_explore)
tests_unit_test_explore_waitq_LDADD = $(unit_test_LIBS)
tests_unit_test_explore_handles_SOURCES = %D%/test-explore-handles.c $(unit_explore)
tests_unit_test_explore_handles_LDADD = $(unit_test_LIBS)
tests_unit_test_explore_wake_SOURCES = %D%/test-explore-wake.c $(unit_explore)
tests_unit_test_explore_wake_LDADD = $(unit_test_LIBS)

unit_model = %D%/model.c %D%/model.h
unit_transitions = $(unit_model) %D%/transitions.c %D%/transitions.h
unit_model_trace = %D%/model-trace.c %D%/model-trace.h

tests_unit_test_sched_SOURCES = %D%/test-sched.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_refused_SOURCES = %D%/test-sched-refused.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_refused_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_calls_SOURCES = %D%/test-sched-calls.c %D%/proc-story.h $(unit_model) $(unit_model_trace)
tests_unit_test_sched_calls_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_sched_generation_SOURCES = %D%/test-sched-generation.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_generation_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_handler_SOURCES = %D%/test-sched-handler.c $(unit_transitions)
tests_unit_test_sched_handler_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_steal_SOURCES = %D%/test-sched-steal.c %D%/proc-story.h $(unit_model) $(unit_model_trace)
tests_unit_test_sched_steal_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_sched_threads_SOURCES = %D%/test-sched-threads.c %D%/random.h $(unit_model) $(unit_model_trace)
tests_unit_test_sched_threads_LDADD = libparser.la $(unit_test_LIBS)
tests_unit_test_sched_times_SOURCES = %D%/test-sched-times.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_times_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_sessions_SOURCES = %D%/test-sched-sessions.c %D%/three-threads.h $(unit_model)
tests_unit_test_sched_sessions_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_torn_SOURCES = %D%/test-sched-torn.c $(unit_transitions)
tests_unit_test_sched_torn_LDADD = $(unit_test_LIBS)
tests_unit_test_sched_walk_SOURCES = %D%/test-sched-walk.c %D%/random.h $(unit_model) $(unit_model_trace)
tests_unit_test_sched_walk_LDADD = libparser.la $(unit_test_LIBS)
endif

# check-TESTS builds all check programs.
check-threads: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(threaded_unit_tests)' check_PROGRAMS='$(threaded_unit_tests)' \
	    check_LTLIBRARIES=
.PHONY: check-threads

dist_check_SCRIPTS += %D%/skips.test
noinst_HEADERS += %D%/folder.h %D%/records.h %D%/unit.h %D%/unwind-image.h %D%/unwind-world.h
