#include "config.h"

#include "cmd/first_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/events.h"
#include "lib/varint.h"

enum { MAX_TID = 1 << 22 }; /* the kernel's own limit */

struct pass {
    struct events_seen *seen;
    uint64_t *running; /* by thread: the goroutine that it runs */
};

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
    bool status = id == EV_GoStatus || id == EV_GoStatusStack;
    bool runs = id == EV_GoStart || (status && args[3] == GO_RUNNING);
    if (runs && b->m < MAX_TID)
        p->running[b->m] = args[1];
    if (status && args[3] != GO_RUNNING && id == EV_GoStatusStack && args[1] < p->seen->ngoroutines)
        p->seen->first[args[1]] = (struct first_stack){b->generation, args[4]};
    else if (e->stacks && !status) /* of two, the last one is that of the thread that writes */
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

const char *events_see(struct events_seen *seen, const struct spool_file *f)
{
    const char *err = NULL;
    memset(seen, 0, sizeof *seen);
    seen->ngoroutines = (size_t)f->header->last_g + 1;
    seen->first = calloc(seen->ngoroutines, sizeof *seen->first);
    struct pass p = {seen, calloc(MAX_TID, sizeof *p.running)};
    if (!seen->first || !p.running)
        err = "out of memory";
    for (size_t i = 0; i < f->events.n && !err; i++)
        err = see_batch(&p, &f->events.v[i]);
    free(p.running);
    return err;
}
