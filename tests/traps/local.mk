# Known ways in which a preloaded tracer breaks its host: one file for those that share programs.
trap_tests = \
	%D%/descriptors.test \
	%D%/jumping.test \
	%D%/loading.test \
	%D%/old-symbols.test \
	%D%/processes.test \
	%D%/samples.test \
	%D%/strangers.test \
	%D%/torture.test

TESTS += $(trap_tests)
dist_check_SCRIPTS += $(trap_tests)
