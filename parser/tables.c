/* Strings, stacks and CPU samples of a generation. */
#include <string.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "parser/generation.h"
#include "parser/gosort.h"

/* Where in which batch an entry of a table stands. */
struct entry {
    const struct batch *batch;
    const uint8_t *at, *p, *end;
    unsigned id;
    struct failure *f;
};

static struct place place_of(const struct entry *e)
{
    return (struct place){.generation = e->batch->generation,
                          .thread = e->batch->thread,
                          .offset = e->batch->offset + (uint64_t)(e->at - e->batch->data),
                          .event = event_name(e->id)};
}

static struct entry begin(const struct batch *b, struct failure *f, unsigned id)
{
    return (struct entry){.batch = b, .p = b->data + 1, .end = b->data + b->size, .id = id, .f = f};
}

static bool next(struct entry *e)
{
    e->at = e->p;
    if (*e->p++ == e->id)
        return true;
    fail(e->f, GOTRACE_EBROKEN, place_of(e), "expected %s, got event %u", event_name(e->id), *e->at);
    return false;
}

static bool integer(struct entry *e, const char *what, uint64_t *v)
{
    const uint8_t *p = varint_get(e->p, e->end, v);
    if (LIKELY(p != NULL)) {
        e->p = p;
        return true;
    }
    fail(e->f, GOTRACE_EBROKEN, place_of(e), "%s is cut off or does not fit 64 bits", what);
    return false;
}

static bool no_memory(const struct entry *e)
{
    fail(e->f, GOTRACE_ENOMEM, place_of(e), "out of memory");
    return false;
}

bool tables_begin(struct generation *g, struct failure *f)
{
    g->strings.n = g->stacks.n = g->pcs.n = g->frames.n = g->samples.n = 0;
    idmap_clear(&g->string_of);
    idmap_clear(&g->stack_of);
    idmap_clear(&g->frame_of);
    if (!VEC_ROOM(&g->strings) || !VEC_ROOM(&g->stacks) || !idmap_add(&g->string_of, 0, 1) ||
        !idmap_add(&g->stack_of, 0, 1)) {
        fail(f, GOTRACE_ENOMEM, (struct place){.thread = GOTRACE_NONE}, "out of memory");
        return false;
    }
    g->strings.v[g->strings.n++] = (struct gotrace_str){"", 0};
    g->stacks.v[g->stacks.n++] = (struct stack){0, 0};
    return true;
}

static bool add_id(struct entry *e, struct idmap *map, uint64_t id, size_t n, const char *what)
{
    if (idmap_get(map, id)) {
        fail(e->f, GOTRACE_EBROKEN, place_of(e), "multiple %s with the same ID %llu%s", what, (unsigned long long)id,
             id ? "" : ", which is the empty one's");
        return false;
    }
    return (n < UINT32_MAX && idmap_add(map, id, (uint32_t)n)) || no_memory(e);
}

bool tables_add_strings(struct generation *g, const struct batch *b, struct failure *f)
{
    for (struct entry e = begin(b, f, EV_String); e.p < e.end;) {
        uint64_t id, len;
        if (!next(&e) || !integer(&e, "the ID", &id) || !integer(&e, "the length", &len))
            return false;
        if (len > STRING_MAX_SIZE) {
            fail(f, GOTRACE_EBROKEN, place_of(&e), "invalid string size %llu, the maximum is %d",
                 (unsigned long long)len, STRING_MAX_SIZE);
            return false;
        }
        if (len > (uint64_t)(e.end - e.p)) {
            fail(f, GOTRACE_EBROKEN, place_of(&e), "a string of %llu bytes exceeds its batch", (unsigned long long)len);
            return false;
        }
        if (!VEC_ROOM(&g->strings))
            return no_memory(&e);
        g->strings.v[g->strings.n++] = (struct gotrace_str){(const char *)e.p, len};
        if (!add_id(&e, &g->string_of, id, g->strings.n, "strings"))
            return false;
        e.p += len;
    }
    return true;
}

static bool add_frame(struct generation *g, struct entry *e)
{
    struct frame frame;
    if (!integer(e, "a frame's PC", &frame.pc) || !integer(e, "a frame's function", &frame.function) ||
        !integer(e, "a frame's file", &frame.file) || !integer(e, "a frame's line", &frame.line))
        return false;
    if (!VEC_ROOM(&g->pcs) || !VEC_ROOM(&g->frames) || g->pcs.n >= UINT32_MAX)
        return no_memory(e);
    uint32_t known = idmap_get(&g->frame_of, frame.pc);
    if (!known) {
        g->frames.v[g->frames.n++] = frame;
        known = (uint32_t)g->frames.n;
        if (!idmap_add(&g->frame_of, frame.pc, known))
            return no_memory(e);
    }
    g->pcs.v[g->pcs.n++] = known - 1;
    return true;
}

bool tables_add_stacks(struct generation *g, const struct batch *b, struct failure *f)
{
    for (struct entry e = begin(b, f, EV_Stack); e.p < e.end;) {
        uint64_t id, n;
        if (!next(&e) || !integer(&e, "the ID", &id) || !integer(&e, "the number of frames", &n))
            return false;
        if (n > STACK_MAX_FRAMES) {
            fail(f, GOTRACE_EBROKEN, place_of(&e), "invalid stack size %llu, the maximum is %d", (unsigned long long)n,
                 STACK_MAX_FRAMES);
            return false;
        }
        if (!VEC_ROOM(&g->stacks))
            return no_memory(&e);
        g->stacks.v[g->stacks.n++] = (struct stack){(uint32_t)g->pcs.n, (uint32_t)n};
        for (uint64_t i = 0; i < n; i++)
            if (!add_frame(g, &e))
                return false;
        if (!add_id(&e, &g->stack_of, id, g->stacks.n, "stacks"))
            return false;
    }
    return true;
}

bool tables_add_samples(struct generation *g, const struct batch *b, struct failure *f)
{
    for (struct entry e = begin(b, f, EV_CPUSample); e.p < e.end;) {
        uint64_t time;
        struct sample s;
        if (!next(&e) || !integer(&e, "the time", &time) || !integer(&e, "the thread", &s.thread) ||
            !integer(&e, "the proc", &s.proc) || !integer(&e, "the goroutine", &s.goroutine) ||
            !integer(&e, "the stack", &s.stack))
            return false;
        if (!VEC_ROOM(&g->samples))
            return no_memory(&e);
        s.time = (int64_t)time;
        s.offset = place_of(&e).offset;
        if (s.goroutine == GO_NONE)
            s.goroutine = ID_NONE;
        g->samples.v[g->samples.n++] = s;
    }
    return true;
}

bool tables_check_frames(const struct generation *g, struct failure *f)
{
    struct place at = {.generation = g->number, .thread = GOTRACE_NONE, .event = event_name(EV_Stack)};
    for (size_t i = 0; i < g->frames.n; i++) {
        const struct frame *frame = &g->frames.v[i];
        bool function = generation_has_string(g, frame->function);
        if (function && generation_has_string(g, frame->file))
            continue;
        fail(f, GOTRACE_EBROKEN, at, "found invalid %s string ID %llu in the frame with PC 0x%llx",
             function ? "file" : "func", (unsigned long long)(function ? frame->file : frame->function),
             (unsigned long long)frame->pc);
        return false;
    }
    return true;
}

bool tables_sort_samples(struct generation *g, struct failure *f)
{
    size_t n = g->samples.n;
    if (!n)
        return true;
    struct keyed *order = calloc(n, sizeof *order);
    struct sample *sorted = calloc(n, sizeof *sorted);
    if (order && sorted) {
        for (size_t i = 0; i < n; i++) {
            g->samples.v[i].time = clock_ns(&g->clock, (uint64_t)g->samples.v[i].time);
            order[i] = (struct keyed){g->samples.v[i].time, i};
        }
        gosort(order, n);
        for (size_t i = 0; i < n; i++)
            sorted[i] = g->samples.v[order[i].value];
        memcpy(g->samples.v, sorted, n * sizeof *sorted);
    } else {
        fail(f, GOTRACE_ENOMEM, (struct place){.generation = g->number, .thread = GOTRACE_NONE}, "out of memory");
    }
    free(order);
    free(sorted);
    return !f->error.status;
}

struct gotrace_str generation_string(const struct generation *g, uint64_t id)
{
    uint32_t i = idmap_get(&g->string_of, id);
    return i ? g->strings.v[i - 1] : (struct gotrace_str){"", 0};
}
