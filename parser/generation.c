#include "parser/generation.h"

#include <string.h>

#include "parser/clock_events.h"

static bool no_memory(const struct batch *b, struct failure *f)
{
    fail(f, GOTRACE_ENOMEM, (struct place){.generation = b->generation, .thread = b->thread}, "out of memory");
    return false;
}

int64_t clock_slow_ns(const struct clock *c, uint64_t units)
{
    double ns = (double)units * c->ns_per_unit;
    return ns >= -0x1p63 && ns < 0x1p63 ? (int64_t)ns : INT64_MIN;
}

static void clock_set(struct clock *c, uint64_t units_per_second)
{
    c->ns_per_unit = 1.0 / ((double)units_per_second / 1e9);
    c->whole = c->exact = 0;
    if (c->ns_per_unit >= 1 && c->ns_per_unit <= 1 << 20 && (double)(uint64_t)c->ns_per_unit == c->ns_per_unit) {
        c->whole = (uint64_t)c->ns_per_unit;
        c->exact = (UINT64_C(1) << 53) / c->whole;
    }
}

static bool add_run(struct generation *g, const struct batch *b, struct failure *f)
{
    uint32_t at = idmap_get(&g->lane_of, b->thread);
    if (!VEC_ROOM(&g->runs) || (!at && !VEC_ROOM(&g->lanes)) || g->runs.n >= UINT32_MAX)
        return no_memory(b, f);
    uint32_t run = (uint32_t)g->runs.n;
    if (at) {
        struct lane *lane = &g->lanes.v[at - 1];
        g->runs.v[lane->last].next = run;
        lane->last = run;
    } else {
        g->lanes.v[g->lanes.n++] = (struct lane){b->thread, run, run};
        if (!idmap_add(&g->lane_of, b->thread, (uint32_t)g->lanes.n))
            return no_memory(b, f);
    }
    g->runs.v[g->runs.n++] = (struct run){.data = b->data, .size = b->size, .time = b->time, .offset = b->offset};
    return true;
}

static bool add_experimental(struct generation *g, const struct batch *b, struct failure *f)
{
    if (!VEC_ROOM(&g->experimental))
        return no_memory(b, f);
    g->experimental.v[g->experimental.n++] = *b;
    return true;
}

static bool add_frequency(struct generation *g, const struct batch *b, const uint8_t *at, uint64_t units,
                          struct failure *f)
{
    if (g->clock.ns_per_unit != 0) {
        fail(f, GOTRACE_EBROKEN, place_in(b, at), "found multiple frequency events");
        return false;
    }
    clock_set(&g->clock, units);
    return true;
}

static bool add_snapshot(struct generation *g, const struct batch *b, const uint8_t *at, const uint64_t args[4],
                         struct failure *f)
{
    if (g->has_snapshot) {
        fail(f, GOTRACE_EBROKEN, place_in(b, at), "found multiple clock snapshot events");
        return false;
    }
    g->has_snapshot = true;
    g->snap_time = b->time + args[0];
    g->snap_mono = args[1];
    g->snap_sec = args[2];
    g->snap_nsec = args[3];
    return true;
}

static bool add_sync(struct generation *g, const struct batch *b, bool clocks, struct failure *f)
{
    uint64_t args[EVENT_MAX_ARGS];
    for (const uint8_t *p = clock_events(b, clocks), *end = b->data + b->size; p < end;) {
        const uint8_t *at = p;
        if (!(p = clock_event_get(b, clocks, p, args, f)))
            return false;
        if (!(*at == EV_Frequency ? add_frequency(g, b, at, args[0], f) : add_snapshot(g, b, at, args, f)))
            return false;
    }
    return true;
}

static bool add_batch(struct generation *g, const struct batch *b, const struct wire_version *version,
                      struct failure *f)
{
    if (b->experiment)
        return add_experimental(g, b, f);
    unsigned first = b->size && b->data ? b->data[0] : EV_None;
    if (b->end_of_generation) {
        fail(f, GOTRACE_EBROKEN, place_in(b, b->data), "an end of a generation in a trace of go 1.%d",
             version->nn);
        return false;
    }
    if (first == EV_Strings)
        return tables_add_strings(g, b, f);
    if (first == EV_Stacks)
        return tables_add_stacks(g, b, f);
    if (first == EV_CPUSamples)
        return tables_add_samples(g, b, f);
    if (is_clock_batch(b, version->clocks))
        return add_sync(g, b, version->clocks, f);
    return add_run(g, b, f);
}

static void clear(struct generation *g)
{
    g->number = g->min_time = 0;
    g->clock = (struct clock){0};
    g->has_snapshot = g->followed = false;
    g->runs.n = g->lanes.n = g->experimental.n = 0;
    idmap_clear(&g->lane_of);
}

static bool complete(struct generation *g, const struct wire_version *version, struct failure *f)
{
    struct place at = {.generation = g->number, .thread = GOTRACE_NONE};
    if (g->clock.ns_per_unit == 0) {
        fail(f, GOTRACE_EBROKEN, at, "no frequency event found in the generation");
        return false;
    }
    if (version->clocks && !g->has_snapshot) {
        fail(f, GOTRACE_EBROKEN, at, "no clock snapshot event found in the generation");
        return false;
    }
    return tables_check_frames(g, f) && tables_sort_samples(g, f);
}

static bool belongs(struct generation *g, const struct batch *b, const struct wire_version *version, struct failure *f)
{
    struct place at = {b->generation, b->thread, b->offset, event_name(EV_EventBatch)};
    if (!b->generation) {
        fail(f, GOTRACE_EBROKEN, at, "invalid generation number 0");
        return false;
    }
    if (g->number && b->generation != g->number) {
        fail(f, GOTRACE_EBROKEN, at,
             version->ends ? "missing end-of-generation event, or generations are interleaved: a batch of "
                             "generation %llu in generation %llu"
                           : "generations out of order: a batch of generation %llu in generation %llu",
             (unsigned long long)b->generation, (unsigned long long)g->number);
        return false;
    }
    return true;
}

enum generation_result generation_read(struct generation *g, struct source *s, const struct wire_version *version,
                                       struct failure *f)
{
    struct failure later = {0};
    clear(g);
    g->source = s;
    source_forget(s);
    if (!tables_begin(g, f))
        return GENERATION_BROKEN;
    bool any = false;
    for (;; any = true) {
        struct batch b;
        enum batch_result result = read_batch(s, g->number, &b, &later);
        if (result == BATCH_NONE) {
            if (!version->ends)
                break;
            if (!any)
                return GENERATION_NONE;
            fail(f, GOTRACE_EBROKEN, (struct place){g->number, GOTRACE_NONE, source_offset(s), NULL},
                 "the trace is cut off: incomplete generation");
            return GENERATION_BROKEN;
        }
        if (result == BATCH_BROKEN) {
            /* Without an end it may be the next generation's first batch that is broken: this one may be whole. */
            if (!version->ends && any)
                break;
            *f = later;
            f->error.message = f->message;
            return GENERATION_BROKEN;
        }
        if (b.end_of_generation && version->ends)
            break;
        uint64_t length = source_offset(s) - b.offset;
        if (!version->ends && b.generation && g->number && b.generation == g->number + 1) {
            source_back(s, length);
            g->followed = true;
            break;
        }
        if (!belongs(g, &b, version, f))
            return GENERATION_BROKEN;
        g->number = b.generation;
        if (!g->min_time || b.time < g->min_time)
            g->min_time = b.time;
        b.offset += length - b.size;
        if (!add_batch(g, &b, version, f))
            return GENERATION_BROKEN;
    }
    bool whole = complete(g, version, f);
    if (!later.error.status)
        return whole ? GENERATION_OK : GENERATION_BROKEN;
    /* That it is cut off tells more than what the generation lacks because of it. */
    *f = later;
    f->error.message = f->message;
    return whole ? GENERATION_CUT : GENERATION_BROKEN;
}

void generation_free(struct generation *g)
{
    VEC_FREE(&g->runs);
    VEC_FREE(&g->lanes);
    VEC_FREE(&g->strings);
    VEC_FREE(&g->stacks);
    VEC_FREE(&g->pcs);
    VEC_FREE(&g->frames);
    VEC_FREE(&g->samples);
    VEC_FREE(&g->experimental);
    idmap_free(&g->lane_of);
    idmap_free(&g->string_of);
    idmap_free(&g->stack_of);
    idmap_free(&g->frame_of);
}
