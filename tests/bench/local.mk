# Benchmarks: `make bench' prints what tracing adds, and writes bench.json.
if BUILD_PRELOAD
bench_programs = %D%/micro %D%/pairs
check_PROGRAMS += $(bench_programs)
tests_bench_micro_CFLAGS = $(AM_CFLAGS) -pthread
TESTS += %D%/bench.test

bench_ROUNDS = 5
bench: bench-micro
bench-micro: all $(bench_programs)
	%D%/pairs -n $(bench_ROUNDS) -o bench.json %D%/micro $(abs_top_builddir)/.libs/libthrace-preload.so
.PHONY: bench bench-micro
CLEANFILES += bench.json
endif
dist_check_SCRIPTS += %D%/bench.test

# libgotrace and Go's reader on the same trace.
check_PROGRAMS += %D%/read-trace
tests_bench_read_trace_SOURCES = %D%/read-trace.c
tests_bench_read_trace_LDADD = libgotrace.la
bench: bench-reader
bench-reader: all %D%/read-trace
	top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/reader
.PHONY: bench bench-reader
dist_check_SCRIPTS += %D%/reader
EXTRA_DIST += %D%/gentrace.go %D%/read-trace.go
