# Benchmarks: `make bench' prints what tracing adds, what reading and symbols cost, and writes bench.json.
bench_targets = bench-reader bench-stack
if BUILD_PRELOAD
bench_targets += bench-micro bench-heap bench-samples bench-subjects
endif
bench: $(bench_targets)
.PHONY: bench bench-heap bench-micro bench-reader bench-samples bench-stack bench-subjects

if BUILD_PRELOAD
bench_programs = %D%/micro %D%/pairs
check_PROGRAMS += $(bench_programs)
tests_bench_micro_CFLAGS = $(AM_CFLAGS) -pthread
TESTS += %D%/bench.test

bench_ROUNDS = 5
bench-micro: all $(bench_programs)
	%D%/pairs -n $(bench_ROUNDS) -o bench.json %D%/micro $(abs_top_builddir)/.libs/libthrace-preload.so
CLEANFILES += bench.json

# The allocator, beside its profilers.
bench-heap: all $(bench_programs)
	top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/heap -n $(bench_ROUNDS)

# What CPU samples cost, and whether they come as often as asked.
check_PROGRAMS += %D%/cpu-deep
tests_bench_cpu_deep_SOURCES = %D%/cpu-deep.c %D%/floor.c %D%/floor.h
tests_bench_cpu_deep_CFLAGS = $(AM_CFLAGS) -pthread
bench-samples: all %D%/cpu-deep
	top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/samples

# Whole programs under load.
bench-subjects: all
	top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/subjects -n $(bench_ROUNDS)
endif
dist_check_SCRIPTS += %D%/heap %D%/samples %D%/subjects
dist_check_SCRIPTS += %D%/bench.test

# libgotrace and Go's reader on the same trace.
check_PROGRAMS += %D%/read-trace
tests_bench_read_trace_SOURCES = %D%/read-trace.c
tests_bench_read_trace_LDADD = libgotrace.la
bench-reader: all %D%/read-trace
	top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/reader
dist_check_SCRIPTS += %D%/reader
EXTRA_DIST += %D%/gentrace.go %D%/read-trace.go

# What a stack costs, against libunwind, glibc and a frame-pointer walk.
check_LTLIBRARIES += %D%/libchain-cfi.la %D%/libchain-fp.la
tests_bench_libchain_cfi_la_SOURCES = %D%/chain-cfi.c %D%/chain.h
tests_bench_libchain_fp_la_SOURCES = %D%/chain-fp.c %D%/chain.h
$(tests_bench_libchain_cfi_la_OBJECTS): override CFLAGS = -O2 -fomit-frame-pointer
$(tests_bench_libchain_fp_la_OBJECTS): override CFLAGS = -O2 -fno-omit-frame-pointer

check_PROGRAMS += %D%/stack
tests_bench_stack_SOURCES = %D%/stack.c
tests_bench_stack_CPPFLAGS = $(AM_CPPFLAGS)
tests_bench_stack_LDADD = %D%/libchain-cfi.la %D%/libchain-fp.la liblow.la -lpthread -ldl
if HAVE_LIBUNWIND
tests_bench_stack_CPPFLAGS += -DHAVE_LIBUNWIND $(UNWIND_CFLAGS)
tests_bench_stack_LDADD += $(UNWIND_LIBS)
endif
bench-stack: %D%/stack$(EXEEXT)
	%D%/stack$(EXEEXT)

# Whether every way still finds the frames; sanitizers make frames of their own.
if BUILD_PRELOAD
TESTS += %D%/stack.test
endif
dist_check_SCRIPTS += %D%/stack.test
