# The thrace command: the verbs, and what they print. The code below them is in the folders, each a library of its own.
# What is compiled in: bytes as C has them between braces.
as_bytes = od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g'
include %D%/attach/local.mk
include %D%/export/local.mk
include %D%/finish/local.mk
include %D%/golden/local.mk
include %D%/stacks/local.mk
include %D%/top/local.mk
include %D%/view/local.mk

# libreport: what verbs complain and report with: text for a terminal, or JSON and CSV.
noinst_LTLIBRARIES += libreport.la
libreport_la_SOURCES = \
	%D%/complain.c %D%/complain.h \
	%D%/lines.c %D%/lines.h \
	%D%/report.c %D%/report.h \
	%D%/span_options.c %D%/span_options.h \
	%D%/table.c %D%/table.h %D%/table_sort.c %D%/table_data.c %D%/table_data.h \
	%D%/terminal.c %D%/terminal.h
libreport_la_LIBADD = libexport.la

bin_PROGRAMS += thrace
thrace_SOURCES = %D%/main.c %D%/verbs.def %D%/verbs.h \
	%D%/anonymise.c \
	%D%/apart.c %D%/apart.h \
	%D%/arguments.c %D%/arguments.h \
	%D%/attach.c %D%/attachment.c %D%/attachment.h \
	%D%/binary.c %D%/binary.h \
	%D%/common_folder.c %D%/common_folder.h \
	%D%/control.c %D%/control_client.c %D%/control_client.h %D%/control_trace.c %D%/control_trace.h \
	%D%/control_list.c %D%/control_list.h \
	%D%/convert.c \
	%D%/critical.c %D%/critical_parts.c %D%/critical_parts.h %D%/critical_report.c %D%/critical_report.h \
	%D%/diff.c %D%/diff_conditions.c %D%/diff_conditions.h %D%/diff_html.c %D%/diff_html.h \
	%D%/diff_report.c %D%/diff_report.h \
	%D%/export.c \
	%D%/filter.c %D%/filter.h \
	%D%/finish.c \
	%D%/finish_report.c %D%/finish_report.h \
	%D%/flush.c %D%/flush.h \
	%D%/gather.c %D%/gather.h \
	%D%/golden.c \
	%D%/input.c %D%/input.h \
	%D%/library.c %D%/library.h \
	%D%/merge.c %D%/merge_inputs.c %D%/merge_inputs.h \
	%D%/network.c %D%/network.h \
	%D%/pid_file.c %D%/pid_file.h \
	%D%/print.c %D%/print_v1.c %D%/print_v1.h \
	%D%/raw.c \
	%D%/record.c %D%/record_options.c %D%/record_options.h %D%/record_probes.c %D%/record_probes.h \
	%D%/record_place.c %D%/record_place.h \
	%D%/stacks.c \
	%D%/top.c %D%/top.h %D%/top_keys.c \
	%D%/stat.c %D%/stat.h \
	%D%/stat_cpu.c %D%/stat_cpu.h \
	%D%/stat_heap.c %D%/stat_heap.h \
	%D%/stat_lock_stats.c %D%/stat_lock_stats.h \
	%D%/finding_text.c %D%/finding_text.h \
	%D%/stat_findings.c %D%/stat_findings.h \
	%D%/stat_locks.c %D%/stat_locks.h \
	%D%/stat_run_queue.c %D%/stat_run_queue.h \
	%D%/stat_owners.c %D%/stat_owners.h \
	%D%/stat_parts.c %D%/stat_parts.h \
	%D%/stat_report.c %D%/stat_report.h \
	%D%/stat_rows.c %D%/stat_rows.h \
	%D%/stat_syscalls.c %D%/stat_syscalls.h \
	%D%/stat_threads.c %D%/stat_threads.h \
	%D%/stat_wakers.c %D%/stat_wakers.h \
	%D%/stat_waits.c %D%/stat_waits.h \
	%D%/stat_tasks.c %D%/stat_tasks.h \
	%D%/target.c %D%/target.h \
	%D%/trim.c \
	%D%/v1_losses.c %D%/v1_losses.h \
	%D%/validate.c \
	%D%/view.c %D%/view.h \
	%D%/visit.c %D%/visit.h
thrace_CPPFLAGS = $(AM_CPPFLAGS) -DTHRACE_PKGLIBDIR='"$(pkglibdir)"'
thrace_LDADD = libattach.la libtop.la libstacks.la libreport.la libview.la libanalyze.la libgolden.la $(finish_LIBS)

# Where shells look for it, if they have the same prefix.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = %D%/completion/thrace.bash
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = %D%/completion/_thrace
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = %D%/completion/thrace.fish
