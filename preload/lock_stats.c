#include "preload/lock_stats.h"

#include <stddef.h>
#include <string.h>

#include "lib/meta.h"
#include "preload/section.h"
#include "preload/service.h"

enum {
    ENTRIES_OF_CHUNK = CHUNK_CAPACITY / sizeof(struct lock_entry),
    FIRST_INDEX = 64,
    PARTS_OF_POOL = 4, /* tables take no more than one of these */
    RECORD_MAX = 1 + (7 + 1 + 3 + 2 * LOCK_FRAMES + LOCK_BUCKETS) * VARINT_MAX + OBJECT_TEXT_MAX + LOCK_BUCKETS,
};

/* All records of threads that have a table, also of those that have ended. The last one is followed by itself. */
static struct thread *with_table;

void lock_missed(void)
{
    if (recording())
        __atomic_fetch_add(&recorder.spool.header->locks.missed, 1, __ATOMIC_RELAXED);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static struct chunk *chunk_before(const struct chunk *c)
{
    return c->next ? spool_chunk(&recorder.spool, c->next - 1) : NULL;
}

static uint32_t entries_of(const struct chunk *c) { return c->used / (uint32_t)sizeof(struct lock_entry); }

static struct lock_entry *entry_of(struct chunk *c, uint32_t i) { return (struct lock_entry *)(void *)c->data + i; }

static uint32_t offset_of(const struct lock_entry *e)
{
    return (uint32_t)((const uint8_t *)e - (const uint8_t *)recorder.spool.header);
}

static void enter_in_index(struct lock_table *l, const struct lock_entry *e)
{
    uint32_t i = lock_hash(e->address);
    while (l->index[i & l->mask])
        i++;
    l->index[i & l->mask] = offset_of(e);
}

/* A thread that is torn out here has lost the way to some locks, and makes new entries for them. */
static void make_index(struct lock_table *l, uint32_t size)
{
    memset(l->index, 0, size * sizeof *l->index);
    l->mask = size - 1;
    for (struct chunk *c = l->last; c; c = chunk_before(c))
        for (uint32_t i = 0; i < entries_of(c); i++)
            if (!entry_of(c, i)->replaced)
                enter_in_index(l, entry_of(c, i));
}

static void list_record(struct thread *t)
{
    struct thread *first = __atomic_load_n(&with_table, __ATOMIC_RELAXED);
    if (t->locks.listed)
        return;
    do
        t->locks.listed = first ? first : t;
    while (!__atomic_compare_exchange_n(&with_table, &first, t, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static struct chunk *new_chunk(struct thread *t)
{
    struct spool *s = &recorder.spool;
    uint32_t *taken = &s->header->locks.chunks;
    bool fits = __atomic_add_fetch(taken, 1, __ATOMIC_RELAXED) <= s->max_chunks / PARTS_OF_POOL;
    struct chunk *c = fits ? spool_take(s) : NULL;
    if (!c) {
        __atomic_fetch_sub(taken, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    c->packed = CHUNK_OF_LOCKS;
    c->generation = recorder.sched.generation;
    c->m = ID_NONE;
    c->time = 0;
    __atomic_store_n(&c->next, t->locks.last ? spool_index(s, t->locks.last) + 1 : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    t->locks.last = c;
    list_record(t);
    return c;
}

/* Zeros but for its place; it counts once its address is there. NULL: there is no room. */
static struct lock_entry *new_entry(struct thread *t)
{
    struct lock_table *l = &t->locks;
    struct chunk *c = l->last;
    if (l->n >= LOCKS_MAX || ((!c || entries_of(c) >= ENTRIES_OF_CHUNK) && !(c = new_chunk(t))))
        return NULL;
    struct lock_entry *e = entry_of(c, entries_of(c));
    memset(e, 0, sizeof *e);
    return e;
}

static void publish(struct lock_table *l, struct lock_entry *e, uint64_t address)
{
    e->address = address;
    __atomic_store_n(&l->last->used, l->last->used + (uint32_t)sizeof *e, __ATOMIC_RELEASE);
    uint32_t size = l->mask + 1;
    l->n++;
    if (!l->mask || l->n * 2 > size)
        make_index(l, l->mask ? size * 2 : FIRST_INDEX);
    else
        enter_in_index(l, e);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void write_record(struct chunk *c, const struct lock_entry *e)
{
    uint8_t buf[RECORD_MAX];
    struct meta_record r;
    uint32_t len, used = 0;
    const char *name = object_name((const void *)(uintptr_t)(e->address & ~(uint64_t)LOCK_TO_READ), &len);
    meta_begin(&r, buf, sizeof buf, META_LOCK);
    meta_int(&r, e->address);
    meta_int(&r, e->what & 0xff);
    meta_int(&r, e->taken);
    meta_int(&r, e->contended);
    meta_int(&r, e->held);
    meta_int(&r, e->longest);
    meta_int(&r, e->longest_g);
    meta_text(&r, name, len);
    meta_ints(&r, e->site, e->nsite);
    meta_ints(&r, e->where, e->nlongest);
    for (unsigned i = 0; i < LOCK_BUCKETS; i++)
        used += !!e->holds[i];
    meta_int(&r, 2 * used);
    for (unsigned i = 0; i < LOCK_BUCKETS; i++)
        if (e->holds[i]) {
            meta_int(&r, i);
            meta_int(&r, e->holds[i]);
        }
    if (!r.overflow)
        chunk_meta_append(c, buf, (size_t)(r.p - buf));
}

/* --- a lock that is new to the thread ----------------------------------------------------------------------------- */

static bool is_same_site(const struct lock_entry *e, const uintptr_t *site, unsigned n)
{
    if (e->nsite != n)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (e->site[i] != site[i])
            return false;
    return true;
}

/*
 * The program's name for the lock is no part of the entry, so there is a record that says it: of an entry without
 * counts. Where that finds no room the lock is called by what else is known.
 */
static bool enter_to_name(struct thread *t, const void *lock)
{
    uint32_t len;
    bool named = object_name(lock, &len) && len;
    return (named && section_enter(t, RECORD_MAX, LOST_OTHER)) || bare_section_enter(t);
}

static void write_name(struct thread *t, const struct lock_entry *of)
{
    uint32_t len;
    struct lock_entry e = {.address = of->address, .what = of->what, .nsite = of->nsite};
    const void *lock = (const void *)(uintptr_t)(of->address & ~(uint64_t)LOCK_TO_READ);
    memcpy(e.site, of->site, sizeof e.site);
    if (object_name(lock, &len) && len && t->sched.chunk && sched_has_room(&t->sched, RECORD_MAX))
        write_record(t->sched.chunk, &e);
}

SLOW struct lock_entry *lock_meet(struct thread *t, uint64_t address, uint32_t kind)
{
    const void *lock = (const void *)(uintptr_t)(address & ~(uint64_t)LOCK_TO_READ);
    struct lock_table *l = &t->locks;
    uintptr_t site[OBJECT_SITE_FRAMES];
    _Static_assert((int)OBJECT_SITE_FRAMES <= (int)LOCK_FRAMES, "a site fits an entry");
    uint32_t what = lock_what_now(address, kind);
    unsigned n = (unsigned)object_site(lock, site);
    section_leave(t);
    if (!enter_to_name(t, lock))
        return NULL;
    struct lock_entry *e = lock_find(l, address), *old = e;
    if (e && (e->what & 0xff) == kind && is_same_site(e, site, n)) {
        e->what = what;
        write_name(t, e);
        return e;
    }
    if (!(e = new_entry(t))) {
        __atomic_fetch_add(&recorder.spool.header->locks.others, 1, __ATOMIC_RELAXED);
        section_leave(t);
        return NULL;
    }
    e->what = what;
    e->generation = recorder.sched.generation;
    e->nsite = (uint8_t)n;
    for (unsigned i = 0; i < n; i++)
        e->site[i] = site[i];
    if (old) {
        old->replaced = 1;
        old->since = old->depth = 0;
        publish(l, e, address);
        make_index(l, l->mask + 1);
    } else {
        publish(l, e, address);
    }
    write_name(t, e);
    return e;
}

void lock_stats_thread_ends(struct thread *t)
{
    for (struct chunk *c = t->locks.last; c; c = chunk_before(c))
        for (uint32_t i = 0; i < entries_of(c); i++)
            entry_of(c, i)->since = entry_of(c, i)->depth = 0;
}

/* --- behind the closed gate --------------------------------------------------------------------------------------- */

static struct thread *next_record(struct thread *t) { return t->locks.listed == t ? NULL : t->locks.listed; }

void lock_stats_forget(void)
{
    for (struct thread *t = with_table, *next; t; t = next) {
        next = next_record(t);
        memset(&t->locks, 0, sizeof t->locks);
    }
    with_table = NULL;
}

static void flush(struct lock_entry *e)
{
    if (!e->taken && !e->held)
        return;
    if (!service_room(RECORD_MAX, now()))
        return;
    write_record(recorder.service.chunk, e);
    e->taken = e->contended = e->held = e->longest = 0;
    e->nlongest = 0;
    memset(e->holds, 0, sizeof e->holds);
}

void lock_stats_flush(void)
{
    for (struct thread *t = with_table; t; t = next_record(t))
        for (struct chunk *c = t->locks.last; c; c = chunk_before(c))
            for (uint32_t i = 0; i < entries_of(c); i++)
                flush(entry_of(c, i));
}
