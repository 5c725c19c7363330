#include "config.h"

#include "cmd/finish/spool_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/wire/batch_header.h"
#include "parser/vec.h"

static bool add(struct spool_batches *b, struct spool_batch batch)
{
    if (!VEC_ROOM(b))
        return false;
    batch.order = b->n;
    b->v[b->n++] = batch;
    return true;
}

/* Reads a row of batches with their headers. *stop is where it cannot be read any more. */
static const char *read_row_until(struct spool_file *f, const uint8_t *p, const uint8_t *end, const uint8_t **stop)
{
    for (; p < end; *stop = p) {
        struct batch_header h;
        struct batch_header_fault ignored;
        const uint8_t *data = batch_header_get(p, end, &h, &ignored);
        if (!data || h.size > (uint64_t)(end - data) || (h.id != EV_EventBatch && h.id != BATCH_META))
            return "the spool is damaged";
        struct spool_batches *to = h.id == BATCH_META ? &f->meta : &f->events;
        if (!add(to, (struct spool_batch){h.generation, h.thread, h.time, 0, data, h.size}))
            return "out of memory";
        p = data + h.size;
    }
    return NULL;
}

static const char *read_row(struct spool_file *f, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *stop;
    return read_row_until(f, p, end, &stop);
}

/* A ring, from its start to its end. */
static const char *read_ring(struct spool_file *f, uint64_t offset)
{
    uint64_t size = f->header->ring_size, start = f->header->log_start, end = f->header->log_end;
    if (start > end || end - start > size)
        return "the spool's header is damaged";
    uint64_t len = end - start, at = start % size, first = len < size - at ? len : size - at;
    if (offset >= f->size || (first ? at + first : 0) > f->size - offset || len - first > f->size - offset)
        return len ? "the spool is truncated" : NULL;
    if (!(f->unrolled = malloc(len + 1)))
        return "out of memory";
    memcpy(f->unrolled, f->map + offset + at, first);
    memcpy(f->unrolled + first, f->map + offset, len - first);
    return read_row(f, f->unrolled, f->unrolled + len);
}

/* Where pages are missing, the last batch may have zeros in it: a chunk's events, or the records behind them. */
static void drop_torn(struct spool_file *f)
{
    const struct spool_batch *e = &f->events.v[f->events.n - 1];
    const struct spool_batch *m = f->meta.n ? &f->meta.v[f->meta.n - 1] : NULL;
    bool records_last = m && m->data > e->data;
    if (!records_last || (m->m == e->m && m->time == e->time && m->generation == e->generation))
        f->events.n--;
    f->meta.n -= records_last;
}

/* A write that a kill cut off lies behind log_end. */
static const char *read_log(struct spool_file *f)
{
    uint64_t start = f->header->header_size + (uint64_t)f->header->max_chunks * f->header->chunk_size;
    uint64_t len = f->header->log_end;
    if (!len)
        return NULL;
    if (f->header->ring_size)
        return read_ring(f, start);
    uint64_t there = start < f->size ? f->size - start : 0, have = len < there ? len : there;
    const uint8_t *log = f->map + start, *stop = log;
    const char *err = have ? read_row_until(f, log, log + have, &stop) : NULL;
    if (!err && have < len)
        err = "the spool is truncated";
    if (!err || !f->events.n)
        return err;
    f->missing = len - (uint64_t)(stop - log);
    drop_torn(f);
    return f->events.n ? NULL : err;
}

/* A chunk with its header as it was when it was looked at. */
struct found {
    const uint8_t *data;
    struct chunk c;
};

static int by_seal(const void *a, const void *b)
{
    const struct chunk *x = &((const struct found *)a)->c, *y = &((const struct found *)b)->c;
    int xrank = x->packed ? 0 : x->state == CHUNK_OPEN ? 2 : 1, yrank = y->packed ? 0 : y->state == CHUNK_OPEN ? 2 : 1;
    if (xrank != yrank)
        return xrank - yrank;
    return x->sealed < y->sealed ? -1 : x->sealed > y->sealed;
}

/* A batch that was packed into a shared chunk, which may have been drained, just before a kill. */
static bool is_known(const struct spool_batches *b, const struct chunk *c, const uint8_t *data, uint32_t size)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->v[i].time == c->time && b->v[i].m == c->m && b->v[i].generation == c->generation &&
            b->v[i].size == size && !memcmp(b->v[i].data, data, size))
            return true;
    return false;
}

static const char *read_chunk(struct spool_file *f, const struct found *found)
{
    const struct chunk *c = &found->c;
    const uint8_t *data = found->data;
    if (c->packed == CHUNK_OF_LOCKS)
        return add(&f->locks, (struct spool_batch){c->generation, c->m, c->time, 0, data, c->used}) ? NULL
                                                                                                    : "out of memory";
    if (c->packed)
        return read_row(f, data, data + c->used);
    const uint8_t *meta = data + CHUNK_CAPACITY - c->meta_used;
    bool open = c->state == CHUNK_OPEN, ok = true;
    if (c->used && !(open && is_known(&f->events, c, data, c->used)))
        ok = add(&f->events, (struct spool_batch){c->generation, c->m, c->time, 0, data, c->used});
    if (c->meta_used && !(open && is_known(&f->meta, c, meta, c->meta_used)))
        ok = ok && add(&f->meta, (struct spool_batch){c->generation, c->m, c->time, 0, meta, c->meta_used});
    return ok ? NULL : "out of memory";
}

/*
 * The chunks that were not drained: packed ones, full ones in order of filling, those that threads were still writing.
 */
static const char *read_pool(struct spool_file *f)
{
    uint32_t n = 0;
    struct found *chunks = calloc(f->header->nchunks + 1, sizeof *chunks);
    if (!chunks)
        return "out of memory";
    for (uint32_t i = 0; i < f->header->nchunks; i++) {
        uint64_t at = f->header->header_size + (uint64_t)i * f->header->chunk_size;
        if (at + f->header->chunk_size > f->size)
            break;
        struct chunk *c = &chunks[n].c;
        memcpy(c, f->map + at, CHUNK_HEADER_SIZE);
        chunks[n].data = f->map + at + CHUNK_HEADER_SIZE;
        bool in_log = c->log_pos && c->log_pos <= f->header->log_end;
        bool sane = c->used <= CHUNK_CAPACITY && c->meta_used <= CHUNK_CAPACITY - c->used;
        n += c->state != CHUNK_FREE && !in_log && sane;
    }
    qsort(chunks, n, sizeof *chunks, by_seal);
    const char *err = NULL;
    for (uint32_t i = 0; i < n && !err; i++)
        err = read_chunk(f, &chunks[i]);
    free(chunks);
    return err;
}

/* Drops what a flight recorder has forgotten, also from the pool. */
static void drop_forgotten(struct spool_batches *b, uint64_t first_generation)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->v[i].generation >= first_generation)
            b->v[n++] = b->v[i];
    b->n = n;
}

static int by_generation(const void *a, const void *b)
{
    const struct spool_batch *x = a, *y = b;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void spool_batches_sort(struct spool_batches *b)
{
    if (b->n)
        qsort(b->v, b->n, sizeof *b->v, by_generation);
}

enum spool_fault spool_header_fault(const struct spool_header *h)
{
    if (memcmp(h->magic, SPOOL_MAGIC, sizeof h->magic) != 0)
        return SPOOL_NONE;
    if (h->version != SPOOL_VERSION || h->header_size != SPOOL_HEADER_SIZE || h->chunk_size != SPOOL_CHUNK_SIZE)
        return SPOOL_OTHER_VERSION;
    bool sound = h->max_chunks == SPOOL_MAX_CHUNKS && h->nchunks <= h->max_chunks && memchr(h->out, 0, sizeof h->out) &&
                 memchr(h->exe, 0, sizeof h->exe) && h->clock.source <= CLOCK_SOURCE_COUNTER && h->clock.shift <= 63;
    return sound ? SPOOL_SOUND : SPOOL_DAMAGED;
}

static const char *check_header(const struct spool_header *h, size_t size)
{
    static const char none[sizeof h->magic];
    if (size >= sizeof *h && !memcmp(h->magic, none, sizeof none))
        return SPOOL_EMPTY;
    switch (size < sizeof *h ? SPOOL_NONE : spool_header_fault(h)) {
    case SPOOL_NONE: return "this is not a spool of thrace";
    case SPOOL_OTHER_VERSION:
        return "this spool was written by another version of thrace; use that one's thrace finish";
    case SPOOL_DAMAGED: return "the spool's header is damaged";
    default: return NULL;
    }
}

const char *spool_file_open(struct spool_file *f, int fd)
{
    struct stat st;
    memset(f, 0, sizeof *f);
    if (fstat(fd, &st))
        return strerror(errno);
    f->size = (size_t)st.st_size;
    void *map = f->size ? mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (map == MAP_FAILED)
        return f->size ? strerror(errno) : SPOOL_EMPTY;
    f->map = map;
    struct spool_header *copy = calloc(1, sizeof *copy);
    if (copy)
        memcpy(copy, map, f->size < sizeof *copy ? f->size : sizeof *copy);
    f->header = copy;
    const char *err = copy ? check_header(copy, f->size) : "out of memory";
    if (!err)
        err = read_log(f);
    if (!err && !f->missing)
        err = read_pool(f);
    if (err) {
        spool_file_close(f);
        return err;
    }
    drop_forgotten(&f->events, f->header->first_generation);
    drop_forgotten(&f->meta, f->header->first_generation);
    spool_batches_sort(&f->events);
    spool_batches_sort(&f->meta);
    return NULL;
}

void spool_file_close(struct spool_file *f)
{
    free(f->events.v);
    free(f->meta.v);
    free(f->locks.v);
    free(f->unrolled);
    free((void *)(uintptr_t)f->header);
    if (f->map)
        munmap((void *)(uintptr_t)f->map, f->size);
    memset(f, 0, sizeof *f);
}
