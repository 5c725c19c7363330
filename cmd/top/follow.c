#include "config.h"

#include "cmd/top/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/finish/spool_read.h"
#include "lib/wire/batch_header.h"

enum { BLOCK = 1 << 20, BATCH_MAX = SPOOL_CHUNK_SIZE + BATCH_HEADER_MAX, ENDED_MAX = 4096 };

static const char no_memory[] = "out of memory", damaged[] = "the spool is damaged",
                  behind[] = "it is recorded faster than this can read";
const char follow_stopped[] = "stopped";

static bool read_at(int fd, uint64_t at, void *into, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, (char *)into + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static const char *read_header(struct follow *f)
{
    if (!read_at(f->fd, 0, &f->header, sizeof f->header))
        return "its spool cannot be read";
    switch (spool_header_fault(&f->header)) {
    case SPOOL_NONE: return "it has recorded nothing yet";
    case SPOOL_OTHER_VERSION: return "it is recorded by another version of thrace";
    case SPOOL_DAMAGED: return damaged;
    default: return NULL;
    }
}

bool follow_has_ended(const struct follow *f) { return f->header.state != SPOOL_RECORDING; }

/* --- batches ------------------------------------------------------------------------------------------------------ */

/* Of a generation that was not given out. */
static const char *hold(struct follow *f, const struct spool_batch *b, bool records, bool of_pool)
{
    return b->generation <= f->shown || held_batches_add(&f->held, b, records, of_pool) ? NULL : no_memory;
}

typedef const char *see_batch(struct follow *f, const struct spool_batch *b, bool records, bool of_pool);

/* Shows the batches of a row that are whole. *used: how many bytes they take. */
static const char *see_row(struct follow *f, const uint8_t *row, size_t size, bool of_pool, see_batch *see,
                           size_t *used)
{
    const char *wrong = NULL;
    *used = 0;
    while (*used < size && !wrong) {
        struct batch_header h;
        struct batch_header_fault ignored;
        if (f->stop && f->stop())
            return follow_stopped;
        const uint8_t *data = batch_header_get(row + *used, row + size, &h, &ignored);
        if (!data || h.size > (uint64_t)(row + size - data))
            return size - *used < BATCH_MAX ? NULL : damaged;
        if (h.id != EV_EventBatch && h.id != BATCH_META)
            return damaged;
        wrong = see(f, &(struct spool_batch){h.generation, h.thread, h.time, 0, data, (size_t)h.size},
                    h.id == BATCH_META, of_pool);
        *used = (size_t)(data + h.size - row);
    }
    return wrong;
}

/* --- the pool ----------------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct follow *f, const struct chunk *c, bool packed)
{
    bool in_log = c->log_pos && c->log_pos <= f->log_at;
    return c->state != CHUNK_FREE && c->packed == packed && !in_log && c->generation <= f->over &&
           c->generation > f->shown && c->used <= CHUNK_CAPACITY && c->meta_used <= CHUNK_CAPACITY - c->used;
}

/*
 * The chunk was not used for something else meanwhile. It may have become full, or be about to be written to the log:
 * it is in the log only when log_end says so, which may be later than we look there.
 */
static bool is_same(const struct chunk *a, const struct chunk *b)
{
    bool sealed = a->sealed == b->sealed || (a->state == CHUNK_OPEN && b->state == CHUNK_FULL);
    return b->state != CHUNK_FREE && a->generation == b->generation && a->m == b->m && a->time == b->time &&
           a->packed == b->packed && sealed && a->used == b->used && a->meta_used == b->meta_used;
}

/* A chunk that changes otherwise while it is copied is on its way to where is read later. */
static const char *read_chunk(struct follow *f, uint64_t at, bool packed, see_batch *see)
{
    static uint8_t bytes[SPOOL_CHUNK_SIZE];
    struct chunk c, again;
    size_t used;
    if (!read_at(f->fd, at, &c, CHUNK_HEADER_SIZE) || !is_wanted(f, &c, packed))
        return NULL;
    if (!read_at(f->fd, at, bytes, sizeof bytes) || !read_at(f->fd, at, &again, CHUNK_HEADER_SIZE) ||
        !is_same(&c, &again))
        return NULL;
    const uint8_t *data = bytes + CHUNK_HEADER_SIZE;
    if (packed)
        return see_row(f, data, c.used, true, see, &used);
    struct spool_batch b = {c.generation, c.m, c.time, 0, data, c.used};
    const char *wrong = see(f, &b, false, true);
    b.data = data + CHUNK_CAPACITY - c.meta_used;
    b.size = c.meta_used;
    return wrong ? wrong : see(f, &b, true, true);
}

static const char *read_pool(struct follow *f, bool packed, see_batch *see)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < f->header.nchunks && !wrong; i++)
        wrong = read_chunk(f, SPOOL_HEADER_SIZE + (uint64_t)i * SPOOL_CHUNK_SIZE, packed, see);
    return wrong;
}

/* --- the log ------------------------------------------------------------------------------------------------------ */

static bool read_log_at(const struct follow *f, uint64_t position, uint8_t *into, size_t n)
{
    uint64_t start = SPOOL_HEADER_SIZE + (uint64_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE, ring = f->header.ring_size;
    if (!ring)
        return read_at(f->fd, start + position, into, n);
    uint64_t at = position % ring;
    size_t first = n < ring - at ? n : (size_t)(ring - at);
    return n <= ring && read_at(f->fd, start + at, into, first) && read_at(f->fd, start, into + first, n - first);
}

static bool is_overwritten(const struct follow *f, uint64_t position)
{
    uint64_t start;
    return f->header.ring_size &&
           (!read_at(f->fd, offsetof(struct spool_header, log_start), &start, sizeof start) || start > position);
}

/* From there to log_end as the header has it. */
static const char *walk_log(struct follow *f, uint64_t from, uint64_t to, see_batch *see)
{
    while (from < to) {
        size_t n = to - from < BLOCK ? (size_t)(to - from) : BLOCK, used;
        if (!read_log_at(f, from, f->block, n))
            return "the spool is truncated";
        if (is_overwritten(f, from))
            return behind;
        const char *wrong = see_row(f, f->block, n, false, see, &used);
        if (wrong)
            return wrong;
        if (!used)
            return damaged;
        from += used;
    }
    return NULL;
}

static const char *read_log(struct follow *f, see_batch *see)
{
    uint64_t end;
    if (!read_at(f->fd, offsetof(struct spool_header, log_end), &end, sizeof end))
        return "its spool cannot be read";
    const char *wrong = walk_log(f, f->log_at, end, see);
    if (!wrong)
        f->log_at = end;
    return wrong;
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

/* What is of a generation before the first one to be given out has only threads and waits that go on. */
static const char *see_past(struct follow *f, const struct spool_batch *b, bool records, bool of_pool)
{
    if (b->generation > f->shown)
        return hold(f, b, records, of_pool);
    struct held_batch *same = of_pool ? NULL : held_batches_find(&f->held, b, records);
    if (same)
        same->batch.size = 0; /* it is seen here, in the order of its thread */
    if (records)
        return lasting_records_keep(&f->known, b) ? NULL : no_memory;
    return open_waits_events(&f->waits, b) ? NULL : no_memory;
}

static const char *see_stacks(struct follow *f, const struct spool_batch *b, bool records, bool of_pool)
{
    (void)of_pool;
    return !records || b->generation > f->shown || open_waits_offer(&f->waits, b) ? NULL : no_memory;
}

/* What only the pool has of the past is held like what is to come, shown, and dropped. */
static const char *see_held(struct follow *f, see_batch *see, uint64_t past)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < f->held.list.n && !wrong; i++) {
        const struct held_batch *h = &f->held.list.v[i];
        if (h->batch.generation <= past)
            wrong = see(f, &h->batch, h->records, true);
    }
    return wrong;
}

/* Of threads that have ended nothing more is to be known. */
static const char *forget_old(struct follow *f)
{
    bool ok = lasting_records_trim(&f->known, &f->waits.ended);
    idmap_clear(&f->waits.ended);
    return ok ? NULL : no_memory;
}

static const char *try_to_begin(struct follow *f)
{
    uint64_t first = f->header.ring_size ? f->header.log_start : 0, past = f->over ? f->over - 1 : 0;
    const char *wrong;
    f->log_at = first;
    /* Of the pool all that is over: f->shown is 0. */
    if ((wrong = read_pool(f, false, hold)) || (wrong = read_pool(f, true, hold)))
        return wrong;
    f->shown = past;
    if ((wrong = read_log(f, see_past)) || (wrong = see_held(f, see_past, past)) || !open_waits_want(&f->waits))
        return wrong ? wrong : no_memory;
    for (int i = 0; i < 2 && !wrong && f->waits.list.n; i++)
        if (!(wrong = walk_log(f, first, f->log_at, see_stacks)))
            wrong = see_held(f, see_stacks, past);
    held_batches_drop(&f->held, past);
    if (!wrong && !open_waits_settle(&f->waits))
        wrong = no_memory;
    if (!wrong)
        wrong = forget_old(f);
    f->began = !wrong;
    return wrong;
}

static void forget_all(struct follow *f)
{
    held_batches_drop(&f->held, UINT64_MAX);
    lasting_records_drop(&f->known);
    open_waits_free(&f->waits);
    f->shown = 0;
}

/* A flight recorder may overwrite what is just being read: then there is less to read the next time. */
static const char *begin(struct follow *f)
{
    enum { TRIES = 5 };
    const char *wrong = try_to_begin(f);
    for (int i = 0; i < TRIES && wrong == behind; i++) {
        forget_all(f);
        wrong = read_header(f);
        f->over = f->header.last_generation - !follow_has_ended(f);
        if (!wrong)
            wrong = try_to_begin(f);
    }
    return wrong;
}

const char *follow_open(struct follow *f, int fd)
{
    memset(f, 0, sizeof *f);
    f->fd = fd;
    f->block = malloc(BLOCK);
    return f->block ? read_header(f) : no_memory;
}

void follow_close(struct follow *f)
{
    forget_all(f);
    held_batches_free(&f->held);
    lasting_records_free(&f->known);
    free(f->block);
}

const char *follow_read(struct follow *f)
{
    const char *wrong = read_header(f);
    if (wrong)
        return wrong;
    uint64_t over = f->header.last_generation - !follow_has_ended(f);
    if (!f->header.last_generation || over <= f->over)
        return NULL;
    f->over = over;
    if (!f->began)
        return begin(f);
    if ((wrong = read_pool(f, false, hold)) || (wrong = read_pool(f, true, hold)))
        return wrong;
    return read_log(f, hold);
}

/* --- generations -------------------------------------------------------------------------------------------------- */

static bool add(struct spool_batches *to, const struct spool_batch *b)
{
    if (!VEC_ROOM(to))
        return false;
    to->v[to->n++] = *b;
    return true;
}

/* The next generation of which there is anything: a process may say that it is at any. Beyond f->over: none is over. */
static uint64_t next_held(const struct follow *f)
{
    uint64_t next = f->over + 1;
    for (size_t i = 0; i < f->held.list.n; i++)
        if (f->held.list.v[i].batch.generation < next)
            next = f->held.list.v[i].batch.generation;
    return next;
}

bool follow_next(struct follow *f, struct spool_file *file, const char **wrong)
{
    *wrong = NULL;
    memset(file, 0, sizeof *file);
    if (!f->began || f->shown >= f->over)
        return false;
    uint64_t generation = next_held(f);
    f->shown = generation - 1;
    if (generation > f->over)
        return false;
    bool ok = true;
    file->header = &f->header;
    for (size_t i = 0; i < f->known.batches.n && ok; i++)
        ok = add(&file->meta, &f->known.batches.v[i]);
    for (size_t i = 0; i < f->held.list.n && ok; i++) {
        const struct held_batch *h = &f->held.list.v[i];
        if (h->batch.generation == generation)
            ok = add(h->records ? &file->meta : &file->events, &h->batch);
    }
    spool_batches_sort(&file->events);
    spool_batches_sort(&file->meta);
    ok = ok && open_waits_put(&f->waits, generation, &file->meta, &file->unrolled);
    if (!ok) {
        *wrong = no_memory;
        follow_next_end(f, file);
    }
    return ok;
}

/* What threads are in when the generation ends. */
static bool settle_waits(struct follow *f, const struct spool_file *file, uint64_t generation)
{
    bool ok = true;
    for (size_t i = 0; i < file->events.n && ok; i++)
        ok = open_waits_events(&f->waits, &file->events.v[i]);
    ok = ok && open_waits_want(&f->waits);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < f->held.list.n && ok; i++) {
            const struct held_batch *h = &f->held.list.v[i];
            ok = !h->records || h->batch.generation != generation || open_waits_offer(&f->waits, &h->batch);
        }
    return ok && open_waits_settle(&f->waits);
}

const char *follow_next_end(struct follow *f, struct spool_file *file)
{
    uint64_t generation = f->shown + 1;
    bool ok = settle_waits(f, file, generation);
    for (size_t i = 0; i < f->held.list.n && ok; i++) {
        const struct held_batch *h = &f->held.list.v[i];
        ok = !h->records || h->batch.generation != generation || lasting_records_keep(&f->known, &h->batch);
    }
    const char *wrong = ok ? NULL : no_memory;
    f->shown = generation;
    held_batches_drop(&f->held, generation);
    if (ok && (f->waits.ended.count > ENDED_MAX || f->known.batches.n > f->known.enough))
        wrong = forget_old(f);
    free(file->events.v);
    free(file->meta.v);
    free(file->unrolled);
    memset(file, 0, sizeof *file);
    return wrong;
}
