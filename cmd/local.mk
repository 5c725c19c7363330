# The thrace command: one file a verb.
bin_PROGRAMS += thrace
thrace_SOURCES = %D%/main.c %D%/cmd.h %D%/verbs.def \
	%D%/convert.c \
	%D%/input.c %D%/input.h \
	%D%/print.c \
	%D%/raw.c \
	%D%/validate.c
thrace_LDADD = libparser.la
