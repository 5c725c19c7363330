#include "parser/rewrite/rewriter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/objects.h"
#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"

/* What lanes may hold together: many threads have smaller batches. */
enum { HELD_MAX = 64 << 20, SECOND = 1000000000 };

static bool refused(struct rewriter *w)
{
    const struct gotrace_error *e = w->builder ? gotrace_builder_error(w->builder) : NULL;
    struct place nowhere = {.thread = ID_NONE};
    if (!e)
        return rewriter_no_memory(w);
    fail(w->f, e->status, nowhere, "%s", e->message);
    w->f->error.sys_errno = e->sys_errno;
    return false;
}

bool rewriter_no_memory(struct rewriter *w)
{
    fail(w->f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
    return false;
}

bool rewriter_begin(struct rewriter *w, int version, FILE *to, struct failure *f)
{
    *w = (struct rewriter){.f = f, .builder = gotrace_builder_new_file(version, to), .source = &w->own};
    return w->builder || rewriter_no_memory(w);
}

void rewriter_source_free(struct rewriter_source *s)
{
    idmap_free(&s->strings);
    idmap_free(&s->stacks);
}

void rewriter_free(struct rewriter *w)
{
    for (size_t i = 0; i < w->lanes.n; i++)
        raw_buffer_free(&w->lanes.v[i].events);
    VEC_FREE(&w->lanes);
    idmap_free(&w->lane_of);
    rewriter_source_free(&w->own);
    gotrace_builder_free(w->builder);
}

/* ---- batches ---------------------------------------------------------------------------------------------------- */

static bool flush(struct rewriter *w, struct rewriter_lane *lane)
{
    uint8_t header[BATCH_HEADER_MAX];
    size_t size = lane->events.size;
    if (!size)
        return true;
    const struct batch_header h = {EV_EventBatch, 0, w->generation, lane->thread, (uint64_t)lane->base, size};
    size_t header_size = (size_t)(batch_header_put(header, &h) - header);
    w->held -= size;
    lane->events.size = 0;
    return (!gotrace_builder_copy(w->builder, header, header_size, (uint64_t)lane->base) &&
            !gotrace_builder_copy(w->builder, lane->events.at, size, (uint64_t)lane->last)) ||
           refused(w);
}

static bool flush_all(struct rewriter *w)
{
    for (size_t i = 0; i < w->lanes.n; i++)
        if (!flush(w, &w->lanes.v[i]))
            return false;
    return true;
}

static struct rewriter_lane *lane_of(struct rewriter *w, uint64_t thread)
{
    if (LIKELY(w->lane < w->lanes.n && w->lanes.v[w->lane].thread == thread))
        return &w->lanes.v[w->lane];
    uint32_t at = idmap_get(&w->lane_of, thread);
    if (!at) {
        if (w->lanes.n >= UINT32_MAX - 1 || !VEC_ROOM(&w->lanes) ||
            !idmap_add(&w->lane_of, thread, (uint32_t)w->lanes.n + 1))
            return NULL;
        w->lanes.v[w->lanes.n++] = (struct rewriter_lane){.thread = thread};
        at = (uint32_t)w->lanes.n;
    }
    w->lane = at - 1;
    return &w->lanes.v[w->lane];
}

bool rewriter_event(struct rewriter *w, uint64_t thread, int64_t time, uint8_t id, const uint64_t *args)
{
    uint64_t distinct[EVENT_MAX_ARGS];
    if (w->source->distinct) {
        memcpy(distinct, args ? args : (const uint64_t[EVENT_MAX_ARGS]){0}, (timed_args[id] - 1u) * sizeof *args);
        args = distinct;
        if (!distinct_ids(w->source->distinct, id, &thread, distinct, w->f))
            return false;
    }
    struct rewriter_lane *lane = lane_of(w, thread);
    if (UNLIKELY(!lane))
        return rewriter_no_memory(w);
    if (time <= w->last)
        time = w->last + 1;
    w->last = time;
    if (UNLIKELY(lane->events.size + EVENT_SIZE_MAX > BATCH_MAX_SIZE) && !flush(w, lane))
        return false;
    if (UNLIKELY(w->held > HELD_MAX) && !flush_all(w))
        return false;
    uint8_t *p = raw_buffer_reserve(&lane->events, EVENT_SIZE_MAX);
    if (UNLIKELY(!p))
        return rewriter_no_memory(w);
    if (!lane->events.size)
        lane->base = lane->last = time;
    size_t size = (size_t)(event_put(p, id, (uint64_t)(time - lane->last), args, timed_args[id] - 1u) - p);
    lane->events.size += size;
    w->size += size;
    lane->last = time;
    w->held += size;
    return true;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static struct rewriter_source *of_generation(const struct rewriter *w, const struct generation *g)
{
    struct rewriter_source *s = w->source;
    if (LIKELY(s->serial == g->serial && s->generation == w->generation))
        return s;
    idmap_clear(&s->strings);
    idmap_clear(&s->stacks);
    s->serial = g->serial;
    s->generation = w->generation;
    return s;
}

static bool remember(struct rewriter *w, struct idmap *map, uint64_t id, uint64_t to)
{
    if (!to)
        return !gotrace_builder_error(w->builder) || refused(w);
    return (to <= UINT32_MAX && idmap_add(map, id, (uint32_t)to)) || rewriter_no_memory(w);
}

bool rewriter_string(struct rewriter *w, const struct generation *g, uint64_t id, uint64_t *to)
{
    struct rewriter_source *source = of_generation(w, g);
    *to = id ? idmap_get(&source->strings, id) : 0;
    if (!id || *to)
        return true;
    struct gotrace_str s = generation_string(g, id);
    *to = gotrace_builder_string(w->builder, s.data, s.len);
    return remember(w, &source->strings, id, *to);
}

/* A frame with the name and the PC that it has among those of several traces. */
static bool distinct_raw(struct rewriter *w, struct gotrace_frame *f, enum frame_place place,
                         struct gotrace_raw_frame *to)
{
    if (!distinct_frame(w->source->distinct, f, place, w->f))
        return false;
    *to = (struct gotrace_raw_frame){.pc = f->pc,
                                     .function = gotrace_builder_string(w->builder, f->function.data, f->function.len),
                                     .file = gotrace_builder_string(w->builder, f->file.data, f->file.len),
                                     .line = f->line};
    return true;
}

static bool raw_frame(struct rewriter *w, const struct generation *g, const struct frame *f, enum frame_place place,
                      struct gotrace_raw_frame *to)
{
    if (w->source->distinct) {
        struct gotrace_frame frame = {f->pc, generation_string(g, f->function), generation_string(g, f->file), f->line};
        return distinct_raw(w, &frame, place, to);
    }
    *to = (struct gotrace_raw_frame){.pc = f->pc, .line = f->line};
    return rewriter_string(w, g, f->function, &to->function) && rewriter_string(w, g, f->file, &to->file);
}

static enum frame_place place_of(size_t i, size_t n)
{
    return i + 1 == n ? FRAME_OUTERMOST : i ? FRAME_BETWEEN : FRAME_INNERMOST;
}

bool rewriter_stack(struct rewriter *w, const struct generation *g, uint64_t id, uint64_t *to)
{
    struct gotrace_raw_frame frames[STACK_MAX_FRAMES];
    struct rewriter_source *source = of_generation(w, g);
    *to = id ? idmap_get(&source->stacks, id) : 0;
    uint32_t at = *to || !id ? 0 : idmap_get(&g->stack_of, id);
    if (!at)
        return true;
    const struct stack *stack = &g->stacks.v[at - 1];
    uint32_t n = stack->n < STACK_MAX_FRAMES ? stack->n : STACK_MAX_FRAMES;
    for (uint32_t i = 0; i < n; i++)
        if (!raw_frame(w, g, &g->frames.v[g->pcs.v[stack->first + i]], place_of(i, n), &frames[i]))
            return false;
    *to = gotrace_builder_stack_of_ids(w->builder, frames, n);
    return remember(w, &source->stacks, id, *to);
}

/* Behind those that are there already, as many as there is room for; without what was waited for, if so. */
static bool add_kept(struct rewriter *w, const struct kept_stacks *kept, uint32_t number, bool without_object,
                     struct gotrace_raw_frame frames[STACK_MAX_FRAMES], size_t *nframes)
{
    struct gotrace_frame f;
    size_t at = 0, n = number ? kept_stack_size(kept, number) : 0;
    for (size_t i = 0; i < n && *nframes < STACK_MAX_FRAMES && kept_stack_next(kept, number, &at, &f); i++) {
        if (!i && without_object && is_object_name(f.function.data, f.function.len))
            continue;
        if (!distinct_raw(w, &f, place_of(i, n), &frames[(*nframes)++]))
            return false;
    }
    return true;
}

bool rewriter_kept_stack(struct rewriter *w, const struct kept_stacks *kept, uint32_t number, uint64_t *to)
{
    struct gotrace_raw_frame frames[STACK_MAX_FRAMES];
    size_t n = 0;
    if (!add_kept(w, kept, number, false, frames, &n))
        return false;
    *to = n ? gotrace_builder_stack_of_ids(w->builder, frames, n) : 0;
    return !gotrace_builder_error(w->builder) || refused(w);
}

bool rewriter_kept_below(struct rewriter *w, const struct kept_stacks *kept, uint32_t number,
                         const struct gotrace_builder_frame *mark, uint64_t *to)
{
    struct gotrace_raw_frame frames[STACK_MAX_FRAMES] = {
        {.pc = mark->pc,
         .function = gotrace_builder_string(w->builder, mark->function, strlen(mark->function)),
         .file = gotrace_builder_string(w->builder, mark->file, strlen(mark->file)),
         .line = mark->line}};
    size_t n = 1;
    if (!add_kept(w, kept, number, true, frames, &n))
        return false;
    *to = n > 1 ? gotrace_builder_stack_of_ids(w->builder, frames, n) : 0;
    return !gotrace_builder_error(w->builder) || refused(w);
}

bool rewriter_string_itself(struct rewriter *w, struct gotrace_str s)
{
    gotrace_builder_string(w->builder, s.data, s.len);
    return !gotrace_builder_error(w->builder) || refused(w);
}

bool rewriter_note(struct rewriter *w, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rewriter_string_itself(w, (struct gotrace_str){text, (size_t)n});
}

static bool begins(struct gotrace_str s, const char *with)
{
    size_t len = strlen(with);
    return s.len > len && !memcmp(s.data, with, len);
}

bool rewriter_notes(struct rewriter *w, const struct generation *g, bool whole)
{
    for (size_t i = 0; i < g->strings.n; i++) {
        struct gotrace_str s = g->strings.v[i];
        bool of_part = begins(s, "thrace cpu-hz ") || begins(s, "thrace clock ") || begins(s, "thrace process ") ||
                       begins(s, "thrace switches ");
        bool of_whole = whole && begins(s, "thrace ");
        if ((of_part || of_whole) && !rewriter_string_itself(w, s))
            return false;
    }
    return true;
}

/* ---- what was read ---------------------------------------------------------------------------------------------- */

bool rewriter_copy(struct rewriter *w, const struct gotrace_event *ev, uint64_t thread, const uint64_t *args)
{
    const struct event_info *info = &event_table[ev->type];
    uint64_t to[EVENT_MAX_ARGS];
    for (unsigned i = 1; i < info->nargs; i++) {
        to[i - 1] = args[i - 1];
        if (info->strings >> i & 1 && !rewriter_string(w, ev->tables, args[i - 1], &to[i - 1]))
            return false;
        if (info->stacks >> i & 1 && !rewriter_stack(w, ev->tables, args[i - 1], &to[i - 1]))
            return false;
    }
    return rewriter_event(w, thread, ev->time, ev->type, to);
}

bool rewriter_sample(struct rewriter *w, const struct gotrace_event *ev)
{
    uint64_t stack, g = ev->goroutine == ID_NONE ? GO_NONE : ev->goroutine;
    int64_t time = ev->time > w->last ? ev->time : w->last + 1;
    w->last = time;
    if (!rewriter_stack(w, ev->tables, ev->args[0], &stack))
        return false;
    uint64_t thread = ev->thread, args[] = {thread, ev->proc, g, stack};
    if (w->source->distinct && !distinct_ids(w->source->distinct, EV_CPUSample, &thread, args, w->f))
        return false;
    return !gotrace_builder_cpu_sample(w->builder, (uint64_t)time, args[0], args[1], args[2], stack) || refused(w);
}

bool rewriter_experiments(struct rewriter *w, const struct generation *g, int64_t time)
{
    for (size_t i = 0; i < g->experimental.n; i++) {
        const struct batch *b = &g->experimental.v[i];
        if (gotrace_builder_experimental(w->builder, b->experiment, b->thread, (uint64_t)time, b->data, b->size))
            return refused(w);
    }
    return true;
}

/* ---- generations ------------------------------------------------------------------------------------------------ */

/* What the clocks showed at a time, since they showed that much at another. */
static void clocks_at(int64_t time, struct gotrace_clock_snapshot *c)
{
    uint64_t later = (uint64_t)time - (uint64_t)c->trace;
    int64_t s = (int64_t)later / SECOND, ns = (int64_t)later % SECOND + c->nsec % SECOND;
    s += ns < 0 ? -1 : ns >= SECOND;
    c->mono += later;
    c->sec = (int64_t)((uint64_t)c->sec + (uint64_t)s);
    c->nsec = ns < 0 ? ns + SECOND : ns >= SECOND ? ns - SECOND : ns;
}

bool rewriter_generation(struct rewriter *w, int64_t time, const struct gotrace_clock_snapshot *clock)
{
    struct gotrace_clock_snapshot c = {0};
    if (w->generation && time <= w->last)
        time = w->last + 1;
    if (clock) {
        c = *clock;
        clocks_at(time, &c);
    }
    if (!flush_all(w) || gotrace_builder_generation(w->builder, w->generation + 1) ||
        gotrace_builder_sync(w->builder, SECOND, (uint64_t)time, c.mono, (uint64_t)c.sec, (uint64_t)c.nsec))
        return gotrace_builder_error(w->builder) ? refused(w) : false;
    w->generation++;
    w->size = 0;
    w->last = time;
    return true;
}

bool rewriter_end(struct rewriter *w)
{
    if (!flush_all(w))
        return false;
    return !gotrace_builder_finish(w->builder) || refused(w);
}
