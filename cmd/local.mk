# The thrace command: one file a verb.
bin_PROGRAMS += thrace
thrace_SOURCES = %D%/main.c %D%/cmd.h %D%/verbs.def \
	%D%/raw.c
thrace_LDADD = libgotraceraw.la liblow.la
