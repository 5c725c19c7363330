# libfinish: a spool becomes a trace.
noinst_LTLIBRARIES += libfinish.la
libfinish_la_SOURCES = \
	%D%/cut.c %D%/cut.h \
	%D%/finish.c %D%/finish.h \
	%D%/finish_as_v1.c %D%/finish_as_v1.h \
	%D%/finish_summary.c %D%/finish_summary.h \
	%D%/finish_switches.c %D%/finish_switches.h \
	%D%/finish_write.c %D%/finish_write.h \
	%D%/first_stacks.c %D%/first_stacks.h \
	%D%/heap_profile.c %D%/heap_profile.h \
	%D%/heap_types.c %D%/heap_types.h \
	%D%/lock_stats_write.c %D%/lock_stats_write.h \
	%D%/locks.c %D%/locks.h \
	%D%/objects.c %D%/objects.h \
	%D%/opening.c %D%/opening.h \
	%D%/orphaned_spools.c %D%/orphaned_spools.h \
	%D%/output.c %D%/output.h \
	%D%/process_life.c %D%/process_life.h \
	%D%/progress.c %D%/progress.h \
	%D%/recording.c %D%/recording.h \
	%D%/recording_frames.c %D%/recording_frames.h \
	%D%/record_cursor.c %D%/record_cursor.h \
	%D%/recording_locks.c %D%/recording_locks.h \
	%D%/recording_modules.c %D%/recording_modules.h \
	%D%/recording_objects.c %D%/recording_objects.h \
	%D%/recording_read.c %D%/recording_read.h \
	%D%/recording_records.c %D%/recording_records.h \
	%D%/recording_switches.c %D%/recording_switches.h \
	%D%/recording_symbols.c %D%/recording_symbols.h \
	%D%/samples.c %D%/samples.h \
	%D%/spool_claim.c %D%/spool_claim.h \
	%D%/spool_read.c %D%/spool_read.h \
	%D%/stack_table.c %D%/stack_table.h \
	%D%/symbol_cache.c %D%/symbol_cache.h \
	%D%/trace_path.c %D%/trace_path.h \
	%D%/trace_time.c %D%/trace_time.h
finish_LIBS = libfinish.la libexport.la libparser.la libsymbolize.la liblow.la
