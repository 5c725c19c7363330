# libthrace-preload.so: what is loaded into the traced program. preload/recorder.h has its three rules.
if BUILD_PRELOAD
pkglib_LTLIBRARIES += libthrace-preload.la
libthrace_preload_la_SOURCES = \
	%D%/active.c %D%/active.h \
	%D%/attributes.h \
	%D%/call_seen.c %D%/call_seen.h \
	%D%/calls.def \
	%D%/closing.c %D%/closing.h \
	%D%/config.c %D%/config.h \
	%D%/cpus.c %D%/cpus.h \
	%D%/delays.c %D%/delays.h \
	%D%/descriptors.c %D%/descriptors.h \
	%D%/expected.c %D%/expected.h \
	%D%/generation.c %D%/generation.h \
	%D%/glibc_words.h \
	%D%/go.c %D%/go.h \
	%D%/handles.c %D%/handles.h \
	%D%/held_signals.h \
	%D%/hook.c %D%/hook.h \
	%D%/introduce.c %D%/introduce.h \
	%D%/libc_words.c %D%/libc_words.h %D%/libc_words.def \
	%D%/lock_notes.c %D%/lock_notes.h \
	%D%/lock_stats.c %D%/lock_stats.h \
	%D%/maintenance.c %D%/maintenance.h \
	%D%/modules.c %D%/modules.h \
	%D%/moved.c %D%/moved.h \
	%D%/musl_weak.h \
	%D%/musl_words.h \
	%D%/object.h \
	%D%/object_frames.c %D%/object_frames.h \
	%D%/object_origins.c %D%/object_origins.h \
	%D%/objects.c %D%/objects.h \
	%D%/old_waiters.c %D%/old_waiters.h \
	%D%/perf.h \
	%D%/readable.h \
	%D%/real.c %D%/real.h %D%/real.def \
	%D%/recorder.c %D%/recorder.h \
	%D%/references.c %D%/references.h \
	%D%/resting.c %D%/resting.h \
	%D%/retry.h \
	%D%/say.c %D%/say.h \
	%D%/section.c %D%/section.h \
	%D%/service.c %D%/service.h \
	%D%/short_calls.c %D%/short_calls.h \
	%D%/snapshots.c %D%/snapshots.h \
	%D%/socket_address.c %D%/socket_address.h \
	%D%/streams.def \
	%D%/statuses.c %D%/statuses.h \
	%D%/symbols.c %D%/symbols.h \
	%D%/tasks.c %D%/tasks.h %D%/text_file.h \
	%D%/thread.c %D%/thread.h \
	%D%/thread_end.c %D%/thread_end.h \
	%D%/thread_name.c %D%/thread_name.h \
	%D%/thread_start.c %D%/thread_start.h \
	%D%/unseen.c %D%/unseen.h \
	%D%/upcalls.h \
	%D%/valgrind.h \
	%D%/wait.c %D%/wait.h \
	%D%/wrapper.c %D%/wrapper.h \
	%D%/annotate/annotate.c %D%/annotate/annotate.h \
	%D%/annotate/call_errors.c \
	%D%/annotate/defined.c %D%/annotate/defined.h \
	%D%/annotate/entries.c \
	%D%/annotate/event.h \
	%D%/annotate/itt.c %D%/annotate/itt.def %D%/annotate/itt_abi.h \
	%D%/annotate/itt_counters.c %D%/annotate/itt_counters.h \
	%D%/annotate/itt_objects.c %D%/annotate/itt_objects.h \
	%D%/annotate/names.c %D%/annotate/names.h \
	%D%/annotate/nvtx.c %D%/annotate/nvtx_abi.h \
	%D%/annotate/nvtx_categories.c %D%/annotate/nvtx_categories.h \
	%D%/annotate/object_names.c \
	%D%/annotate/open_tasks.c %D%/annotate/open_tasks.h \
	%D%/annotate/regions.c \
	%D%/heap/allocator.c %D%/heap/allocator.h %D%/heap/allocator.def \
	%D%/heap/heap.c %D%/heap/heap.h \
	%D%/heap/heap_hook.h \
	%D%/heap/heap_sample.c %D%/heap/heap_sample.h \
	%D%/heap/heap_setup.c %D%/heap/heap_setup.h \
	%D%/heap/operators.c %D%/heap/operators.h %D%/heap/operators.def \
	%D%/heap/wrap_heap.c %D%/heap/wrap_heap.h \
	%D%/heap/wrap_new.c \
	%D%/hooks/calls.c %D%/hooks/calls.h \
	%D%/hooks/counted_locks.c %D%/hooks/counted_locks.h \
	%D%/hooks/fds.c %D%/hooks/fds.h \
	%D%/hooks/locks.def \
	%D%/hooks/openmp.c %D%/hooks/openmp.h %D%/hooks/openmp.def \
	%D%/hooks/syscalls.def \
	%D%/hooks/wrap_affinity.c \
	%D%/hooks/wrap_barrier.c \
	%D%/hooks/wrap_c11.c \
	%D%/hooks/wrap_calls.c \
	%D%/hooks/wrap_cond.c \
	%D%/hooks/wrap_init.c \
	%D%/hooks/wrap_locks.c \
	%D%/hooks/wrap_mutex.c \
	%D%/hooks/wrap_once.c \
	%D%/hooks/wrap_openmp.c \
	%D%/hooks/wrap_process.c \
	%D%/hooks/wrap_rwlock.c \
	%D%/hooks/wrap_sem.c \
	%D%/hooks/wrap_sleep.c \
	%D%/hooks/wrap_spin.c \
	%D%/hooks/wrap_stdio.c \
	%D%/hooks/wrap_syscall.c \
	%D%/hooks/wrap_thread.c \
	%D%/hooks/wrap_trylock.c \
	%D%/hooks/wrap_vfork.c \
	%D%/probes/entry.c \
	%D%/probes/examiner.c %D%/probes/examiner.h \
	%D%/probes/fire.c %D%/probes/fire.h \
	%D%/probes/lines.c %D%/probes/lines.h \
	%D%/probes/notes.c %D%/probes/notes.h \
	%D%/probes/operands.c %D%/probes/operands.h \
	%D%/probes/patch.c %D%/probes/patch.h \
	%D%/probes/probes.c %D%/probes/probes.h \
	%D%/probes/trampoline.c %D%/probes/trampoline.h \
	%D%/sampler/retry.c %D%/sampler/retry.h \
	%D%/sampler/sample.c %D%/sampler/sample.h \
	%D%/sampler/sample_kernel.c %D%/sampler/sample_kernel.h \
	%D%/sampler/sample_perf.c %D%/sampler/sample_perf.h \
	%D%/sampler/sample_record.c %D%/sampler/sample_record.h \
	%D%/sampler/sample_timer.c %D%/sampler/sample_timer.h \
	%D%/sampler/sampler.c %D%/sampler/sampler.h \
	%D%/sampler/wrap_signal.c %D%/sampler/wrap_signal.h \
	%D%/session/api.c \
	%D%/session/attach.c \
	%D%/session/begin.c %D%/session/begin.h \
	%D%/session/control.c %D%/session/control.h \
	%D%/session/finisher.c %D%/session/finisher.h \
	%D%/session/flight.c %D%/session/flight.h \
	%D%/session/forbidden.c %D%/session/forbidden.h \
	%D%/session/fork.c %D%/session/fork.h \
	%D%/session/helper.c %D%/session/helper.h \
	%D%/session/lifecycle.c \
	%D%/session/maintain.c %D%/session/maintain.h \
	%D%/session/own_spool.c %D%/session/own_spool.h \
	%D%/session/own_threads.c %D%/session/own_threads.h \
	%D%/session/privileges.c %D%/session/privileges.h \
	%D%/session/slots.c %D%/session/slots.h \
	%D%/session/snapshot.c %D%/session/snapshot.h \
	%D%/session/start.c %D%/session/start.h \
	%D%/session/state.c %D%/session/state.h \
	%D%/session/stop.c %D%/session/stop.h \
	%D%/session/triggers.c %D%/session/triggers.h \
	%D%/session/upcalls.c \
	%D%/switches/asleep.c %D%/switches/asleep.h \
	%D%/switches/online_cpus.c %D%/switches/online_cpus.h \
	%D%/switches/perf_ring.h \
	%D%/switches/tid_set.h \
	%D%/switches/rings.c %D%/switches/rings.h \
	%D%/switches/schedstat.c %D%/switches/schedstat.h \
	%D%/switches/switches.c %D%/switches/switches.h \
	%D%/switches/wakings.c %D%/switches/wakings.h
# -fexceptions: cancellation and exceptions unwind through the wrappers and run their clean-ups.
libthrace_preload_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fasynchronous-unwind-tables -fno-stack-protector
libthrace_preload_la_CPPFLAGS = $(AM_CPPFLAGS) -DTHRACE_BINDIR='"$(bindir)"'
libthrace_preload_la_LIBADD = libadmit.la liblow.la

noinst_LTLIBRARIES += libadmit.la
libadmit_la_SOURCES = %D%/probes/admit.c
libadmit_la_CFLAGS = $(libthrace_preload_la_CFLAGS) $(NO_VECTORS)
libthrace_preload_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,now -Wl,-z,nodelete \
	$(WRAPPED_LIBS) -Wl,--version-script=$(srcdir)/%D%/preload.map
libthrace_preload_la_DEPENDENCIES = libadmit.la liblow.la %D%/preload.map

# Packages are built with checks that abort, which nothing of ours may do in a program that is not ours.
$(libthrace_preload_la_OBJECTS) $(libadmit_la_OBJECTS) $(liblow_la_OBJECTS): override CFLAGS += $(NO_ABORTS)
NO_ABORTS = -fno-stack-protector -Wp,-U_FORTIFY_SOURCE

# The same once more, for programs of musl. It names no libc: a program of glibc's that inherits it has to start.
if HAVE_MUSL
pkgmusldir = $(pkglibdir)/musl
pkgmusl_DATA = .libs/musl/libthrace-preload.so
musl_objects = $(patsubst %.c,musl-objects/%.o,$(filter %.c,$(libthrace_preload_la_SOURCES) $(libadmit_la_SOURCES) \
	$(liblow_la_SOURCES)))
# What only glibc has is not declared.
musl_CFLAGS = -std=gnu11 $(WARNINGS) -Wno-missing-prototypes -fvisibility=hidden -fPIC \
	-fasynchronous-unwind-tables $(CFLAGS) $(NO_ABORTS)
.libs/musl/libthrace-preload.so: $(musl_objects)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(MUSL_GCC) -nostdlib -shared -Wl,-z,now -Wl,-z,nodelete -Wl,--eh-frame-hdr \
		-Wl,--build-id -o $@ $(musl_objects) -lgcc
musl-objects/%.o: %.c %D%/musl_weak.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(MUSL_GCC) $(libthrace_preload_la_CPPFLAGS) $(MUSL_HEADERS) $(musl_CFLAGS) \
		-include preload/musl_weak.h $(if $(findstring admit,$<),$(NO_VECTORS)) -MMD -c -o $@ $<
-include $(musl_objects:.o=.d)
CLEANFILES += .libs/musl/libthrace-preload.so
endif

# Loaded by that one, in a program whose probes are asked for, while it starts.
if HAVE_ZYDIS
pkglib_LTLIBRARIES += libthrace-usdt.la
libthrace_usdt_la_SOURCES = $(examiner_sources)
libthrace_usdt_la_CFLAGS = $(AM_CFLAGS) $(ZYDIS_CFLAGS)
libthrace_usdt_la_LIBADD = liblow.la $(ZYDIS_LIBS)
libthrace_usdt_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,now
endif
endif
clean-local: clean-musl
clean-musl:
	rm -rf musl-objects

examiner_sources = \
	%D%/examiner/decode.c %D%/examiner/decode.h \
	%D%/examiner/examine.c %D%/examiner/examine.h \
	%D%/examiner/image.c %D%/examiner/image.h \
	%D%/examiner/landing.c %D%/examiner/landing.h \
	%D%/examiner/reach.c %D%/examiner/reach.h \
	%D%/examiner/site.h
EXTRA_DIST += $(examiner_sources)
EXTRA_DIST += %D%/preload.map

thraceincludedir = $(includedir)/thrace
thraceinclude_HEADERS = include/thrace/annotate.h include/thrace/coroutine.h include/thrace/session.h \
	include/thrace/thrace.py include/thrace/thrace.rs
