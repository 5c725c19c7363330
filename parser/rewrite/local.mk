# Events that were read as a new trace: for the verbs that make a trace of traces.
libparser_la_SOURCES += \
	%D%/align.c %D%/align.h \
	%D%/anonymise.c %D%/anonymise.h \
	%D%/distinct.c %D%/distinct.h \
	%D%/kept_stacks.c %D%/kept_stacks.h \
	%D%/merge.h %D%/merge_events.c \
	%D%/merge_learn.c \
	%D%/merge_steps.h \
	%D%/merge_turns.c \
	%D%/pseudonyms.c %D%/pseudonyms.h \
	%D%/public_names.c %D%/public_names.h \
	%D%/rewriter.c %D%/rewriter.h \
	%D%/statuses.c \
	%D%/steps.h \
	%D%/stretch.c \
	%D%/switches.h \
	%D%/switches_delays.c %D%/switches_delays.h \
	%D%/switches_learn.c %D%/switches_learner.h \
	%D%/switches_locks.c \
	%D%/switches_merge.c \
	%D%/switches_model.c %D%/switches_model.h \
	%D%/switches_queues.c %D%/switches_queues.h \
	%D%/switches_wakers.c \
	%D%/switches_moves.c %D%/switches_moves.h \
	%D%/thread_switch.h \
	%D%/trim.h \
	%D%/trim_gos.c \
	%D%/trim_procs.c
