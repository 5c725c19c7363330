# libthrace-preload.so: what is loaded into the traced program. See preload/tracer.h for its three rules.
if BUILD_PRELOAD
pkglib_LTLIBRARIES += libthrace-preload.la
libthrace_preload_la_SOURCES = \
	%D%/heap/allocator.c %D%/heap/allocator.h %D%/heap/allocator.def \
	%D%/session/api.c \
	%D%/hooks/calls.c %D%/hooks/calls.h %D%/hooks/calls.def %D%/hooks/streams.def %D%/hooks/syscalls.def \
	%D%/session/control.c %D%/session/control.h \
	%D%/hooks/fds.c %D%/hooks/fds.h \
	%D%/session/finisher.c %D%/session/finisher.h \
	%D%/session/flight.c %D%/session/flight.h \
	%D%/generation.c %D%/generation.h \
	%D%/go.c %D%/go.h \
	%D%/heap/heap.c %D%/heap/heap.h %D%/heap/heap_entry.h %D%/heap/heap_sample.c %D%/heap/heap_sample.h \
	%D%/session/helper.c %D%/session/helper.h \
	%D%/hook.c %D%/hook.h \
	%D%/session/lifecycle.c %D%/session/lifecycle.h \
	%D%/modules.c \
	%D%/hooks/openmp.c %D%/hooks/openmp.h %D%/hooks/openmp.def \
	%D%/heap/operators.c %D%/heap/operators.h %D%/heap/operators.def \
	%D%/session/triggers.c %D%/session/triggers.h \
	%D%/session/own_spool.c %D%/session/own_spool.h \
	%D%/session/privileges.c %D%/session/privileges.h \
	%D%/real.c %D%/real.h %D%/real.def \
	%D%/sampler/retry.c \
	%D%/sampler/retry.h \
	%D%/sampler/sample.c %D%/sampler/sample.h \
	%D%/sampler/sample_kernel.c \
	%D%/sampler/sample_perf.c \
	%D%/session/session.c %D%/session/session.h %D%/session/session_state.h \
	%D%/session/session_maintain.c \
	%D%/session/session_snapshot.c \
	%D%/session/session_stop.c \
	%D%/short_calls.c %D%/short_calls.h \
	%D%/thread.c %D%/thread_start.h \
	%D%/symbols.c %D%/symbols.h \
	%D%/tracer.c %D%/tracer.h \
	%D%/session/unseen.c %D%/session/unseen.h \
	%D%/valgrind.h \
	%D%/wait.c \
	%D%/hooks/wrap_affinity.c \
	%D%/hooks/wrap_barrier.c \
	%D%/hooks/wrap_c11.c \
	%D%/hooks/wrap_calls.c \
	%D%/hooks/wrap_cond.c \
	%D%/heap/wrap_heap.c \
	%D%/hooks/wrap_mutex.c \
	%D%/heap/wrap_new.c \
	%D%/hooks/wrap_once.c \
	%D%/hooks/wrap_openmp.c \
	%D%/hooks/wrap_process.c \
	%D%/hooks/wrap_rwlock.c \
	%D%/hooks/wrap_sem.c \
	%D%/sampler/wrap_signal.c \
	%D%/hooks/wrap_sleep.c \
	%D%/hooks/wrap_spin.c \
	%D%/hooks/wrap_stdio.c \
	%D%/hooks/wrap_syscall.c \
	%D%/hooks/wrap_thread.c \
	%D%/hooks/wrap_vfork.c
# -fexceptions: cancellation and exceptions unwind through the wrappers and run their clean-ups.
libthrace_preload_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fasynchronous-unwind-tables -fno-stack-protector
libthrace_preload_la_CPPFLAGS = $(AM_CPPFLAGS) -DTHRACE_BINDIR='"$(bindir)"'
libthrace_preload_la_LIBADD = liblow.la
libthrace_preload_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,now -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/%D%/preload.map
libthrace_preload_la_DEPENDENCIES = liblow.la %D%/preload.map
endif
EXTRA_DIST += %D%/preload.map

thraceincludedir = $(includedir)/thrace
thraceinclude_HEADERS = include/thrace/session.h
