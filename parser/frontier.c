#include "parser/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "lib/wire/cursor.h"

static enum cursor_result broken(const struct cursor *c, const struct generation *g, struct failure *f, unsigned nread)
{
    struct place at = {.generation = g->number, .thread = c->id, .offset = c->ev.origin + (uint64_t)(uintptr_t)c->p};
    at.event = event_name(*c->p);
    fail_event(f, at, c->p, nread);
    return CURSOR_BROKEN;
}

/* The data of a run that is still in the file; NULL: f says why not. */
static const uint8_t *fetch(struct cursor *c, const struct generation *g, const struct run *run, struct failure *f)
{
    struct place at = {.generation = g->number, .thread = c->id, .offset = run->offset};
    if (run->size > c->room) {
        free(c->buffer);
        c->buffer = malloc(run->size);
        c->room = c->buffer ? run->size : 0;
        if (!c->buffer) {
            fail(f, GOTRACE_ENOMEM, at, "out of memory");
            return NULL;
        }
    }
    int error = source_again(g->source, run->offset, c->buffer, run->size);
    if (!error)
        return c->buffer;
    fail_system(f, GOTRACE_EREAD, at, error, "cannot read");
    return NULL;
}

static bool enter(struct cursor *c, const struct generation *g, const struct run *run, struct failure *f)
{
    const uint8_t *data = run->data || !run->size ? run->data : fetch(c, g, run, f);
    if (!data && run->size)
        return false;
    c->run = run;
    c->p = data;
    c->end = data + run->size;
    c->ev.origin = run->offset - (uint64_t)(uintptr_t)data;
    c->last = 0;
    return true;
}

enum cursor_result cursor_next(struct cursor *c, const struct generation *g, struct failure *f)
{
    while (c->p == c->end) {
        if (!c->run->next)
            return CURSOR_END;
        if (!enter(c, g, &g->runs.v[c->run->next], f))
            return CURSOR_BROKEN;
    }
    if (!c->last)
        c->last = clock_ns(&g->clock, c->run->time);
    unsigned nread;
    uint64_t dt;
    const uint8_t *p = event_get(c->p, c->end, &dt, c->ev.args, &nread);
    if (!p)
        return broken(c, g, f, nread);
    c->ev.type = *c->p;
    c->ev.at = c->p;
    c->ev.thread = c->id;
    c->p = p;
    c->last = c->ev.time = (int64_t)((uint64_t)c->last + (uint64_t)clock_ns(&g->clock, dt));
    c->near_end = c->last && c->run->size >= EVENT_SIZE_MAX ? c->end - EVENT_SIZE_MAX + 1 : NULL;
    return CURSOR_OK;
}

static size_t sift_up(struct keyed *heap, size_t i)
{
    while (i > 0 && heap[(i - 1) / 2].key > heap[i].key) {
        struct keyed t = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = t;
        i = (i - 1) / 2;
    }
    return i;
}

void frontier_update(struct frontier *fr, size_t i, int64_t time)
{
    fr->heap[i].key = time;
    if (sift_up(fr->heap, i) == i)
        frontier_sift_down(fr->heap, fr->n, i);
}

void frontier_remove(struct frontier *fr, size_t i)
{
    for (; i > 0; i = (i - 1) / 2)
        fr->heap[i] = fr->heap[(i - 1) / 2];
    fr->heap[0] = fr->heap[--fr->n];
    fr->heap[fr->n].key = INT64_MAX;
    if (fr->n)
        frontier_sift_down(fr->heap, fr->n, 0);
}

static bool reserve(struct frontier *fr, size_t n)
{
    if (n < fr->cap)
        return true;
    struct cursor *cursors = reallocarray(fr->cursors, n + 1, sizeof *cursors);
    if (!cursors)
        return false;
    memset(cursors + fr->cap, 0, (n + 1 - fr->cap) * sizeof *cursors);
    fr->cursors = cursors;
    struct keyed *heap = reallocarray(fr->heap, n + FRONTIER_PAD, sizeof *heap);
    if (!heap)
        return false;
    fr->heap = heap;
    fr->cap = n + 1;
    return true;
}

bool frontier_fill(struct frontier *fr, const struct generation *g, struct failure *f)
{
    fr->n = 0;
    if (!reserve(fr, g->lanes.n)) {
        fail(f, GOTRACE_ENOMEM, (struct place){.generation = g->number, .thread = ID_NONE}, "out of memory");
        return false;
    }
    for (size_t i = 0; i < g->lanes.n; i++) {
        const struct lane *lane = &g->lanes.v[i];
        struct cursor *c = &fr->cursors[i];
        *c = (struct cursor){.id = lane->thread, .ev.tables = g, .buffer = c->buffer, .room = c->room};
        if (!enter(c, g, &g->runs.v[lane->first], f))
            return false;
        enum cursor_result result = cursor_next(c, g, f);
        if (result == CURSOR_BROKEN)
            return false;
        if (result == CURSOR_END)
            continue;
        fr->heap[fr->n] = (struct keyed){c->ev.time, (uint64_t)(uintptr_t)c};
        sift_up(fr->heap, fr->n++);
    }
    for (size_t i = 0; i < FRONTIER_PAD; i++)
        fr->heap[fr->n + i] = (struct keyed){.key = INT64_MAX};
    return true;
}

void frontier_free(struct frontier *fr)
{
    for (size_t i = 0; i < fr->cap; i++)
        free(fr->cursors[i].buffer);
    free(fr->cursors);
    free(fr->heap);
}
