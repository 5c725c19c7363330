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

static inline void add_module(uint64_t generation, uint64_t time, uint64_t start, uint64_t end, const char *path)
{
    struct meta_record *r = begin_record(META_MODULE);
    meta_int(r, time);
    meta_int(r, start);
    meta_int(r, end);
    meta_int(r, start);
    meta_text(r, path, strlen(path));
    meta_text(r, "", 0);
    end_record(r, generation);
}

static inline void add_thread(uint64_t g, uint64_t start_pc)
{
    struct meta_record *r = begin_record(META_THREAD);
    meta_int(r, g);
    meta_int(r, start_pc);
    meta_int(r, START_STACK_BASE + g);
    end_record(r, 1);
}

static inline void add_name(uint64_t g, uint64_t time, const char *name)
{
    struct meta_record *r = begin_record(META_NAME);
    meta_int(r, g);
    meta_int(r, time);
    meta_text(r, name, strlen(name));
    end_record(r, 1);
}

static inline void add_stack(uint64_t id, int n, const uint64_t *pcs)
{
    struct meta_record *r = begin_record(META_STACK);
    meta_int(r, id);
    meta_int(r, (uint64_t)n);
    for (int i = 0; i < n; i++)
        meta_int(r, pcs[i]);
    end_record(r, 1);
}

#endif
