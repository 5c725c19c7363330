/*
 * Events that are kept. A copy has tables of its own, with the strings, the stacks and the batches that it refers to,
 * so that all that is said of events goes for it, too.
 */
#include "parser/event.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    struct gotrace_event ev; /* first: it is what users have */
    struct generation tables;
    char *bytes; /* of the strings and batches */
    size_t size;
};

/* The bytes in the copy: the first time through they are counted, the second time copied. */
static const void *keep_bytes(struct kept *k, const void *data, size_t size)
{
    char *at = k->bytes ? k->bytes + k->size : NULL;
    k->size += size;
    if (!at)
        return data;
    return size ? memcpy(at, data, size) : "";
}

static bool keep_string(struct kept *k, const struct generation *from, uint64_t id)
{
    struct generation *g = &k->tables;
    if (!generation_has_string(from, id) || (k->bytes && generation_has_string(g, id)))
        return true;
    struct gotrace_str s = generation_string(from, id);
    s.data = keep_bytes(k, s.data, s.len);
    if (!k->bytes)
        return true;
    if (!VEC_ROOM(&g->strings) || !idmap_add(&g->string_of, id, (uint32_t)g->strings.n + 1))
        return false;
    g->strings.v[g->strings.n++] = s;
    return true;
}

static bool keep_stack(struct kept *k, const struct generation *from, uint64_t id)
{
    struct generation *g = &k->tables;
    uint32_t at = idmap_get(&from->stack_of, id);
    if (!at || generation_has_stack(g, id))
        return true;
    const struct stack *stack = &from->stacks.v[at - 1];
    uint32_t first = (uint32_t)g->frames.n;
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct frame *frame = &from->frames.v[from->pcs.v[stack->first + i]];
        if (!keep_string(k, from, frame->function) || !keep_string(k, from, frame->file))
            return false;
        if (!k->bytes)
            continue;
        if (!VEC_ROOM(&g->frames) || !VEC_ROOM(&g->pcs))
            return false;
        g->pcs.v[g->pcs.n++] = (uint32_t)g->frames.n;
        g->frames.v[g->frames.n++] = *frame;
    }
    if (!k->bytes)
        return true;
    if (!VEC_ROOM(&g->stacks) || !idmap_add(&g->stack_of, id, (uint32_t)g->stacks.n + 1))
        return false;
    g->stacks.v[g->stacks.n++] = (struct stack){first, stack->n};
    return true;
}

static bool keep_batches(struct kept *k, const struct generation *from)
{
    struct generation *g = &k->tables;
    for (size_t i = 0; i < from->experimental.n; i++) {
        struct batch b = from->experimental.v[i];
        b.data = keep_bytes(k, b.data, b.size);
        if (!k->bytes)
            continue;
        if (!VEC_ROOM(&g->experimental))
            return false;
        g->experimental.v[g->experimental.n++] = b;
    }
    return true;
}

/* What the event refers to; of the table's arguments the first is dt. */
static bool keep_all(struct kept *k, const struct gotrace_event *ev)
{
    const struct generation *from = ev->tables;
    const struct event_info *info = &event_table[ev->type];
    k->ev.text.data = keep_bytes(k, ev->text.data, ev->text.len);
    if (!from)
        return true;
    if (ev->type == EV_SYNC_POINT)
        return keep_batches(k, from);
    if (ev->type == EV_CPUSample)
        return keep_stack(k, from, ev->args[0]);
    if (ev->type == EV_STWEnd) /* the ordering gives it the argument of STWBegin */
        return keep_string(k, from, ev->args[0]);
    for (unsigned i = 1; i < EVENT_MAX_ARGS; i++) {
        if (info->strings >> i & 1 && !keep_string(k, from, ev->args[i - 1]))
            return false;
        if (info->stacks >> i & 1 && !keep_stack(k, from, ev->args[i - 1]))
            return false;
    }
    return true;
}

struct gotrace_event *gotrace_event_copy(const struct gotrace_event *ev)
{
    struct kept *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->ev = *ev;
    k->ev.origin = gotrace_event_offset(ev);
    k->ev.at = NULL;
    if (ev->tables) {
        const struct generation *from = ev->tables;
        k->tables = (struct generation){.number = from->number,
                                        .serial = from->serial,
                                        .clock = from->clock,
                                        .has_snapshot = from->has_snapshot,
                                        .snap_time = from->snap_time,
                                        .snap_mono = from->snap_mono,
                                        .snap_sec = from->snap_sec,
                                        .snap_nsec = from->snap_nsec};
        k->ev.tables = &k->tables;
    }
    keep_all(k, ev);
    k->bytes = malloc(k->size + 1);
    k->size = 0;
    if (k->bytes && keep_all(k, ev))
        return &k->ev;
    gotrace_event_free(&k->ev);
    return NULL;
}

void gotrace_event_free(struct gotrace_event *ev)
{
    struct kept *k = (struct kept *)ev;
    if (!k)
        return;
    generation_free(&k->tables);
    free(k->bytes);
    free(k);
}
