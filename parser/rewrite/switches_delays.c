#include "parser/rewrite/switches_delays.h"

#include <inttypes.h>
#include <stdio.h>

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

/* The first that is known is where its count begins, of one that was there before the trace. */
static bool take(struct delays *d, const struct thread_delay *said)
{
    struct delays_thread *t = thread_of(d, said->thread);
    if (!t)
        return false;
    if (!t->known || said->begins)
        t->first = said->ns;
    t->begins |= said->begins;
    t->known = true;
    t->last = said->ns;
    return true;
}

bool delays_until(struct delays *d, int64_t time)
{
    while (d->next < d->n && d->said[d->next].time < time)
        if (!take(d, &d->said[d->next++]))
            return false;
    return true;
}

bool delays_know(struct delays *d, uint64_t go, bool made)
{
    return idmap_get(&d->made, go) || idmap_add(&d->made, go, made ? MADE : BEFORE);
}

static bool keep(struct delays *d, const struct delays_thread *t)
{
    if (t->go == ID_NONE || !t->known)
        return true;
    uint64_t from = (t->made && !t->begins) || t->last < t->first ? 0 : t->first;
    if (!VEC_ROOM(&d->list))
        return false;
    d->list.v[d->list.n++] = (struct delay_of){t->go, t->last - from};
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

static bool note(struct rewriter *w, const char *text, int size)
{
    return rewriter_string_itself(w, (struct gotrace_str){text, (size_t)size});
}

bool delays_write(const struct delays *d, struct rewriter *w)
{
    char text[128];
    if (w->generation > 1 || !d->n)
        return true;
    bool ok = note(w, text, snprintf(text, sizeof text, "thrace delays threads %zu", d->list.n));
    for (size_t i = 0; ok && i < d->list.n; i++)
        ok = note(w, text, snprintf(text, sizeof text, "thrace delay of %" PRIu64 " ns %" PRIu64, d->list.v[i].go,
                                    d->list.v[i].ns));
    return ok;
}

void delays_free(struct delays *d)
{
    idmap_free(&d->thread_of);
    idmap_free(&d->made);
    VEC_FREE(&d->threads);
    VEC_FREE(&d->list);
}
