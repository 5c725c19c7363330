# libstacks: what the threads of a process that runs do, by its stacks.
noinst_LTLIBRARIES += libstacks.la
libstacks_la_SOURCES = \
	%D%/core.c %D%/core.h \
	%D%/deadlock.c %D%/deadlock.h \
	%D%/descriptor.c %D%/descriptor.h \
	%D%/joined.c %D%/joined.h \
	%D%/lock_layout.h \
	%D%/look.c %D%/look.h \
	%D%/modules.c %D%/modules.h \
	%D%/process.c %D%/process.h \
	%D%/report.c %D%/report.h \
	%D%/restarts.c %D%/restarts.h \
	%D%/stop.c %D%/stop.h \
	%D%/thread.c %D%/thread.h \
	%D%/threads.c %D%/threads.h \
	%D%/wait.c %D%/wait.h
