# Benchmarks. `make bench' runs all parts, prints their tables and leaves the figures in bench.json, of which
# scripts/make-performance makes docs/performance.md; `make bench-PART' runs one and prints.
bench_ROUNDS = 5
bench_QUICK =
bench_parts = reader reader-v1 stack symbolize
if BUILD_PRELOAD
bench_parts += recorder instructions once threads heap samples exports stacks subjects peers
endif
bench_run = top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/run $(bench_QUICK) -n $(bench_ROUNDS)
bench: all $(bench_programs)
	$(bench_run) -o bench.json $(bench_PARTS)
bench-recorder bench-instructions bench-once bench-threads bench-heap bench-samples bench-subjects bench-peers \
bench-reader bench-reader-v1 bench-exports bench-stack bench-stacks bench-symbolize: all $(bench_programs)
	$(bench_run) -o $@.json $(@:bench-%=%)
.PHONY: bench bench-recorder bench-instructions bench-once bench-threads bench-heap bench-samples bench-subjects \
	bench-peers bench-reader bench-reader-v1 bench-exports bench-stack bench-stacks bench-symbolize
CLEANFILES += bench.json bench-*.json
if BUILD_PRELOAD
bench_PARTS =
else
bench_PARTS = $(bench_parts)
endif
dist_check_SCRIPTS += %D%/diff-alarms %D%/exports %D%/heap %D%/instructions %D%/once %D%/peer %D%/peers %D%/reader %D%/reader-v1 %D%/recorder %D%/run %D%/samples \
	%D%/stacks %D%/subjects %D%/symbolize %D%/threads
EXTRA_DIST += %D%/lib.sh %D%/budget
# What regions are compared with: programs that tests/bench/peers has cargo build.
EXTRA_DIST += \
	%D%/zones/Cargo.lock \
	%D%/zones/Cargo.toml \
	%D%/zones/src/bin/perfetto.rs \
	%D%/zones/src/bin/tracy.rs \
	%D%/zones/src/lib.rs

bench_programs = %D%/read-trace %D%/many-generations %D%/stack tests/symbolize/symbolize-tool
if BUILD_PRELOAD
recorder_bench_programs = %D%/micro %D%/turns %D%/footprint %D%/pause %D%/scale %D%/hot-paths %D%/cpu-deep %D%/looked-at %D%/tracef
bench_programs += $(recorder_bench_programs)
check_PROGRAMS += $(recorder_bench_programs)
tests_bench_micro_CFLAGS = $(AM_CFLAGS) -pthread
tests_bench_footprint_CFLAGS = $(AM_CFLAGS) -pthread
tests_bench_tracef_LDADD = -ldl
tests_bench_pause_SOURCES = %D%/pause.c %D%/held_up.h
tests_bench_pause_CFLAGS = $(AM_CFLAGS) -pthread
tests_bench_scale_SOURCES = %D%/scale.c %D%/held_up.h
tests_bench_scale_CFLAGS = $(AM_CFLAGS) -pthread
tests_bench_looked_at_SOURCES = %D%/looked-at.c %D%/held_up.h
tests_bench_looked_at_CFLAGS = $(AM_CFLAGS) -pthread
tests_bench_hot_paths_CFLAGS = $(AM_CFLAGS) -pthread
tests_bench_cpu_deep_SOURCES = %D%/cpu-deep.c %D%/floor.c %D%/floor.h
tests_bench_cpu_deep_CFLAGS = $(AM_CFLAGS) -pthread
# Whether the parts run and report, and what the hot paths cost in instructions; sanitizers have their own.
TESTS += %D%/bench.test %D%/instructions.test
endif
dist_check_SCRIPTS += %D%/bench.test %D%/instructions.test

# libgotrace and Go's readers on the same trace.
check_PROGRAMS += %D%/read-trace
tests_bench_read_trace_SOURCES = %D%/read-trace.c
tests_bench_read_trace_LDADD = libparser.la
check_PROGRAMS += %D%/many-generations
tests_bench_many_generations_SOURCES = %D%/many-generations.c
tests_bench_many_generations_LDADD = libgotrace.la
EXTRA_DIST += %D%/gentrace.go %D%/read-trace.go %D%/read-trace-v1.go

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

# Whether every way still finds the frames; sanitizers make frames of their own.
if BUILD_PRELOAD
TESTS += %D%/stack.test
endif
dist_check_SCRIPTS += %D%/stack.test
