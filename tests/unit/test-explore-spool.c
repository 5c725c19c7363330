/*
 * Chunks that are taken, filled, packed, handed in and drained, in every order of the steps; chunk.pml (docs/models)
 * shows the same of a model. At some point all is over, and the file has what was committed, once.
 */
#include "tests/unit/explore.h"

#include "lib/spool.c"
#include "lib/spool_mapped.c"
#include "lib/spool_ring.c"

#include "tests/unit/unit.h"

bool clock_is_forbidden;

enum { CHUNKS = 5, EVENTS = 8, LARGE = CHUNK_CAPACITY / 2, LOG_SIZE = EVENTS * (LARGE + 64), GENERATION = 1 };

static struct spool s;
static uint8_t *file; /* header and chunks */
static uint8_t log_bytes[LOG_SIZE];
static bool committed[EVENTS + 1]; /* events are numbered from 1; a chunk has one, and no other has its number */

/* A write may be cut off where it has several parts. */
long explored_syscall(long nr, long a, long b, long c, long d)
{
    const struct iovec *iov = (const struct iovec *)b;
    uint64_t at = (uint64_t)d - SPOOL_LOG_OFFSET, began = at;
    if (nr != SYS_pwritev)
        return -ENOSYS;
    for (long i = 0; i < c; i++) {
        explore_point();
        explore_check(at + iov[i].iov_len <= LOG_SIZE);
        memcpy(log_bytes + at, iov[i].iov_base, iov[i].iov_len);
        at += iov[i].iov_len;
    }
    return (long)(at - began);
}

static void begin(void)
{
    memset(&s, 0, sizeof s);
    s.header = (struct spool_header *)file;
    s.chunks = file + SPOOL_HEADER_SIZE;
    memset(s.header, 0, sizeof *s.header);
    for (uint32_t i = 0; i < CHUNKS; i++)
        memset(spool_chunk(&s, i), 0, sizeof(struct chunk));
    s.header->nchunks = CHUNKS;
    s.nfree = CHUNKS;
    memset(committed, 0, sizeof committed);
}

/* --- what a reader finds ------------------------------------------------------------------------------------------ */

static void found(bool *seen, uint8_t event)
{
    explore_check(event && event <= EVENTS && committed[event] && !seen[event]);
    seen[event] = true;
}

static void read_row(bool *seen, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        struct batch_header h;
        struct batch_header_fault fault;
        p = batch_header_get(p, end, &h, &fault);
        explore_check(p && h.size && h.size <= (uint64_t)(end - p) && h.generation == GENERATION);
        explore_check(h.thread == *p);
        found(seen, *p);
        p += h.size;
    }
}

static void read_chunks(bool *seen, uint32_t state, uint32_t packed)
{
    for (uint32_t i = 0; i < CHUNKS; i++) {
        struct chunk *c = spool_chunk(&s, i);
        if (c->state != state || c->packed != packed || (c->log_pos && c->log_pos <= s.header->log_end))
            continue;
        if (packed)
            read_row(seen, c->data, c->data + c->used);
        else if (c->used && !(state == CHUNK_OPEN && seen[c->data[0]]))
            found(seen, c->data[0]);
    }
}

static void read_file(void)
{
    bool seen[EVENTS + 1] = {false};
    read_row(seen, log_bytes, log_bytes + s.header->log_end);
    read_chunks(seen, CHUNK_FULL, 1);
    read_chunks(seen, CHUNK_OPEN, 1);
    read_chunks(seen, CHUNK_FULL, 0);
    read_chunks(seen, CHUNK_OPEN, 0);
    explore_check(!memcmp(seen, committed, sizeof seen));
}

static void be_killed(unsigned me)
{
    explore_point();
    read_file();
}

static void every_chunk_is_somewhere(void)
{
    uint32_t lists = 0;
    read_file();
    for (uint32_t i = (uint32_t)s.free_list; i && lists <= CHUNKS; i = spool_chunk(&s, i - 1)->next)
        lists++;
    for (uint32_t i = s.full_list; i && lists <= CHUNKS; i = spool_chunk(&s, i - 1)->next)
        lists++;
    lists += CHUNKS - s.nfresh + (s.packing != NULL);
    explore_check(lists == CHUNKS);
}

/* --- what the threads do ------------------------------------------------------------------------------------------ */

static void write_event(uint8_t event, uint32_t size)
{
    struct chunk *c;
    while (!(c = spool_take(&s)))
        explore_wait();
    c->generation = GENERATION;
    c->m = event;
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    c->data[0] = event;
    explore_point();
    c->used = size; /* and at once: */
    committed[event] = true;
    explore_point();
    spool_seal(&s, c);
}

static void write_large(unsigned me)
{
    write_event(1, LARGE);
    write_event(2, LARGE);
}

static void write_small(unsigned me)
{
    write_event(3, 8);
    write_event(4, 8);
    spool_seal_packed(&s);
}

static void write_both(unsigned me)
{
    write_event(5, 8);
    write_event(6, LARGE);
}

static void drain_often(unsigned me)
{
    for (int i = 0; i < 2; i++)
        explore_check(!spool_drain(&s, 3));
}

/* So many chunks that nobody has to wait for one. */
static void one_drains(void **state)
{
    const struct exploration e = {
        .name = "two that write, one that drains, a kill",
        .n = 4,
        .begin = begin,
        .thread = {write_large, write_small, drain_often, be_killed},
        .end = every_chunk_is_somewhere,
    };
    explore(&e);
}

static void two_drain(void **state)
{
    const struct exploration e = {
        .name = "two that write, two that drain, a kill",
        .n = 5,
        .begin = begin,
        .thread = {write_both, write_small, drain_often, drain_often, be_killed},
        .end = every_chunk_is_somewhere,
    };
    explore(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_drains),
        cmocka_unit_test(two_drain),
    };
    file = calloc(1, SPOOL_HEADER_SIZE + CHUNKS * SPOOL_CHUNK_SIZE);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(file);
    return failed;
}
