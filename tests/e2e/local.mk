# Programs recorded from start to end; tests/traps does the same with programs that break other tracers.
e2e_tests = \
	%D%/against-kernel.test \
	%D%/annotations.test \
	%D%/annotations-languages.test \
	%D%/anonymise.test \
	%D%/bounds.test \
	%D%/call-errors.test \
	%D%/call-objects.test \
	%D%/suspended.test \
	%D%/control.test \
	%D%/cpu.test \
	%D%/critical.test \
	%D%/crowds.test \
	%D%/diff.test \
	%D%/diseases.test \
	%D%/entry-points.test \
	%D%/exits.test \
	%D%/export.test \
	%D%/export-firefox.test \
	%D%/export-perfetto.test \
	%D%/export-sqlite.test \
	%D%/export-tables.test \
	%D%/finish.test \
	%D%/first-look.test \
	%D%/flight.test \
	%D%/gather.test \
	%D%/heap.test \
	%D%/heap-matrix.test \
	%D%/heap-profile.test \
	%D%/help.test \
	%D%/idle.test \
	%D%/install.test \
	%D%/itt.test \
	%D%/kills.test \
	%D%/libc-words.test \
	%D%/lock-libraries.test \
	%D%/lock-stats.test \
	%D%/locks.test \
	%D%/merge.test \
	%D%/musl.test \
	%D%/nvtx.test \
	%D%/objects.test \
	%D%/old-versions.test \
	%D%/options.test \
	%D%/preload.test \
	%D%/attach.test %D%/attach-annotations.test %D%/attach-elsewhere.test %D%/attach-heap.test \
	%D%/attach-known.test %D%/attach-flight.test %D%/attach-killed.test \
	%D%/attach-switches.test %D%/attach-waits.test %D%/attachments.test \
	%D%/production.test \
	%D%/record.test \
	%D%/regions.test \
	%D%/rounds.test \
	%D%/seeds.test \
	%D%/sessions.test \
	%D%/stacks.test %D%/stacks-core.test %D%/top.test %D%/top-attach.test \
	%D%/hotplug.test \
	%D%/soak.test \
	%D%/stat.test \
	%D%/status.test \
	%D%/steals.test \
	%D%/subjects.test \
	%D%/sums.test \
	%D%/switches.test \
	%D%/wakers.test \
	%D%/symbols.test \
	%D%/tasks.test \
	%D%/terminal.test \
	%D%/threads.test \
	%D%/trim.test \
	%D%/tutorial.test \
	%D%/usdt.test \
	%D%/usdt-postgres.test \
	%D%/view.test \
	%D%/waits.test

TESTS += $(e2e_tests)
dist_check_SCRIPTS += $(e2e_tests)
EXTRA_DIST += %D%/Digests.java %D%/digests.py %D%/browser.py %D%/export-pages.py %D%/export-sqlite.py %D%/export-sums.py %D%/export-tables.py \
	%D%/attached.sh %D%/exports.sh %D%/firefox.py %D%/lib.sh %D%/page.py %D%/perfetto.py %D%/switches.sh %D%/top-terminal.py \
	%D%/view-page.py %D%/view-timeline.py

# Holds a trace against what tests/programs/tally did.
check_PROGRAMS += %D%/check-tally
tests_e2e_check_tally_SOURCES = %D%/check-tally.c
tests_e2e_check_tally_LDADD = libparser.la
