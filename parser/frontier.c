#include "parser/frontier.h"

#define GOTRACE_EVENT(id, name, since, cls, exp, strs, stks, pair, ...)                                                \
    [id] = EVENT_##cls == EVENT_TIMED ? sizeof(const char *[]){NULL, ##__VA_ARGS__} / sizeof(const char *) - 1 : 0,
const uint8_t timed_args[256] = {
#include "gotrace/events.def"
};
#undef GOTRACE_EVENT

static enum cursor_result broken(struct cursor *c, const struct generation *g, struct failure *f, const char *fmt,
                                 const char *what)
{
    struct place at = {.generation = g->number, .thread = c->id, .offset = c->run->offset + (uint64_t)(c->p - c->run->data)};
    at.event = event_name(*c->p);
    fail(f, GOTRACE_EBROKEN, at, fmt, what);
    return CURSOR_BROKEN;
}

enum cursor_result cursor_next_slow(struct cursor *c, const struct generation *g, struct failure *f)
{
    while (c->p == c->end) {
        if (!c->run->next)
            return CURSOR_END;
        c->run = &g->runs.v[c->run->next];
        c->p = c->run->data;
        c->end = c->p + c->run->size;
        c->ev.origin = c->run->offset - (uint64_t)(uintptr_t)c->p;
        c->last = 0;
    }
    if (!c->last)
        c->last = clock_ns(&g->clock, c->run->time);
    unsigned n = timed_args[*c->p];
    if (!n)
        return broken(c, g, f, "found %s, which has no timestamp, among timed events", event_name(*c->p));
    const struct event_info *info = &event_table[*c->p];
    const uint8_t *p = c->p + 1;
    uint64_t dt = 0;
    for (unsigned i = 0; i < n; i++) {
        p = varint_get(p, c->end, i ? &c->ev.args[i - 1] : &dt);
        if (!p)
            return broken(c, g, f, "argument %s is cut off or does not fit 64 bits", info->args[i]);
    }
    c->ev.type = *c->p;
    c->ev.at = c->p;
    c->p = p;
    c->last = c->ev.time = (int64_t)((uint64_t)c->last + (uint64_t)clock_ns(&g->clock, dt));
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

static void sift_down(struct keyed *heap, size_t n, size_t i)
{
    struct keyed moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1].key < heap[child].key)
            child++;
        if (heap[child].key >= moved.key)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

void frontier_sift(struct frontier *fr, size_t i)
{
    if (sift_up(fr->heap, i) == i)
        sift_down(fr->heap, fr->n, i);
}

void frontier_remove(struct frontier *fr, size_t i)
{
    struct keyed gone = fr->heap[i];
    for (; i > 0; i = (i - 1) / 2)
        fr->heap[i] = fr->heap[(i - 1) / 2];
    fr->heap[0] = fr->heap[--fr->n];
    fr->heap[fr->n] = gone;
    if (fr->n)
        sift_down(fr->heap, fr->n, 0);
}

static bool reserve(struct frontier *fr, size_t n)
{
    if (n <= fr->cap)
        return true;
    struct cursor *cursors = reallocarray(fr->cursors, n, sizeof *cursors);
    if (!cursors)
        return false;
    fr->cursors = cursors;
    struct keyed *heap = reallocarray(fr->heap, n, sizeof *heap);
    if (!heap)
        return false;
    fr->heap = heap;
    fr->cap = n;
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
        const struct run *run = &g->runs.v[lane->first];
        struct cursor *c = &fr->cursors[i];
        *c = (struct cursor){.id = lane->thread, .run = run, .p = run->data, .end = run->data + run->size};
        c->ev.tables = g;
        c->ev.origin = run->offset - (uint64_t)(uintptr_t)run->data;
        enum cursor_result result = cursor_next_slow(c, g, f);
        if (result == CURSOR_BROKEN)
            return false;
        if (result == CURSOR_END)
            continue;
        fr->heap[fr->n] = (struct keyed){c->ev.time, (uint64_t)(uintptr_t)c};
        sift_up(fr->heap, fr->n++);
    }
    return true;
}

void frontier_free(struct frontier *fr)
{
    free(fr->cursors);
    free(fr->heap);
}
