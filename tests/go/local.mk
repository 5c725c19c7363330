# The judge: Go's reader as an independent opinion on our traces. tests/e2e/lib.sh builds it when Go is there.
TESTS += %D%/judge.test %D%/differential.test
dist_check_SCRIPTS += %D%/judge.test %D%/differential.test
EXTRA_DIST += \
	%D%/differ/judge.go \
	%D%/differ/main.go \
	%D%/differ/mutate.go \
	%D%/expect.go \
	%D%/go.mod \
	%D%/go.sum \
	%D%/annotations.go \
	%D%/history.go \
	%D%/judge_test.go \
	%D%/main.go \
	%D%/strict.go

clean-local: clean-judge
clean-judge:
	rm -f %D%/judge %D%/judge-*
