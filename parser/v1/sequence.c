/* Puts the events of all procs in one order by their sequence numbers, which all events had before 1.7. */
#include <stdlib.h>

#include "parser/gosort.h"
#include "parser/v1/parse.h"
#include "parser/v1/procs.h"

/* Makes keys[i].value the place of the event that belongs at i no more: that event is at i. */
static void permute(struct v1_kept *ev, struct keyed *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct v1_kept first = ev[i];
        size_t to = i, from;
        for (; (from = keys[to].value) != i; to = from) {
            ev[to] = ev[from];
            keys[to].value = to;
        }
        ev[to] = first;
        keys[to].value = to;
    }
}

/* Keeps what the proc wrote. False: out of memory. */
static bool keep(struct v1_parse *s, struct v1_proc *proc, struct keyed *keys)
{
    struct v1_trace *t = s->t;
    struct v1_said r;
    for (const uint8_t *at; (at = v1_proc_read(t, proc, &r)); t->kept.n++) {
        uint32_t named = 0;
        if (v1_names_g(r.id) && !v1_index_g(s, r.args[0], &named))
            return false;
        struct v1_kept *k = &t->kept.v[t->kept.n];
        *k = (struct v1_kept){.ticks = proc->ticks,
                              .at = (uint64_t)(at - t->data),
                              .p = proc->p_index,
                              .g = v1_proc_g(t, proc, r.id, named)};
        keys[t->kept.n] = (struct keyed){proc->seq, t->kept.n};
        if (r.id != V1_GoSysExit)
            continue;
        /* It is written once the thread has a proc again. */
        keys[t->kept.n].key = (int64_t)r.args[1];
        if (r.args[2])
            k->ticks = (int64_t)r.args[2];
    }
    return true;
}

static bool keep_all(struct v1_parse *s, struct keyed *keys)
{
    v1_rewind_procs(s->t);
    for (size_t i = 0; i < s->t->procs.n; i++)
        if (!keep(s, &s->t->procs.v[i], keys))
            return false;
    return true;
}

/* All of the order is one proc's, which keeps its events. */
static bool order(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    if (!VEC_ROOM(&t->procs))
        return v1_no_memory(s);
    t->procs.v[t->procs.n] = (struct v1_proc){.keeps = true};
    t->norder = t->kept.n;
    for (size_t i = 0; i < t->norder; i++)
        t->order[i] = (uint16_t)t->procs.n;
    t->procs.n++;
    return true;
}

bool v1_sequence(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    struct keyed *keys = v1_alloc(t->nevents, sizeof *keys);
    t->kept.v = v1_alloc(t->nevents, sizeof *t->kept.v);
    bool ok = ((keys && t->kept.v) || v1_no_memory(s)) && keep_all(s, keys);
    if (ok) {
        gosort(keys, t->kept.n);
        permute(t->kept.v, keys, t->kept.n);
    }
    free(keys);
    const struct v1_kept *k = t->kept.v;
    for (size_t i = 1; ok && i < t->kept.n; i++)
        if (k[i].ticks < k[i - 1].ticks)
            ok = v1_fail(s->e, V1_BROKEN, k[i].at, t->data[k[i].at] & (V1_IDS - 1), "time stamps out of order");
    return ok && order(s);
}
