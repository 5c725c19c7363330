#include "parser/analyze/critical.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 1024 };
_Static_assert(STAT_NTEXTS <= 1 << 16, "a text fits into 16 bits");

void critical_free(struct critical *c)
{
    free(c->v);
    *c = (struct critical){0};
}

/* Steps move to where their numbers say only while none has been overwritten. */
static bool room(struct critical *c)
{
    if (c->n < c->cap || c->cap == CRITICAL_MAX)
        return true;
    size_t cap = c->cap ? 2 * c->cap : FIRST_CAP;
    struct critical_step *v = realloc(c->v, cap * sizeof *v);
    if (!v)
        return false;
    c->v = v;
    c->cap = cap;
    return true;
}

struct critical_step *critical_add(struct critical *c, struct critical_end *e, const struct span_thread *t,
                                   uint32_t what, int64_t now)
{
    if (now <= e->since)
        return NULL;
    if (!room(c)) {
        c->failed = true;
        return NULL;
    }
    struct critical_step *s = &c->v[c->n++ & (c->cap - 1)];
    *s = (struct critical_step){.before = e->before,
                                .thread = t->id,
                                .begin = e->since,
                                .end = now,
                                .name = (uint16_t)t->name,
                                .reason = (uint16_t)t->reason,
                                .what = (uint16_t)(what ? what : t->what),
                                .state = (uint8_t)t->state};
    *e = (struct critical_end){c->n, now};
    return s;
}

static uint64_t length(const struct critical_step *s) { return (uint64_t)s->end - (uint64_t)s->begin; }

static bool same_kind(const struct critical_step *a, const struct critical_step *b)
{
    return a->thread == b->thread && a->state == b->state && a->reason == b->reason && a->what == b->what;
}

static void leave_out(struct critical_path *path, const struct critical_step *s)
{
    path->nothers++;
    path->others += length(s);
}

static void keep(struct critical_path *path, const struct critical_step *s)
{
    if (path->nsteps < CRITICAL_STEPS) {
        path->steps[path->nsteps++] = *s;
        return;
    }
    struct critical_step *least = &path->steps[0];
    for (uint32_t i = 1; i < path->nsteps; i++)
        if (length(&path->steps[i]) < length(least))
            least = &path->steps[i];
    if (length(s) <= length(least)) {
        leave_out(path, s);
        return;
    }
    leave_out(path, least);
    *least = *s;
}

static int by_begin(const void *a, const void *b)
{
    const struct critical_step *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void critical_trace(const struct critical *c, struct critical_end e, int64_t from, struct critical_path *path)
{
    struct critical_step last = {.end = e.since, .begin = e.since};
    bool any = false;
    memset(path, 0, sizeof *path);
    const struct critical_step *s;
    for (uint64_t at = e.before; last.begin > from && (s = critical_step_of(c, at)); at = s->before) {
        int64_t begin = s->begin < from ? from : s->begin;
        if (any && same_kind(s, &last)) {
            last.begin = begin;
            continue;
        }
        if (any)
            keep(path, &last);
        any = true;
        last = *s;
        last.begin = begin;
    }
    if (any)
        keep(path, &last);
    if (last.begin > from)
        path->unknown = (uint64_t)last.begin - (uint64_t)from;
    if (path->nsteps)
        qsort(path->steps, path->nsteps, sizeof *path->steps, by_begin);
}
