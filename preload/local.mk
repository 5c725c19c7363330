# libthrace-preload.so: what is loaded into the traced program. See preload/tracer.h for its three rules.
if BUILD_PRELOAD
pkglib_LTLIBRARIES += libthrace-preload.la
libthrace_preload_la_SOURCES = \
	%D%/allocator.c %D%/allocator.h %D%/allocator.def \
	%D%/api.c \
	%D%/calls.c %D%/calls.h %D%/calls.def %D%/streams.def %D%/syscalls.def \
	%D%/control.c %D%/control.h \
	%D%/fds.c %D%/fds.h \
	%D%/finisher.c %D%/finisher.h \
	%D%/flight.c %D%/flight.h \
	%D%/generation.c %D%/generation.h \
	%D%/go.c %D%/go.h \
	%D%/heap.c %D%/heap.h %D%/heap_entry.h %D%/heap_sample.c %D%/heap_sample.h \
	%D%/helper.c %D%/helper.h \
	%D%/hook.c %D%/hook.h \
	%D%/lifecycle.c %D%/lifecycle.h \
	%D%/modules.c \
	%D%/openmp.c %D%/openmp.h %D%/openmp.def \
	%D%/operators.c %D%/operators.h %D%/operators.def \
	%D%/orders.c %D%/orders.h \
	%D%/own_spool.c %D%/own_spool.h \
	%D%/privileges.c %D%/privileges.h \
	%D%/real.c %D%/real.h %D%/real.def \
	%D%/restart.c \
	%D%/restart.h \
	%D%/sample.c %D%/sample.h \
	%D%/sample_kernel.c \
	%D%/sample_perf.c \
	%D%/session.c %D%/session.h %D%/session_state.h \
	%D%/session_chores.c \
	%D%/session_snapshot.c \
	%D%/session_stop.c \
	%D%/short_calls.c %D%/short_calls.h \
	%D%/thread.c %D%/thread_start.h \
	%D%/symbols.c %D%/symbols.h \
	%D%/tracer.c %D%/tracer.h \
	%D%/unseen.c %D%/unseen.h \
	%D%/valgrind.h \
	%D%/wait.c \
	%D%/wrap_affinity.c \
	%D%/wrap_barrier.c \
	%D%/wrap_c11.c \
	%D%/wrap_calls.c \
	%D%/wrap_cond.c \
	%D%/wrap_heap.c \
	%D%/wrap_mutex.c \
	%D%/wrap_new.c \
	%D%/wrap_once.c \
	%D%/wrap_openmp.c \
	%D%/wrap_process.c \
	%D%/wrap_rwlock.c \
	%D%/wrap_sem.c \
	%D%/wrap_signal.c \
	%D%/wrap_sleep.c \
	%D%/wrap_spin.c \
	%D%/wrap_stdio.c \
	%D%/wrap_syscall.c \
	%D%/wrap_thread.c \
	%D%/wrap_vfork.c
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
