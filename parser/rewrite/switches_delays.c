#include "parser/rewrite/switches_delays.h"

#include <inttypes.h>

#include "parser/rewrite/rewriter.h"

enum { MADE = 1, BEFORE = 2 };

static struct delays_thread *thread_of(struct delays *d, uint64_t id)
{
    uint32_t at = idmap_get(&d->thread_of, id);
    if (!at) {
        if (d->threads.n >= UINT32_MAX - 1 || !VEC_ROOM(&d->threads) ||
            !idmap_add(&d->thread_of, id, at = (uint32_t)d->threads.n + 1))
            return NULL;
        d->threads.v[d->threads.n++] = (struct delays_thread){.go = ID_NONE};
    }
    return &d->threads.v[at - 1];
}

static bool take(struct delays *d, const struct thread_delay *said)
{
    struct delays_thread *t = thread_of(d, said->thread);
    if (!t || (said->ends && t->go == ID_NONE)) /* then it has ended by now */
        return t;
    if (said->begins)
        t->first = said->ns;
    t->begins |= said->begins;
    t->ends |= said->ends;
    t->known = true;
    t->last = said->ns;
    t->read = said->time;
    return true;
}

bool delays_until(struct delays *d, int64_t time)
{
    while (d->next < d->n && d->said[d->next].time < time)
        if (!take(d, &d->said[d->next++]))
            return false;
    return true;
}

/*
 * For how long a thread whose last sum is known could run since: from when it lost its processor, or from when the sum
 * was read, for which it had slept until then. When it was woken from a later sleep nobody knows.
 */
static uint64_t waited_since(const struct delays_thread *t, int64_t time)
{
    int64_t from = t->out > t->read ? t->out : t->read;
    bool told = t->out_kind == SWITCH_PREEMPTED || (t->out_kind == SWITCH_BLOCKS && t->out <= t->read);
    return t->ends && told && time > from ? (uint64_t)(time - from) : 0;
}

/* Where some are missing, nobody knows of whom. */
bool delays_switch(struct delays *d, const struct thread_switch *s)
{
    bool lost = s->kind == SWITCHES_LOST;
    struct delays_thread *t = delays_until(d, s->time) && !lost ? thread_of(d, s->thread) : NULL;
    if (lost)
        d->lost = s->time;
    if (!t)
        return lost;
    if (s->kind == SWITCH_IN) {
        t->last += waited_since(t, s->time);
        t->ran = s->time;
    } else {
        t->out = s->time;
    }
    t->out_kind = s->kind;
    return true;
}

bool delays_know(struct delays *d, uint64_t go, bool made)
{
    return idmap_get(&d->made, go) || idmap_add(&d->made, go, made ? MADE : BEFORE);
}

/*
 * The kernel counts when a thread gets a processor. So what was read is the whole as long as it has not got one since;
 * and of one that was there before, if the sum with which the recording began is there, too.
 */
static bool is_whole(const struct delays *d, const struct delays_thread *t)
{
    bool to_the_end = t->ends || (t->read >= t->ran && t->read >= d->lost);
    return t->known && to_the_end && (t->begins || t->made) && t->last >= t->first;
}

static bool keep(struct delays *d, const struct delays_thread *t)
{
    if (t->go == ID_NONE || !is_whole(d, t))
        return true;
    if (!VEC_ROOM(&d->list))
        return false;
    d->list.v[d->list.n++] = (struct delay_of){t->go, t->last - t->first};
    return true;
}

/* What was counted of a thread before its first event is its own, unless another one had the number. */
bool delays_begin(struct delays *d, uint64_t thread, uint64_t go)
{
    struct delays_thread *t = thread_of(d, thread);
    if (!t || t->go == go)
        return t;
    bool ok = keep(d, t);
    if (t->go != ID_NONE)
        *t = (struct delays_thread){.go = go};
    t->go = go;
    t->made = idmap_get(&d->made, go) == MADE;
    return ok;
}

bool delays_leave(struct delays *d, uint64_t thread, uint64_t go)
{
    uint32_t at = idmap_get(&d->thread_of, thread);
    bool ok = !at || keep(d, &d->threads.v[at - 1]);
    if (at)
        d->threads.v[at - 1] = (struct delays_thread){.go = ID_NONE};
    if (idmap_get(&d->made, go))
        idmap_remove(&d->made, go);
    return ok;
}

bool delays_end(struct delays *d)
{
    bool ok = delays_until(d, INT64_MAX);
    for (size_t i = 0; i < d->threads.n && ok; i++)
        ok = keep(d, &d->threads.v[i]);
    d->threads.n = 0;
    return ok;
}

bool delays_write(const struct delays *d, struct rewriter *w)
{
    if (w->generation > 1 || !d->n)
        return true;
    bool ok = rewriter_note(w, "thrace delays threads %zu", d->list.n);
    for (size_t i = 0; ok && i < d->list.n; i++)
        ok = rewriter_note(w, "thrace delay of %" PRIu64 " ns %" PRIu64, d->list.v[i].go, d->list.v[i].ns);
    return ok;
}

void delays_free(struct delays *d)
{
    idmap_free(&d->thread_of);
    idmap_free(&d->made);
    VEC_FREE(&d->threads);
    VEC_FREE(&d->list);
}
