#include "config.h"

#include "cmd/finish/recording_locks.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finish/record_cursor.h"
#include "parser/vec.h"

static bool is_lock(uint64_t kind) { return kind < OBJECT_KINDS && object_is_in_memory((enum object_kind)kind); }

/* The caller adds its PCs, first those of the site. False: out of memory. */
static bool add_lock(struct recording *r, const struct rec_lock *l, const struct rec_object *o)
{
    if (!VEC_ROOM(&r->objects) || !VEC_ROOM(&r->locks))
        return false;
    r->objects.v[r->objects.n] = *o;
    r->locks.v[r->locks.n] = *l;
    r->locks.v[r->locks.n++].object = r->objects.n++;
    return true;
}

static bool read_pcs(struct recording *r, struct cursor *c, uint64_t generation, size_t *first, size_t *n)
{
    *first = r->stacks.npcs;
    for (uint64_t left = get_int(c); left && c->p; left--, ++*n)
        if (!stack_table_add_pc(&r->stacks, get_int(c), generation))
            return false;
    return true;
}

bool recording_read_lock(struct recording *r, struct cursor *c, uint64_t generation)
{
    uint64_t address = get_int(c), kind = get_int(c);
    struct rec_object o = {.generation = generation, .address = address & ~(uint64_t)LOCK_TO_READ};
    struct rec_lock l = {.read = address & LOCK_TO_READ};
    l.taken = get_int(c);
    l.contended = get_int(c);
    l.held = get_int(c);
    l.longest = get_int(c);
    l.longest_g = get_int(c);
    o.text = (const char *)get_text(c, &o.len);
    if (!read_pcs(r, c, generation, &o.site, &o.nsite) || !read_pcs(r, c, generation, &l.where, &l.nwhere))
        return false;
    for (uint64_t left = get_int(c); left > 1 && c->p; left -= 2) {
        uint64_t bucket = get_int(c), n = get_int(c);
        if (bucket < LOCK_BUCKETS)
            l.holds[bucket] += n;
    }
    if (!c->p || !is_lock(kind))
        return true;
    o.kind = (enum object_kind)kind;
    o.held = l.where;
    o.nheld = l.nwhere;
    return add_lock(r, &l, &o);
}

static bool add_pcs(struct recording *r, const struct lock_entry *e, const uint64_t *pcs, size_t n, size_t *first)
{
    *first = r->stacks.npcs;
    for (size_t i = 0; i < n; i++)
        if (!stack_table_add_pc(&r->stacks, pcs[i], e->generation))
            return false;
    return true;
}

static bool read_entry(struct recording *r, const struct lock_entry *e)
{
    uint32_t kind = e->what & 0xff;
    struct rec_object o = {.generation = e->generation, .address = e->address & ~(uint64_t)LOCK_TO_READ};
    struct rec_lock l = {.read = e->address & LOCK_TO_READ, .taken = e->taken, .contended = e->contended, .held = e->held,
                         .longest = e->longest, .longest_g = e->longest_g};
    if (!is_lock(kind) || e->nsite > LOCK_FRAMES || e->nlongest > LOCK_FRAMES || !e->taken)
        return true;
    for (unsigned i = 0; i < LOCK_BUCKETS; i++)
        l.holds[i] = e->holds[i];
    o.kind = (enum object_kind)kind;
    o.nsite = e->nsite;
    o.nheld = l.nwhere = e->nlongest;
    if (!add_pcs(r, e, e->site, o.nsite, &o.site) || !add_pcs(r, e, e->where, l.nwhere, &l.where))
        return false;
    o.held = l.where;
    return add_lock(r, &l, &o);
}

const char *recording_read_locks(struct recording *r, const struct spool_batch *b)
{
    struct lock_entry e;
    for (size_t at = 0; at + sizeof e <= b->size; at += sizeof e) {
        memcpy(&e, b->data + at, sizeof e);
        if (!read_entry(r, &e))
            return "out of memory";
    }
    return NULL;
}

/* --- merging ------------------------------------------------------------------------------------------------------ */

static int by_use(const void *a, const void *b)
{
    const struct rec_lock *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->read - y->read;
}

static void add_up(struct rec_lock *sum, const struct rec_lock *l)
{
    sum->taken += l->taken;
    sum->contended += l->contended;
    sum->held += l->held;
    for (unsigned i = 0; i < LOCK_BUCKETS; i++)
        sum->holds[i] += l->holds[i];
    if (l->longest <= sum->longest)
        return;
    sum->longest = l->longest;
    sum->longest_g = l->longest_g;
    sum->where = l->where;
    sum->nwhere = l->nwhere;
}

/* An object has many records; the number of its name is the same in all. */
void recording_merge_locks(struct recording *r)
{
    struct rec_locks *locks = &r->locks;
    size_t n = 0;
    for (size_t i = 0; i < locks->n; i++)
        locks->v[i].object = r->objects.v[locks->v[i].object].number;
    if (locks->n)
        qsort(locks->v, locks->n, sizeof *locks->v, by_use);
    for (size_t i = 0; i < locks->n; i++) {
        if (n && !by_use(&locks->v[n - 1], &locks->v[i]))
            add_up(&locks->v[n - 1], &locks->v[i]);
        else
            locks->v[n++] = locks->v[i];
    }
    locks->n = n;
}
