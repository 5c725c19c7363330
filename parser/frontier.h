/*
 * The next event of each thread, the earliest first. Which of several threads with the same time comes first follows
 * from how Go's reader arranges its heap, so this one is arranged in exactly the same way.
 */
#ifndef THRACE_PARSER_FRONTIER_H
#define THRACE_PARSER_FRONTIER_H

#include "parser/event.h"
#include "parser/gosort.h"

struct thread;

/* A thread's place in its runs of events. */
struct cursor {
    struct gotrace_event ev;    /* the next event, decoded but for its context */
    const uint8_t *p, *end;     /* what follows ev in the run */
    const uint8_t *near_end;    /* from here on an event might not fit before end; NULL: last is 0 */
    const struct run *run;
    int64_t last;               /* ns; 0: start from the run's own time */
    uint64_t id;
    struct thread *thread;      /* NULL: none of its events was looked at yet */
    uint8_t *buffer;            /* for a run out of the file, or NULL */
    size_t room;                /* in buffer */
};

enum { FRONTIER_PAD = 6 };

struct frontier {
    struct cursor *cursors;
    struct keyed *heap; /* by time; value: the cursor's address; FRONTIER_PAD more with INT64_MAX */
    size_t n, cap;
};

enum cursor_result { CURSOR_OK, CURSOR_END, CURSOR_BROKEN };

/* Decodes the cursor's next event. */
enum cursor_result cursor_next(struct cursor *c, const struct generation *g, struct failure *f);

/* Starts over with the events of g; false: f says why not. */
bool frontier_fill(struct frontier *fr, const struct generation *g, struct failure *f);

/* Heap entry i has another time now. */
void frontier_update(struct frontier *fr, size_t i, int64_t time);
void frontier_remove(struct frontier *fr, size_t i);
void frontier_free(struct frontier *fr);

static inline struct cursor *frontier_cursor(const struct frontier *fr, size_t i)
{
    return (struct cursor *)(uintptr_t)fr->heap[i].value;
}

/* Puts an entry where it belongs among those below i. */
static inline void frontier_sift_down(struct keyed *heap, size_t n, size_t i)
{
    struct keyed moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += heap[child + 1].key < heap[child].key;
        if (heap[child].key >= moved.key)
            break;
        uint64_t value = heap[child].value;
        LOADED_ALONE(value);
        heap[i] = (struct keyed){heap[child].key, value};
    }
    heap[i] = moved;
}

/* Likewise for the first entry, which has to move; mostly one step is enough. Returns what comes first then. */
static inline struct cursor *frontier_sink_first(struct keyed *heap, size_t n, int64_t time)
{
    size_t child = 1 + (heap[2].key < heap[1].key);
    uint64_t value = heap[0].value, first = heap[child].value;
    int64_t key = heap[child].key;
    heap[0].key = key;
    LOADED_ALONE(first);
    heap[0].value = first;
    heap[child].key = time;
    heap[child].value = value;
    if (UNLIKELY(time > heap[2 * child + 1].key || time > heap[2 * child + 2].key))
        frontier_sift_down(heap, n, child);
    return (struct cursor *)(uintptr_t)first;
}

#endif
