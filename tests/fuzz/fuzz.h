/*
 * What the fuzz targets share. Each is a LLVMFuzzerTestOneInput for libFuzzer; without it, run-corpus.c makes of each a
 * test that goes over the corpora it names.
 */
#ifndef THRACE_TESTS_FUZZ_H
#define THRACE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Folders of tests/fuzz/corpus, NULL at the end. */
extern const char *const fuzz_corpora[];

/* Ends the program with a message, for the fuzzer to notice. */
__attribute__((noreturn, format(printf, 1, 2))) void fuzz_fail(const char *fmt, ...);

/* Reads the trace, asks every event for everything, prints and validates it. */
void fuzz_read_trace(const uint8_t *data, size_t size);

#endif
