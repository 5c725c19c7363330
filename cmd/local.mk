# The thrace command: one file a verb.
bin_PROGRAMS += thrace
thrace_SOURCES = %D%/main.c %D%/cmd.h %D%/verbs.def \
	%D%/arguments.c %D%/arguments.h \
	%D%/control.c %D%/control_client.c %D%/control_client.h \
	%D%/control_list.c %D%/control_list.h \
	%D%/convert.c \
	%D%/cut.c %D%/cut.h \
	%D%/export.c \
	%D%/finish.c %D%/finish.h %D%/finish_report.c %D%/finish_write.c %D%/finish_write.h \
	%D%/first_stacks.c %D%/first_stacks.h \
	%D%/gather.c %D%/gather.h \
	%D%/heap_in_trace.c %D%/heap_in_trace.h \
	%D%/heap_pprof.c %D%/heap_pprof.h \
	%D%/heap_profile.c %D%/heap_profile.h \
	%D%/heap_types.c %D%/heap_types.h \
	%D%/input.c %D%/input.h \
	%D%/golden.c \
	%D%/left_spools.c %D%/left_spools.h \
	%D%/opening.c %D%/opening.h \
	%D%/place.h \
	%D%/output.c %D%/output.h \
	%D%/print.c \
	%D%/process_life.c %D%/process_life.h \
	%D%/raw.c \
	%D%/record.c %D%/record_options.c %D%/record_options.h \
	%D%/progress.c %D%/progress.h \
	%D%/recording.c %D%/recording.h %D%/recording_frames.c %D%/recording_modules.c \
	%D%/recording_records.c %D%/recording_records.h \
	%D%/samples.c %D%/samples.h \
	%D%/spool_claim.c %D%/spool_claim.h \
	%D%/spool_read.c %D%/spool_read.h \
	%D%/stat.c %D%/stat.h \
	%D%/stat_collect.c %D%/stat_collect.h \
	%D%/stat_groups.c %D%/stat_groups.h \
	%D%/stat_report.c %D%/stat_report.h \
	%D%/stat_text.c %D%/stat_text.h \
	%D%/symbol_cache.c %D%/symbol_cache.h \
	%D%/table.c %D%/table.h \
	%D%/target.c %D%/target.h \
	%D%/trace_time.c %D%/trace_time.h \
	%D%/validate.c
thrace_CPPFLAGS = $(AM_CPPFLAGS) -DTHRACE_PKGLIBDIR='"$(pkglibdir)"'
thrace_LDADD = libparser.la libsymbolize.la liblow.la $(PPROF_LIBS) -lm

EXTRA_DIST += %D%/profile.proto
if HAVE_PPROF
nodist_thrace_SOURCES = %D%/profile.pb-c.c
BUILT_SOURCES += %D%/profile.pb-c.h
CLEANFILES += %D%/profile.pb-c.c %D%/profile.pb-c.h
%D%/profile.pb-c.h: %D%/profile.proto
	$(AM_V_GEN)$(MKDIR_P) %D% && $(PROTOC_C) --c_out=. -I$(srcdir) $(srcdir)/%D%/profile.proto
%D%/profile.pb-c.c: %D%/profile.pb-c.h
endif
