#include "config.h"

#include "cmd/first_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "parser/vec.h"

enum { MAX_TID = 1 << 22 }; /* the kernel's own limit */

/* Of a header that is damaged, last_g may be any number. Those beyond have no first stack. */
enum { MAX_GOROUTINES = 1 << 26 };

struct pass {
    struct events_seen *seen;
    uint64_t *running; /* by thread: the goroutine that it runs */
    uint64_t first_generation;
    uint64_t held, holder; /* the P whose status came last, and the batch's thread: it holds it */
};

static bool note_status(struct pass *p, const struct spool_batch *b, const uint64_t *args)
{
    struct events_seen *seen = p->seen;
    if (b->generation != p->first_generation)
        return true;
    if (seen->nstatuses == seen->cap_statuses &&
        !vec_grow((void **)&seen->statuses, &seen->cap_statuses, sizeof *seen->statuses))
        return false;
    bool has_proc = b->m != ID_NONE && p->holder == b->m && args[3] != GO_WAITING && args[3] != GO_RUNNABLE;
    seen->statuses[seen->nstatuses++] = (struct first_status){args[1], args[2], p->held, args[3], has_proc};
    return true;
}

static void note_stack(struct pass *p, const struct spool_batch *b, uint64_t id)
{
    uint64_t g = b->m < MAX_TID ? p->running[b->m] : 0;
    struct first_stack *first = g && g < p->seen->ngoroutines ? &p->seen->first[g] : NULL;
    if (first && id && !first->id)
        *first = (struct first_stack){b->generation, id};
}

static bool see_event(struct pass *p, const struct spool_batch *b, unsigned id, const uint64_t *args)
{
    const struct event_info *e = &event_table[id];
    if (id == EV_GoStart || (id == EV_GoStatus && args[3] == GO_RUNNING))
        if (b->m < MAX_TID)
            p->running[b->m] = args[1];
    if (id == EV_ProcStatus) {
        p->held = args[1];
        p->holder = args[2] == PROC_IDLE ? ID_NONE : b->m;
    }
    if (id == EV_GoStatus && !note_status(p, b, args))
        return false;
    if (e->stacks) /* of two, the last one is that of the thread that writes */
        note_stack(p, b, args[31 - __builtin_clz(e->stacks)]);
    return id != EV_HeapObjectAlloc || heap_types_add(&p->seen->types, b->generation, args[2]);
}

static const char *see_batch(struct pass *pass, const struct spool_batch *b)
{
    static const char damaged[] = "the spool's events are damaged";
    const uint8_t *p = b->data, *end = p + b->size;
    uint64_t time = b->time;
    while (p < end) {
        uint64_t args[EVENT_MAX_ARGS];
        unsigned id = *p++;
        if (event_table[id].cls != EVENT_TIMED)
            return damaged;
        for (int i = 0; i < event_table[id].nargs; i++)
            if (!(p = varint_get(p, end, &args[i])))
                return damaged;
        time += args[0];
        pass->seen->events++;
        pass->seen->of_heap += id == EV_HeapAlloc || id == EV_HeapGoal;
        if (!see_event(pass, b, id, args))
            return "out of memory";
    }
    if (time > pass->seen->last)
        pass->seen->last = time;
    return NULL;
}

static int by_g(const void *a, const void *b)
{
    const struct first_status *x = a, *y = b;
    return x->g < y->g ? -1 : x->g > y->g;
}

/* One for each goroutine, whatever the spool says. */
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
