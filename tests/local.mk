# Every test prints TAP, so that a suite counts test cases and not files.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .test
TEST_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/attempt
TEST_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	THRACE_SYMBOL_CACHE=0; export THRACE_SYMBOL_CACHE; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir;

EXTRA_DIST += %D%/README.md %D%/attempt %D%/judge.sh %D%/processes.sh %D%/tap.sh %D%/tasks.sh
EXTRA_DIST += %D%/mutants/README.md %D%/mutants/cmd %D%/mutants/cmd-attach %D%/mutants/cmd-stacks %D%/mutants/cmd-top %D%/mutants/cmd-view %D%/mutants/lib %D%/mutants/lib-sched \
	%D%/mutants/lib-spool %D%/mutants/parser-rewrite \
	%D%/mutants/lib-symbolize %D%/mutants/lib-threads %D%/mutants/lib-unwind %D%/mutants/parser %D%/mutants/parser-analyze \
	%D%/mutants/parser-findings %D%/mutants/parser-as_v1 %D%/mutants/parser-as_v2 %D%/mutants/parser-from_v1 %D%/mutants/parser-v1 \
	%D%/mutants/preload %D%/mutants/preload-annotate %D%/mutants/preload-examiner %D%/mutants/preload-objects \
	%D%/mutants/preload-probes %D%/mutants/preload-sync

# The tests that are scripts, and the programs that these run: of the tests that are programs, two.
tests_of_scripts =
check-scripts: all
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(filter %.test,$(TESTS))' \
	    check_PROGRAMS='$(filter-out $(TESTS),$(check_PROGRAMS)) $(tests_of_scripts)'
.PHONY: check-scripts

include %D%/coverage/local.mk
include %D%/unit/local.mk
include %D%/unwind/local.mk
include %D%/parser/local.mk
include %D%/v1/local.mk
include %D%/scripts/local.mk
include %D%/models/local.mk
include %D%/litmus/local.mk
include %D%/go/local.mk
include %D%/programs/local.mk
include %D%/bench/local.mk
include %D%/kernel/local.mk
include %D%/e2e/local.mk
include %D%/traps/local.mk
include %D%/faults/local.mk
include %D%/subjects/local.mk
include %D%/gauntlet/local.mk

include %D%/golden/local.mk
include %D%/fuzz/local.mk
include %D%/symbolize/local.mk
