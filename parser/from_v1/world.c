#include "parser/from_v1/world.h"

#include <string.h>

#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"

/* ---- output ---------------------------------------------------------------------------------------------------- */

static void flush(struct world *w, struct v2_thread *t)
{
    uint8_t header[BATCH_HEADER_MAX];
    const struct batch_header h = {EV_EventBatch, 0, 1, t->id, t->base, t->body.size};
    if (!t->body.size)
        return;
    gotrace_builder_copy(w->out, header, (size_t)(batch_header_put(header, &h) - header), t->base);
    gotrace_builder_copy(w->out, t->body.at, t->body.size, t->last);
    t->body.size = 0;
}

void world_flush(struct world *w)
{
    for (size_t i = 0; i < w->threads.n; i++)
        flush(w, &w->threads.v[i]);
}

static void put_at(struct world *w, uint64_t time, uint32_t thread, uint8_t type, const uint64_t *args)
{
    struct v2_thread *t = &w->threads.v[thread];
    w->last = time > w->last ? time : w->last + 1;
    if (!w->writes)
        return;
    if (t->body.size + EVENT_SIZE_MAX > BATCH_MAX_SIZE)
        flush(w, t);
    if (!t->body.size)
        t->base = t->last = w->last;
    uint8_t event[EVENT_SIZE_MAX];
    const uint8_t *end = event_put(event, type, w->last - t->last, args, timed_args[type] - 1u);
    raw_buffer_add(&t->body, event, (size_t)(end - event));
    t->last = w->last;
    w->no_memory |= t->body.failed;
}

void put(struct world *w, uint32_t thread, uint8_t type, const uint64_t *args)
{
    put_at(w, w->now, thread, type, args);
}

/* At most three come before one event: they do not move it, if there is room. */
void put_before(struct world *w, uint32_t thread, uint8_t type, const uint64_t *args)
{
    enum { ROOM = 3 };
    put_at(w, w->now > ROOM ? w->now - ROOM : 0, thread, type, args);
}

/* ---- who there is ---------------------------------------------------------------------------------------------- */

/* The index of id in a map; if it has none, n is. */
static uint32_t index_of(struct world *w, struct idmap *map, uint64_t id, size_t n, bool room)
{
    uint32_t at = idmap_get(map, id);
    if (LIKELY(at))
        return at;
    if (room && n < UINT32_MAX && idmap_add(map, id, (uint32_t)n))
        return (uint32_t)n;
    w->no_memory = true;
    return 0;
}

#define INDEX_OF(map, list) index_of(w, &w->map, id, w->list.n, VEC_ROOM(&w->list))
#define ADD_NEW(list, at, ...)                                                                                         \
    do {                                                                                                               \
        if (UNLIKELY((at) && (at) == w->list.n))                                                                       \
            w->list.v[w->list.n++] = (__typeof__(*w->list.v)){__VA_ARGS__};                                            \
    } while (0)

uint32_t world_thread(struct world *w, uint64_t id)
{
    uint32_t at = INDEX_OF(thread_of, threads);
    ADD_NEW(threads, at, .id = id);
    return at;
}

uint32_t world_proc(struct world *w, uint64_t id)
{
    uint32_t at = INDEX_OF(proc_of, procs);
    ADD_NEW(procs, at, .id = id);
    return at;
}

uint32_t world_go(struct world *w, uint64_t id)
{
    uint32_t at = INDEX_OF(go_of, gos);
    ADD_NEW(gos, at, .id = id);
    return at;
}

static void forget(struct world *w)
{
    for (size_t i = 0; i < w->threads.n; i++)
        raw_buffer_free(&w->threads.v[i].body);
    idmap_clear(&w->thread_of);
    idmap_clear(&w->proc_of);
    idmap_clear(&w->go_of);
    w->threads.n = w->procs.n = w->gos.n = 1;
    w->spare.n = 0;
}

bool world_init(struct world *w)
{
    w->strings = calloc(w->tables->strings.n, sizeof *w->strings);
    w->stacks = calloc(w->tables->stacks.n, sizeof *w->stacks);
    if (!w->strings || !w->stacks || !VEC_ROOM(&w->threads) || !VEC_ROOM(&w->procs) || !VEC_ROOM(&w->gos))
        return false;
    world_again(w);
    return true;
}

void world_again(struct world *w)
{
    forget(w);
    w->threads.v[0] = (struct v2_thread){.id = ID_NONE};
    w->procs.v[0] = (struct v2_proc){0};
    w->gos.v[0] = (struct v2_go){0};
    w->made_up = w->gc_seq = w->nbegins = 0;
    w->collects = false;
    w->stop = (struct v2_stop){0};
    w->last = LATER - 1;
}

void world_free(struct world *w)
{
    forget(w);
    VEC_FREE(&w->threads);
    VEC_FREE(&w->procs);
    VEC_FREE(&w->gos);
    VEC_FREE(&w->spare);
    VEC_FREE(&w->begins);
    idmap_free(&w->thread_of);
    idmap_free(&w->proc_of);
    idmap_free(&w->go_of);
    idmap_free(&w->plan_of);
    free(w->strings);
    free(w->stacks);
}
