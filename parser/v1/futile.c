/*
 * Leaves out futile wakeups: a goroutine was made runnable, ran, found that another one had been faster, and went back to
 * sleep. All of that goes: the wakeup, the start, preemptions on the way, the event that says so, and the block. Tracing
 * may have begun in the middle of it.
 */
#include <stdlib.h>

#include "parser/v1/parse.h"

/* An event that goes if the wakeup turns out to be futile. */
struct link {
    size_t event; /* its place in the order */
    uint32_t before; /* the one before it, 0: none; links count from 1 */
};

struct wakeup {
    uint32_t last;
    bool futile;
};

struct futile {
    struct v1_parse *s;
    VEC(struct wakeup) wakeups; /* by the index of the goroutine */
    VEC(struct link) links;
    uint32_t spare;
};

static struct wakeup *wakeup(struct futile *f, uint32_t g)
{
    while (f->wakeups.n <= g) {
        if (!VEC_ROOM(&f->wakeups)) {
            v1_no_memory(f->s);
            return NULL;
        }
        f->wakeups.v[f->wakeups.n++] = (struct wakeup){0};
    }
    return &f->wakeups.v[g];
}

static bool append(struct futile *f, struct wakeup *w, size_t event)
{
    uint32_t i = f->spare;
    if (i) {
        f->spare = f->links.v[i - 1].before;
    } else {
        if (f->links.n == UINT32_MAX || !VEC_ROOM(&f->links))
            return v1_no_memory(f->s);
        i = (uint32_t)++f->links.n;
    }
    f->links.v[i - 1] = (struct link){event, w->last};
    w->last = i;
    return true;
}

static void leave_out(struct futile *f, size_t event)
{
    v1_set_mark(f->s->t, event, V1_MARK_GONE);
    f->s->t->nevents--;
}

static void forget(struct futile *f, struct wakeup *w, bool gone)
{
    for (uint32_t i; (i = w->last);) {
        struct link *l = &f->links.v[i - 1];
        if (gone)
            leave_out(f, l->event);
        w->last = l->before;
        l->before = f->spare;
        f->spare = i;
    }
}

static bool look_at(struct futile *f, const struct v1_event *ev)
{
    size_t i = v1_place(f->s->t);
    uint32_t g = ev->g;
    struct wakeup *w;
    switch (ev->id) {
    case V1_GoUnblock:
        if (!v1_index_g(f->s, ev->args[0], &g) || !(w = wakeup(f, g)))
            return false;
        forget(f, w, false);
        return append(f, w, i);
    case V1_GoStart:
    case V1_GoPreempt:
    case V1_FutileWakeup:
        if (!(w = wakeup(f, g)) || !append(f, w, i))
            return false;
        w->futile |= ev->id == V1_FutileWakeup;
        return true;
    case V1_GoBlock:
    case V1_GoBlockSend:
    case V1_GoBlockRecv:
    case V1_GoBlockSelect:
    case V1_GoBlockSync:
    case V1_GoBlockCond:
        if (!(w = wakeup(f, g)))
            return false;
        if (w->futile)
            leave_out(f, i);
        forget(f, w, w->futile);
        w->futile = false;
        return true;
    default:
        return true;
    }
}

bool v1_futile(struct v1_parse *s)
{
    if (!s->nfutile)
        return true;
    struct futile f = {.s = s};
    bool ok = true;
    v1_rewind(s->t);
    for (const struct v1_event *ev; ok && (ev = v1_next(s->t));)
        ok = look_at(&f, ev);
    VEC_FREE(&f.wakeups);
    VEC_FREE(&f.links);
    return ok;
}
