# libtop: a recording, followed while its process runs.
noinst_LTLIBRARIES += libtop.la
libtop_la_SOURCES = \
	%D%/cpu_times.c %D%/cpu_times.h \
	%D%/find_spool.c %D%/find_spool.h \
	%D%/follow.c %D%/follow.h \
	%D%/held_batches.c %D%/held_batches.h \
	%D%/holders.c %D%/holders.h \
	%D%/lasting_records.c %D%/lasting_records.h \
	%D%/open_waits.c %D%/open_waits.h \
	%D%/screen.c %D%/screen.h \
	%D%/terminal_mode.c %D%/terminal_mode.h \
	%D%/window.c %D%/window.h
