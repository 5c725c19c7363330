# Fuzz targets: with libFuzzer (--enable-fuzzers) programs to run by hand, without it tests over the corpus.
fuzz_targets = \
	%D%/fuzz-binary \
	%D%/fuzz-text \
	%D%/fuzz-round-trip \
	%D%/fuzz-builder \
	%D%/fuzz-spool \
	%D%/fuzz-symbols \
	%D%/fuzz-go-table \
	%D%/fuzz-unwind \
	%D%/fuzz-v1 \
	%D%/fuzz-v1-text \
	%D%/fuzz-from-v1 \
	%D%/fuzz-as-v1 \
	%D%/fuzz-rewrite

fuzz_common = %D%/fuzz.h %D%/read-trace.c
if LIBFUZZER
noinst_PROGRAMS += $(fuzz_targets)
fuzz_link = $(AM_LDFLAGS) -fsanitize=fuzzer
# scripts/check --fuzz makes these and what they need, and nothing else.
fuzz-targets: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) $(fuzz_targets)
else
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets) %D%/empty-corpus.test %D%/spool-corpus.test
tests_of_scripts += %D%/fuzz-unwind
fuzz_common += %D%/run-corpus.c %D%/each-input.c %D%/each-input.h
fuzz_link = $(AM_LDFLAGS)
endif
.PHONY: fuzz-targets

tests_fuzz_fuzz_binary_SOURCES = %D%/fuzz-binary.c $(fuzz_common)
tests_fuzz_fuzz_binary_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_binary_LDADD = libparser.la
tests_fuzz_fuzz_text_SOURCES = %D%/fuzz-text.c $(fuzz_common)
tests_fuzz_fuzz_text_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_text_LDADD = libparser.la
tests_fuzz_fuzz_round_trip_SOURCES = %D%/fuzz-round-trip.c $(fuzz_common)
tests_fuzz_fuzz_round_trip_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_round_trip_LDADD = libparser.la
tests_fuzz_fuzz_builder_SOURCES = %D%/fuzz-builder.c $(fuzz_common)
tests_fuzz_fuzz_builder_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_builder_LDADD = libparser.la

tests_fuzz_fuzz_spool_SOURCES = %D%/fuzz-spool.c $(fuzz_common)
tests_fuzz_fuzz_spool_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_spool_LDADD = libtop.la $(finish_LIBS)

tests_fuzz_fuzz_symbols_SOURCES = %D%/fuzz-symbols.c $(fuzz_common)
tests_fuzz_fuzz_symbols_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_symbols_LDADD = libsymbolize.la libparser.la

tests_fuzz_fuzz_go_table_SOURCES = %D%/fuzz-go-table.c $(fuzz_common)
tests_fuzz_fuzz_go_table_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_go_table_LDADD = libsymbolize.la libparser.la

tests_fuzz_fuzz_unwind_SOURCES = %D%/fuzz-unwind.c $(fuzz_common)
tests_fuzz_fuzz_unwind_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_unwind_LDADD = liblow.la libparser.la

tests_fuzz_fuzz_v1_SOURCES = %D%/fuzz-v1.c $(fuzz_common)
tests_fuzz_fuzz_v1_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_v1_LDADD = libparser.la

tests_fuzz_fuzz_v1_text_SOURCES = %D%/fuzz-v1-text.c $(fuzz_common)
tests_fuzz_fuzz_v1_text_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_v1_text_LDADD = libparser.la

tests_fuzz_fuzz_as_v1_SOURCES = %D%/fuzz-as-v1.c $(fuzz_common)
tests_fuzz_fuzz_as_v1_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_as_v1_LDADD = libparser.la
tests_fuzz_fuzz_from_v1_SOURCES = %D%/fuzz-from-v1.c $(fuzz_common)
tests_fuzz_fuzz_from_v1_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_from_v1_LDADD = libparser.la
tests_fuzz_fuzz_rewrite_SOURCES = %D%/fuzz-rewrite.c $(fuzz_common)
tests_fuzz_fuzz_rewrite_LDFLAGS = $(fuzz_link)
tests_fuzz_fuzz_rewrite_LDADD = libparser.la libanalyze.la

check_PROGRAMS += %D%/test-extremes
TESTS += %D%/test-extremes
tests_fuzz_test_extremes_SOURCES = \
	%D%/test-extremes.c %D%/each-input.c %D%/each-input.h %D%/fuzz-text.c %D%/fuzz.h %D%/read-trace.c
tests_fuzz_test_extremes_LDADD = libparser.la

# The differential test's half of ours.
check_PROGRAMS += %D%/print-many
tests_fuzz_print_many_SOURCES = %D%/print-many.c
tests_fuzz_print_many_LDADD = libparser.la

dist_check_SCRIPTS += %D%/empty-corpus.test %D%/spool-corpus.test
EXTRA_DIST += %D%/corpus %D%/trace.dict
