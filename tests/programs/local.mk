# Programs with known behaviour, recorded by tests/e2e and tests/traps. None links anything of ours.
if BUILD_PRELOAD
c_programs = \
	%D%/affinity \
	%D%/alone \
	%D%/alone-hog \
	%D%/annotated \
	%D%/annotated-fixed \
	%D%/annotated-pool \
	%D%/annotated-server \
	%D%/annotated-sessions \
	%D%/annotated-steps \
	%D%/annotated-torn \
	%D%/annotated-ways \
	%D%/annotations \
	%D%/annotations-stress \
	%D%/at-terminal \
	%D%/arrows \
	%D%/arrows-futexes \
	%D%/attached \
	%D%/attached-fixed \
	%D%/attached-malloc \
	%D%/attached-sanitized \
	%D%/blamed \
	%D%/bounded-queue \
	%D%/brief \
	%D%/busy \
	%D%/c11-threads \
	%D%/cancel \
	%D%/chained \
	%D%/churn \
	%D%/clones \
	%D%/closes-all \
	%D%/coroutines \
	%D%/counted-locks \
	%D%/crowd \
	%D%/crowded \
	%D%/daemonizes \
	%D%/dozers \
	%D%/drops \
	%D%/early \
	%D%/endings \
	%D%/entry-points \
	%D%/exits \
	%D%/calls-on-files \
	%D%/failing-calls \
	%D%/faulted \
	%D%/filtered \
	%D%/first-call \
	%D%/forbids-clock \
	%D%/foreign-words \
	%D%/forker \
	%D%/futile-wakeup \
	%D%/goroutines-host \
	%D%/handlers \
	%D%/hasty \
	%D%/healthy \
	%D%/heap-held \
	%D%/heap-host \
	%D%/heap-ifunc \
	%D%/heap-leak \
	%D%/heap-odd \
	%D%/heap-stress \
	%D%/held \
	%D%/hogs \
	%D%/idle-pool \
	%D%/idle-waits \
	%D%/interrupted-alone \
	%D%/itt \
	%D%/jitted \
	%D%/jumper \
	%D%/known-waits \
	%D%/late \
	%D%/later \
	%D%/loader-held \
	%D%/locale-held \
	%D%/lies \
	%D%/lock-makers \
	%D%/local-objects \
	%D%/locks \
	%D%/locks-in-handler \
	%D%/many-objects \
	%D%/midway \
	%D%/migrates \
	%D%/mixed-waits \
	%D%/modules-kept \
	%D%/mostly-idle \
	%D%/names \
	%D%/nvtx \
	%D%/objects \
	%D%/odd-calls \
	%D%/old-cond \
	%D%/outlives \
	%D%/own-signals \
	%D%/plugin \
	%D%/pool \
	%D%/privileges \
	%D%/quota \
	%D%/raw-forks \
	%D%/raw-threads \
	%D%/regress \
	%D%/reloads \
	%D%/replaced \
	%D%/retitles \
	%D%/rewrites-header \
	%D%/robbed \
	%D%/rounds \
	%D%/sandbox \
	%D%/sanitized \
	%D%/scribbles \
	%D%/selects \
	%D%/sessions \
	%D%/signal-at-birth \
	%D%/slow-barriers \
	%D%/slow-lock \
	%D%/slow-shop \
	%D%/slow-release \
	%D%/small-blocks \
	%D%/spawner \
	%D%/starts \
	%D%/stress \
	%D%/stuck \
	%D%/stuck-fp \
	%D%/stuck-protected \
	%D%/switches \
	%D%/system-time \
	%D%/tally \
	%D%/terminal \
	%D%/together \
	%D%/unannounced \
	%D%/uninterrupted \
	%D%/unloads \
	%D%/unstopped \
	%D%/unstopped-fp \
	%D%/unwinds \
	%D%/usdt \
	%D%/vforks \
	%D%/wait-on-pipe \
	%D%/yields

check_PROGRAMS += $(c_programs) %D%/annotated-cxx %D%/annotated-cxx20 %D%/cxx-objects %D%/cxx-threads %D%/heap-cxx %D%/long-names %D%/torture
check_LTLIBRARIES += %D%/libearly.la %D%/libfirst-call.la %D%/libforeign-words.la %D%/libheap-early.la %D%/libheap-ifunc.la %D%/libloader-held.la \
	%D%/liblate-helper.la %D%/liblocale.la %D%/libslow-release.la %D%/libtoil-one.la %D%/libtoil-two.la

# The expectations name functions and lines, whatever CFLAGS say.
program_CFLAGS = $(AM_CFLAGS) -g -fno-optimize-sibling-calls -pthread

tests_programs_at_terminal_LDADD = -lutil
tests_programs_terminal_LDADD = -lutil
tests_programs_annotated_CFLAGS = $(program_CFLAGS)
tests_programs_regress_CFLAGS = $(program_CFLAGS)
tests_programs_alone_CFLAGS = $(program_CFLAGS)
tests_programs_arrows_CFLAGS = $(program_CFLAGS)
tests_programs_blamed_CFLAGS = $(program_CFLAGS)
tests_programs_pool_CFLAGS = $(program_CFLAGS)
tests_programs_chained_CFLAGS = $(program_CFLAGS)
tests_programs_arrows_futexes_CFLAGS = $(program_CFLAGS)
tests_programs_arrows_futexes_LDADD = -lrt
tests_programs_alone_hog_CFLAGS = $(program_CFLAGS)
tests_programs_affinity_CFLAGS = $(program_CFLAGS)
tests_programs_futile_wakeup_CFLAGS = $(program_CFLAGS)
tests_programs_goroutines_host_CFLAGS = $(program_CFLAGS)
tests_programs_goroutines_host_LDADD = -ldl
tests_programs_raw_threads_CFLAGS = $(program_CFLAGS)
tests_programs_starts_CFLAGS = $(program_CFLAGS)
tests_programs_stress_CFLAGS = $(program_CFLAGS)
tests_programs_tally_CFLAGS = $(program_CFLAGS)
tests_programs_system_time_CFLAGS = $(program_CFLAGS)
tests_programs_together_CFLAGS = $(program_CFLAGS)
tests_programs_wait_on_pipe_CFLAGS = $(program_CFLAGS)
tests_programs_busy_CFLAGS = $(program_CFLAGS)
tests_programs_scribbles_CFLAGS = $(program_CFLAGS)
tests_programs_stuck_CFLAGS = $(program_CFLAGS)
tests_programs_stuck_fp_SOURCES = %D%/stuck.c
tests_programs_stuck_fp_CFLAGS = $(program_CFLAGS) -fno-omit-frame-pointer
# aarch64's return addresses are signed then.
protection_CFLAGS = $(if $(filter aarch64,$(host_cpu)),-mbranch-protection=standard,-fcf-protection=full)
tests_programs_stuck_protected_SOURCES = %D%/stuck.c
tests_programs_stuck_protected_CFLAGS = $(program_CFLAGS) $(protection_CFLAGS)
tests_programs_unstopped_CFLAGS = $(program_CFLAGS)
tests_programs_unstopped_fp_SOURCES = %D%/unstopped.c
tests_programs_unstopped_fp_CFLAGS = $(program_CFLAGS) -fno-omit-frame-pointer
tests_programs_c11_threads_CFLAGS = $(program_CFLAGS)
tests_programs_cancel_CFLAGS = $(program_CFLAGS)
tests_programs_churn_CFLAGS = $(program_CFLAGS)
tests_programs_clones_CFLAGS = $(program_CFLAGS)
tests_programs_clones_LDADD = -ldl
tests_programs_closes_all_CFLAGS = $(program_CFLAGS)
tests_programs_coroutines_CFLAGS = $(program_CFLAGS)
tests_programs_counted_locks_CFLAGS = $(program_CFLAGS)
tests_programs_crowd_CFLAGS = $(program_CFLAGS)
tests_programs_crowded_CFLAGS = $(program_CFLAGS)
tests_programs_daemonizes_CFLAGS = $(program_CFLAGS)
tests_programs_drops_CFLAGS = $(program_CFLAGS)
tests_programs_early_CFLAGS = $(program_CFLAGS)
tests_programs_endings_CFLAGS = $(program_CFLAGS)
tests_programs_entry_points_CFLAGS = $(program_CFLAGS)
tests_programs_exits_CFLAGS = $(program_CFLAGS)
tests_programs_calls_on_files_CFLAGS = $(program_CFLAGS)
tests_programs_failing_calls_CFLAGS = $(program_CFLAGS)
tests_programs_faulted_CFLAGS = $(program_CFLAGS)
tests_programs_first_call_CFLAGS = $(program_CFLAGS)
tests_programs_foreign_words_CFLAGS = $(program_CFLAGS)
tests_programs_forbids_clock_CFLAGS = $(program_CFLAGS)
tests_programs_forker_CFLAGS = $(program_CFLAGS)
# Otherwise the compiler removes calls of malloc and free.
tests_programs_heap_odd_CFLAGS = $(program_CFLAGS) -O0 -Wno-unknown-warning-option -Wno-alloc-size-larger-than -Wno-free-nonheap-object -Wno-use-after-free
tests_programs_healthy_CFLAGS = $(program_CFLAGS)
tests_programs_heap_held_CFLAGS = $(program_CFLAGS) -fno-builtin
tests_programs_heap_host_CFLAGS = $(program_CFLAGS)
tests_programs_heap_host_LDADD = -ldl
tests_programs_heap_ifunc_CFLAGS = $(program_CFLAGS)
tests_programs_heap_leak_CFLAGS = $(program_CFLAGS) -fno-builtin
tests_programs_heap_stress_CFLAGS = $(program_CFLAGS) -fno-builtin -Wno-unknown-warning-option -Wno-alloc-size-larger-than
tests_programs_held_CFLAGS = $(program_CFLAGS)
tests_programs_handlers_CFLAGS = $(program_CFLAGS)
tests_programs_hasty_CFLAGS = $(program_CFLAGS)
tests_programs_interrupted_alone_CFLAGS = $(program_CFLAGS)
tests_programs_interrupted_alone_LDADD = -lrt
tests_programs_itt_CFLAGS = $(program_CFLAGS)
tests_programs_itt_LDADD = -ldl
tests_programs_nvtx_CFLAGS = $(program_CFLAGS)
tests_programs_nvtx_LDADD = -ldl
tests_programs_usdt_CFLAGS = $(program_CFLAGS)
tests_programs_hogs_CFLAGS = $(program_CFLAGS)
tests_programs_idle_waits_CFLAGS = $(program_CFLAGS)
tests_programs_jitted_CFLAGS = $(program_CFLAGS)
tests_programs_jumper_CFLAGS = $(program_CFLAGS)
tests_programs_known_waits_CFLAGS = $(program_CFLAGS)
tests_programs_locks_in_handler_CFLAGS = $(program_CFLAGS)
tests_programs_loader_held_CFLAGS = $(program_CFLAGS)
tests_programs_loader_held_LDADD = -ldl
tests_programs_locale_held_CFLAGS = $(program_CFLAGS)
tests_programs_later_CFLAGS = $(program_CFLAGS)
tests_programs_late_CFLAGS = $(program_CFLAGS)
tests_programs_lies_CFLAGS = $(program_CFLAGS)
tests_programs_locks_CFLAGS = $(program_CFLAGS)
tests_programs_midway_CFLAGS = $(program_CFLAGS)
tests_programs_midway_LDADD = -lrt
tests_programs_migrates_CFLAGS = $(program_CFLAGS)
tests_programs_mixed_waits_CFLAGS = $(program_CFLAGS)
tests_programs_modules_kept_CFLAGS = $(program_CFLAGS)
tests_programs_modules_kept_LDADD = -ldl
tests_programs_mostly_idle_CFLAGS = $(program_CFLAGS)
tests_programs_names_CFLAGS = $(program_CFLAGS)
tests_programs_odd_calls_CFLAGS = $(program_CFLAGS)
tests_programs_old_cond_CFLAGS = $(program_CFLAGS)
tests_programs_outlives_CFLAGS = $(program_CFLAGS)
tests_programs_own_signals_CFLAGS = $(program_CFLAGS)
tests_programs_plugin_CFLAGS = $(program_CFLAGS)
tests_programs_reloads_CFLAGS = $(program_CFLAGS)
tests_programs_reloads_LDADD = -ldl
tests_programs_replaced_CFLAGS = $(program_CFLAGS)
tests_programs_raw_forks_CFLAGS = $(program_CFLAGS)
tests_programs_raw_forks_LDADD = -ldl
tests_programs_privileges_CFLAGS = $(program_CFLAGS)
tests_programs_filtered_CFLAGS = $(program_CFLAGS)
tests_programs_attached_CFLAGS = $(program_CFLAGS) -fno-builtin
tests_programs_attached_LDADD = -ldl
tests_programs_attached_fixed_SOURCES = %D%/attached.c
tests_programs_attached_fixed_CFLAGS = $(program_CFLAGS) -fno-pie
tests_programs_attached_fixed_LDFLAGS = -no-pie
tests_programs_attached_fixed_LDADD = -ldl
tests_programs_attached_malloc_SOURCES = %D%/attached.c %D%/own-malloc.c
tests_programs_attached_malloc_CFLAGS = $(program_CFLAGS) -fno-builtin -Wno-missing-prototypes
tests_programs_attached_malloc_LDADD = -ldl
tests_programs_attached_sanitized_SOURCES = %D%/attached.c
tests_programs_attached_sanitized_CFLAGS = $(program_CFLAGS) -fno-builtin -fsanitize=address
tests_programs_attached_sanitized_LDFLAGS = $(AM_LDFLAGS) -fsanitize=address
tests_programs_attached_sanitized_LDADD = -ldl
tests_programs_selects_CFLAGS = $(program_CFLAGS)
tests_programs_quota_CFLAGS = $(program_CFLAGS)
tests_programs_retitles_CFLAGS = $(program_CFLAGS)
tests_programs_rewrites_header_CFLAGS = $(program_CFLAGS)
tests_programs_rounds_CFLAGS = $(program_CFLAGS)
tests_programs_robbed_CFLAGS = $(program_CFLAGS)
tests_programs_sandbox_CFLAGS = $(program_CFLAGS)
tests_programs_sessions_CFLAGS = $(program_CFLAGS)
tests_programs_sanitized_CFLAGS = $(program_CFLAGS) -fsanitize=address
tests_programs_signal_at_birth_CFLAGS = $(program_CFLAGS)
tests_programs_slow_release_CFLAGS = $(program_CFLAGS)
tests_programs_slow_lock_CFLAGS = $(program_CFLAGS)
tests_programs_small_blocks_CFLAGS = $(program_CFLAGS)
tests_programs_spawner_CFLAGS = $(program_CFLAGS)
tests_programs_yields_CFLAGS = $(program_CFLAGS)
tests_programs_unannounced_CFLAGS = $(program_CFLAGS)
tests_programs_vforks_CFLAGS = $(program_CFLAGS)
tests_programs_uninterrupted_CFLAGS = $(program_CFLAGS)
tests_programs_unloads_CFLAGS = $(program_CFLAGS)
tests_programs_unloads_LDADD = -ldl
tests_programs_unwinds_CFLAGS = $(program_CFLAGS)

tests_programs_sanitized_LDFLAGS = $(AM_LDFLAGS) -fsanitize=address
# backtrace() and dladdr find the program's functions by name.
tests_programs_unwinds_LDFLAGS = $(AM_LDFLAGS) -rdynamic

tests_programs_entry_points_SOURCES = %D%/entry-points.c %D%/entry-points-file.c %D%/entry-points-io.c \
	%D%/entry-points-net.c %D%/entry-points-poll.c %D%/entry-points-stdio.c %D%/entry-points-syscall.c \
	%D%/entry-points-wait.c
tests_programs_entry_points_LDADD = -ldl -lrt
tests_programs_known_waits_SOURCES = %D%/known-waits.c %D%/known-waits-timed.c %D%/known-waits.h
tests_programs_annotated_fixed_SOURCES = %D%/annotated-sessions.c
tests_programs_annotated_fixed_CFLAGS = $(program_CFLAGS) -fno-pie
tests_programs_annotated_fixed_LDFLAGS = -no-pie
tests_programs_annotated_server_CFLAGS = $(program_CFLAGS)
tests_programs_annotated_sessions_CFLAGS = $(program_CFLAGS)
tests_programs_annotated_pool_CFLAGS = $(program_CFLAGS)
tests_programs_annotated_steps_SOURCES = %D%/annotated-steps.c tests/unwind/steps.c
tests_programs_annotated_steps_CFLAGS = $(program_CFLAGS)
tests_programs_annotated_torn_CFLAGS = $(program_CFLAGS)
tests_programs_annotated_ways_CFLAGS = $(program_CFLAGS)
tests_programs_annotations_CFLAGS = $(program_CFLAGS)
tests_programs_annotations_stress_CFLAGS = $(program_CFLAGS)
tests_programs_annotated_cxx_SOURCES = %D%/annotated-cxx.cpp
tests_programs_annotated_cxx_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread
tests_programs_annotated_cxx20_SOURCES = %D%/annotated-cxx20.cpp
tests_programs_annotated_cxx20_CXXFLAGS = $(AM_CXXFLAGS) -std=c++20 -g -pthread -fno-optimize-sibling-calls
tests_programs_cxx_objects_SOURCES = %D%/cxx-objects.cpp
tests_programs_cxx_objects_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread
tests_programs_cxx_threads_SOURCES = %D%/cxx-threads.cpp
tests_programs_cxx_threads_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread
tests_programs_heap_cxx_SOURCES = %D%/heap-cxx.cpp
tests_programs_heap_cxx_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -O1
tests_programs_long_names_SOURCES = %D%/long-names.cpp
tests_programs_long_names_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread
tests_programs_torture_SOURCES = %D%/torture.cpp
tests_programs_torture_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread
tests_programs_torture_LDADD = -ldl

# A shared library for certain, and a program that is no libtool wrapper script: the command under test runs it.
tests_programs_libearly_la_SOURCES = %D%/early-lib.c
tests_programs_libearly_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_libearly_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_libfirst_call_la_SOURCES = %D%/first-call-lib.c
tests_programs_libfirst_call_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_libfirst_call_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_libforeign_words_la_SOURCES = %D%/foreign-words-lib.c
tests_programs_libforeign_words_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_libforeign_words_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_liblate_helper_la_SOURCES = %D%/late-helper-lib.c
tests_programs_liblate_helper_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_liblate_helper_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_libslow_release_la_SOURCES = %D%/slow-release-lib.c
tests_programs_libslow_release_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_libslow_release_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
# The same library twice, but for a name.
toil_libs_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_libtoil_one_la_SOURCES = %D%/toil-lib.c
tests_programs_libtoil_one_la_CPPFLAGS = $(AM_CPPFLAGS) -DNAME=toil_one
tests_programs_libtoil_one_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_libtoil_one_la_LDFLAGS = $(toil_libs_LDFLAGS)
tests_programs_libtoil_two_la_SOURCES = %D%/toil-lib.c
tests_programs_libtoil_two_la_CPPFLAGS = $(AM_CPPFLAGS) -DNAME=toil_two
tests_programs_libtoil_two_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_libtoil_two_la_LDFLAGS = $(toil_libs_LDFLAGS)
tests_programs_libheap_early_la_SOURCES = %D%/heap-early-lib.c
tests_programs_libheap_early_la_CFLAGS = $(program_CFLAGS) -O0 -fvisibility=default
tests_programs_libheap_early_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
# Without a PLT: its slots come last, and the resolver calls malloc before.
tests_programs_libheap_ifunc_la_SOURCES = %D%/heap-ifunc-lib.c
tests_programs_libheap_ifunc_la_CFLAGS = $(program_CFLAGS) -O0 -fno-plt -fvisibility=default
tests_programs_libheap_ifunc_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_heap_ifunc_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_programs_heap_ifunc_LDADD = %D%/libheap-ifunc.la
tests_programs_heap_odd_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_programs_heap_odd_LDADD = %D%/libheap-early.la -ldl
tests_programs_liblocale_la_SOURCES = %D%/locale-lib.c
tests_programs_liblocale_la_CFLAGS = $(program_CFLAGS) -fvisibility=default
tests_programs_liblocale_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_locale_held_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_programs_locale_held_LDADD = %D%/liblocale.la
tests_programs_libloader_held_la_SOURCES = %D%/loader-held-lib.cpp
tests_programs_libloader_held_la_CXXFLAGS = $(AM_CXXFLAGS) -g -pthread -fvisibility=default
tests_programs_libloader_held_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_programs_early_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_programs_early_LDADD = %D%/libearly.la
tests_programs_first_call_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_programs_first_call_LDADD = %D%/libfirst-call.la
endif

EXTRA_DIST += %D%/annotated.py %D%/annotated.rs %D%/annotates.py %D%/annotates.rs %D%/crate-lock.rs %D%/glib-locks.c \
	%D%/musl.c %D%/parking_lot.rs %D%/waits.rs \
	%D%/arrows.h %D%/busy-threads.h %D%/entry-points.h %D%/goroutines.go \
	%D%/goroutines-cgo.go %D%/heap-own-operators.cpp %D%/heap-plugin.cpp %D%/heap-rust.rs %D%/new-generation.h \
	%D%/libc.h %D%/older.h %D%/own-spool.h %D%/program.h %D%/recording.h %D%/tally.h %D%/usdt-sites.h %D%/usdt.probes

include %D%/diseases/local.mk
