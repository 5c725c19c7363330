/* A spool in a directory of its own, chunks with contents that can be recognised, and the log read back. */
#ifndef THRACE_TESTS_SPOOL_FIXTURE_H
#define THRACE_TESTS_SPOOL_FIXTURE_H

#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdint.h>

#include "lib/spool.h"

struct spool_fixture {
    char dir[64];
    char path[96];
    struct spool s;
    int fd; /* for spool_drain and spool_grow */
};

/* cmocka's set-up and tear-down: a spool that was created and published. */
int spool_set_up(void **state);
int spool_tear_down(void **state);

/* Sizes above and below what is packed together with others. */
enum { LARGE = CHUNK_CAPACITY / 2, SMALL = 50 };

/* A chunk of thread m: size bytes of events that say (m, n), base time n, generation 1. It is not sealed. */
struct chunk *spool_fill(struct spool *s, uint64_t m, uint64_t n, uint32_t size);

/* Adds size bytes of records that say (m, n). */
void spool_fill_meta(struct chunk *c, uint32_t size);

void spool_seal_filled(struct spool *s, uint64_t m, uint64_t n, uint32_t size);

/* Takes all free chunks; returns how many there were. */
uint32_t spool_take_all(struct spool *s, struct chunk **v);

struct log_batch {
    uint8_t id;
    uint64_t generation, m, time, size;
    uint8_t first; /* byte of the data, all of which are the same */
};

/* Reads the log of the file; returns the number of batches, at most max. Fails the test when the log is not whole. */
size_t spool_read_log(const struct spool_fixture *f, struct log_batch *v, size_t max);

/* The batches as "m/time m/time …", records as "m/time*". */
const char *spool_log_text(const struct spool_fixture *f);

#endif
