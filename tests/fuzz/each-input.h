/* The inputs that are kept in the repository. An input that ends the program is the one that was printed last. */
#ifndef THRACE_TESTS_FUZZ_EACH_INPUT_H
#define THRACE_TESTS_FUZZ_EACH_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef int corpus_fn(const uint8_t *data, size_t size);

void corpus_run_file(const char *path, corpus_fn *fn);

/* Runs fn over every file of a folder of tests/fuzz/corpus; returns how many there are. */
int corpus_run(const char *folder, corpus_fn *fn);

#endif
