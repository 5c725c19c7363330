/* A spool of three generations as it was read, whose records a test makes. */
#ifndef THRACE_TESTS_UNIT_RECORDING_FILE_H
#define THRACE_TESTS_UNIT_RECORDING_FILE_H

#include "tests/unit/unit.h"

#include "cmd/finish/spool_read.h"
#include "lib/meta.h"

static struct spool_header header;
static struct spool_batch events[3], meta[16];
static uint8_t bytes[16][256];
static struct spool_file file;

static inline void begin_file(void)
{
    static const uint64_t times[] = {100, 200, 300};
    memset(&file, 0, sizeof file);
    for (int i = 0; i < 3; i++)
        events[i] = (struct spool_batch){.generation = (uint64_t)i + 1, .m = 7, .time = times[i], .data = bytes[0]};
    file.header = &header;
    file.events = (struct spool_batches){events, 3, 3};
    file.meta = (struct spool_batches){meta, 0, 16};
}

static inline struct meta_record *begin_record(enum meta_tag tag)
{
    static struct meta_record r;
    meta_begin(&r, bytes[file.meta.n], sizeof bytes[0], tag);
    return &r;
}

static inline void end_record(struct meta_record *r, uint64_t generation)
{
    uint8_t *start = bytes[file.meta.n];
    assert_false(r->overflow);
    meta[file.meta.n++] = (struct spool_batch){.generation = generation, .data = start, .size = (size_t)(r->p - start)};
}

#endif
