/*
 * The next event of each thread, the earliest first. Which of several threads with the same time comes first follows
 * from how Go's reader arranges its heap, so this one is arranged in exactly the same way.
 */
#ifndef THRACE_PARSER_FRONTIER_H
#define THRACE_PARSER_FRONTIER_H

#include <string.h>

#include "lib/varint.h"
#include "parser/event.h"
#include "parser/gosort.h"

struct thread;

/* A thread's place in its runs of events. */
struct cursor {
    struct gotrace_event ev;    /* the next event, decoded but for its context */
    const uint8_t *p, *end;     /* what follows ev in the run */
    const struct run *run;
    int64_t last;               /* ns; 0: start from the run's own time */
    uint64_t id;
    struct thread *thread;      /* NULL: none of its events was looked at yet */
};

struct frontier {
    struct cursor *cursors;
    struct keyed *heap; /* by time; value: the cursor's address */
    size_t n, cap;
};

enum cursor_result { CURSOR_OK, CURSOR_END, CURSOR_BROKEN };

/* Arguments, dt included, of a timed event; 0: the ID is of none. */
extern const uint8_t timed_args[256];

enum cursor_result cursor_next_slow(struct cursor *c, const struct generation *g, struct failure *f);

/* One integer from memory that has VARINT_MAX bytes; NULL: it does not fit 64 bits. */
static inline const uint8_t *varint_get_fast(const uint8_t *p, uint64_t *v)
{
    uint64_t w;
    if (LIKELY(*p < 0x80)) {
        *v = *p;
        return p + 1;
    }
    memcpy(&w, p, sizeof w);
    uint64_t stop = ~w & UINT64_C(0x8080808080808080);
    if (UNLIKELY(!stop))
        return varint_get(p, p + VARINT_MAX, v);
    w &= (stop ^ (stop - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    *v = (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
    return p + (__builtin_ctzll(stop) >> 3) + 1;
}

/* Decodes the cursor's next event. */
static inline enum cursor_result cursor_next(struct cursor *c, const struct generation *g, struct failure *f)
{
    enum { LONGEST = 1 + EVENT_MAX_ARGS * VARINT_MAX };
    const uint8_t *p = c->p;
    if (UNLIKELY(c->end - p < LONGEST || c->last == 0))
        return cursor_next_slow(c, g, f);
    unsigned n = timed_args[*p];
    if (UNLIKELY(!n))
        return cursor_next_slow(c, g, f);
    c->ev.type = *p;
    c->ev.at = p++;
    uint64_t dt;
    p = varint_get_fast(p, &dt);
    for (unsigned i = 0; LIKELY(p != NULL) && i < n - 1; i++)
        p = varint_get_fast(p, &c->ev.args[i]);
    if (UNLIKELY(!p))
        return cursor_next_slow(c, g, f);
    c->p = p;
    c->last = c->ev.time = (int64_t)((uint64_t)c->last + (uint64_t)clock_ns(&g->clock, dt));
    return CURSOR_OK;
}

/* Starts over with the events of g; false: f says why not. */
bool frontier_fill(struct frontier *fr, const struct generation *g, struct failure *f);

void frontier_sift(struct frontier *fr, size_t i);
void frontier_remove(struct frontier *fr, size_t i);
void frontier_free(struct frontier *fr);

static inline struct cursor *frontier_cursor(const struct frontier *fr, size_t i)
{
    return (struct cursor *)(uintptr_t)fr->heap[i].value;
}

/* Heap entry i has another time now. */
static inline void frontier_update(struct frontier *fr, size_t i, int64_t time)
{
    fr->heap[i].key = time;
    /* A thread mostly has several events in a row. */
    if (i || (fr->n > 1 && time > fr->heap[1].key) || (fr->n > 2 && time > fr->heap[2].key))
        frontier_sift(fr, i);
}

#endif
