# The options of a recording, for the preloaded library and for the command.
liblow_la_SOURCES += \
	%D%/annotations.def \
	%D%/classes.def %D%/classes.h \
	%D%/options.c %D%/options.def %D%/options.h \
	%D%/out_path.c %D%/out_path.h \
	%D%/probe_actions.def \
	%D%/probes.c %D%/probes.h \
	%D%/spelling.c %D%/spelling.h \
	%D%/stack_kinds.def \
	%D%/values.c %D%/values.h
