/*
 * Shared by the fuzz targets. Each is a LLVMFuzzerTestOneInput for libFuzzer; without libFuzzer, run-corpus.c makes
 * each a test that goes over the corpora that it names.
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
