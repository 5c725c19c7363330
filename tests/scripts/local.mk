# Tests of the tree itself.
scripts_tests = \
	%D%/attempt.test \
	%D%/check-deps.test \
	%D%/check-docs.test \
	%D%/install-deps.test \
	%D%/line-coverage.test \
	%D%/long-forms.test \
	%D%/make-against-the-kernel.test \
	%D%/make-performance.test \
	%D%/mutate.test

TESTS += $(scripts_tests)
dist_check_SCRIPTS += $(scripts_tests)
