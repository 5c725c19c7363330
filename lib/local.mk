# liblow: also runs inside the traced process. No malloc, no stdio, no locks of libc; scripts/check-deps sees to it.
noinst_LTLIBRARIES += liblow.la
liblow_la_SOURCES = \
	%D%/clock.c %D%/clock.h \
	%D%/control.c %D%/control.h \
	%D%/errnos.def %D%/errnos.h \
	%D%/gate.c %D%/gate.h \
	%D%/lock.h %D%/lock_stats.h %D%/losses.def %D%/losses.h %D%/meta.h %D%/rawsys.h %D%/reasons.def \
	%D%/objects.def %D%/objects.h \
	%D%/sched.c %D%/sched.h \
	%D%/sched_proc.c %D%/sched_proc.h %D%/sched_txn.h \
	%D%/spool.c %D%/spool.h \
	%D%/spool_mapped.c %D%/spool_ring.c %D%/spool_file.h \
	%D%/stacktab.c %D%/stacktab.h \
	%D%/suspensions.c %D%/suspensions.h \
	%D%/switch_kind.h \
	%D%/text.h \
	%D%/waitq.c %D%/waitq.h

include %D%/options/local.mk
include %D%/wire/local.mk
include %D%/unwind/local.mk
include %D%/symbolize/local.mk
