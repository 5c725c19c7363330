#include "config.h"

#include "cmd/finish/first_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/wire/cursor.h"
#include "parser/vec.h"

enum { MAX_TID = 1 << 22 }; /* the kernel's own limit */

/* In a damaged header last_g may be any number. Goroutines beyond this have no first stack. */
enum { MAX_GOROUTINES = 1 << 26 };

struct pass {
    struct events_seen *seen;
    uint64_t *running; /* by thread: the goroutine that it runs */
    uint64_t first_generation;
    uint64_t held, holder; /* the P whose status came last, and the batch's thread: it holds it */
};

static bool note_status(struct pass *p, const struct spool_batch *b, const struct wire_event *ev)
{
    uint64_t status = ev->args[2];
    struct events_seen *seen = p->seen;
    if (b->generation != p->first_generation)
        return true;
    if (seen->nstatuses == seen->cap_statuses &&
        !vec_grow((void **)&seen->statuses, &seen->cap_statuses, sizeof *seen->statuses))
        return false;
    bool has_proc = b->m != ID_NONE && p->holder == b->m && status != GO_WAITING && status != GO_RUNNABLE;
    seen->statuses[seen->nstatuses++] = (struct first_status){ev->args[0], ev->args[1], p->held, status, has_proc};
    return true;
}

static void note_stack(struct pass *p, const struct spool_batch *b, uint64_t id)
{
    uint64_t g = b->m < MAX_TID ? p->running[b->m] : 0;
    struct first_stack *first = g && g < p->seen->ngoroutines ? &p->seen->first[g] : NULL;
    if (first && id && !first->id)
        *first = (struct first_stack){b->generation, id};
}

static bool see_event(struct pass *p, const struct spool_batch *b, const struct wire_event *ev)
{
    unsigned stacks = event_table[ev->id].stacks >> 1; /* without dt */
    p->seen->events++;
    p->seen->of_heap += ev->id == EV_HeapAlloc || ev->id == EV_HeapGoal;
    if (ev->id == EV_GoStart || (ev->id == EV_GoStatus && ev->args[2] == GO_RUNNING))
        if (b->m < MAX_TID)
            p->running[b->m] = ev->args[0];
    if (ev->id == EV_ProcStatus) {
        p->held = ev->args[0];
        p->holder = ev->args[1] == PROC_IDLE ? ID_NONE : b->m;
    }
    if (ev->id == EV_GoStatus && !note_status(p, b, ev))
        return false;
    if (stacks) /* of two, the last one is the writing thread's */
        note_stack(p, b, ev->args[31 - __builtin_clz(stacks)]);
    return ev->id != EV_HeapObjectAlloc || heap_types_add(&p->seen->types, b->generation, ev->args[1]);
}

static const char *see_batch(struct pass *pass, const struct spool_batch *b)
{
    struct wire_cursor c = {.p = b->data, .end = b->data + b->size, .time = b->time};
    struct wire_event ev;
    enum wire_result result;
    while ((result = wire_next(&c, &ev)) == WIRE_EVENT)
        if (!see_event(pass, b, &ev))
            return "out of memory";
    if (c.time > pass->seen->last)
        pass->seen->last = c.time;
    return result == WIRE_END ? NULL : "the spool's events are damaged";
}

static int by_g(const void *a, const void *b)
{
    const struct first_status *x = a, *y = b;
    return x->g < y->g ? -1 : x->g > y->g;
}

/* Keeps one for each goroutine, whatever the spool says. */
static void sort_statuses(struct events_seen *seen)
{
    size_t n = 0;
    if (seen->nstatuses)
        qsort(seen->statuses, seen->nstatuses, sizeof *seen->statuses, by_g);
    for (size_t i = 0; i < seen->nstatuses; i++)
        if (!n || seen->statuses[n - 1].g != seen->statuses[i].g)
            seen->statuses[n++] = seen->statuses[i];
    seen->nstatuses = n;
}

const char *events_see(struct events_seen *seen, const struct spool_file *f)
{
    const char *err = NULL;
    memset(seen, 0, sizeof *seen);
    uint64_t last_g = f->header->last_g;
    seen->ngoroutines = last_g < MAX_GOROUTINES ? (size_t)last_g + 1 : MAX_GOROUTINES;
    seen->first = calloc(seen->ngoroutines, sizeof *seen->first);
    struct pass p = {seen, calloc(MAX_TID, sizeof *p.running), f->events.n ? f->events.v[0].generation : 0, 0, ID_NONE};
    if (!seen->first || !p.running)
        err = "out of memory";
    for (size_t i = 0; i < f->events.n && !err; i++)
        err = see_batch(&p, &f->events.v[i]);
    sort_statuses(seen);
    free(p.running);
    return err;
}
