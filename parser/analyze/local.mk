# libanalyze: what the events of a trace add up to, by way of the public reader.
noinst_LTLIBRARIES += libanalyze.la
libanalyze_la_SOURCES = \
	%D%/blame.c %D%/blame.h \
	%D%/blame_sums.c %D%/blame_sums.h \
	%D%/consumer.c %D%/consumer.h \
	%D%/cpu.c %D%/cpu.h \
	%D%/diff.c %D%/diff.h \
	%D%/diff_collect.c %D%/diff_collect.h \
	%D%/diff_rows.c %D%/diff_rows.h \
	%D%/folded.c %D%/folded.h \
	%D%/needs.c %D%/needs.h \
	%D%/place.h \
	%D%/critical.c %D%/critical.h \
	%D%/findings.c %D%/findings.def %D%/findings.h \
	%D%/findings_holds.c \
	%D%/findings_judge.c %D%/findings_judge.h \
	%D%/findings_locks.c \
	%D%/findings_naps.c \
	%D%/findings_queue.c \
	%D%/findings_signals.c \
	%D%/findings_state.h \
	%D%/findings_threads.c \
	%D%/findings_waits.c %D%/findings_waits.h \
	%D%/frames.c %D%/frames.h \
	%D%/span_filter.c %D%/span_filter.h \
	%D%/span_learn.c %D%/span_learn.h \
	%D%/thread_filter.c %D%/thread_filter.h \
	%D%/lock_stats.c %D%/lock_stats.h \
	%D%/migrations.c %D%/migrations.h \
	%D%/path_collect.c %D%/path_collect.h \
	%D%/path_find.c %D%/path_find.h \
	%D%/path_log.c %D%/path_log.h \
	%D%/path_saves.c %D%/path_saves.h \
	%D%/path_sums.c %D%/path_sums.h \
	%D%/profile.c %D%/profile.h \
	%D%/stack_store.c %D%/stack_store.h \
	%D%/path_walk.c %D%/path_walk.h \
	%D%/phases.c %D%/phases.h \
	%D%/resample.c %D%/resample.h \
	%D%/run_queue.c %D%/run_queue.h \
	%D%/spans.c %D%/spans.h \
	%D%/spread.c %D%/spread.h \
	%D%/stat_collect.c %D%/stat_collect.h \
	%D%/stat_groups.c %D%/stat_groups.h \
	%D%/stat_threads.c %D%/stat_threads.h \
	%D%/stat_text.c %D%/stat_text.h \
	%D%/tasks.c %D%/tasks.h \
	%D%/tasks_work.c %D%/tasks_work.h
libanalyze_la_LIBADD = -lm
