# libattach: thrace's library, loaded into a process that runs.
noinst_LTLIBRARIES += libattach.la
libattach_la_SOURCES = \
	%D%/attach.c %D%/attach.h \
	%D%/code.c %D%/code.h \
	%D%/hurry.c %D%/hurry.h \
	%D%/library_there.c %D%/library_there.h \
	%D%/loader_locks.c %D%/loader_locks.h \
	%D%/place.c %D%/place.h \
	%D%/process_user.c %D%/process_user.h \
	%D%/remote_function.c %D%/remote_function.h \
	%D%/return_frame.c %D%/return_frame.h \
	%D%/stops.c %D%/stops.h \
	%D%/traced.h %D%/tracee.c %D%/tracee.h %D%/tracee_memory.c \
	%D%/waits.c %D%/waits.h \
	%D%/worker.c %D%/worker.h
