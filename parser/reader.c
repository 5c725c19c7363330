/*
 * The long way to the next event, reader_next_slow. It does the following; the short way of
 * reader_next.c does 2, 4, 5 and 8 alone, where it is sure that nothing else is called for.
 *
 *  1. If the last event was one of several that the ordering made of one (a GoSwitch), return the next of them.
 *  2. Decode the next event of the thread whose event was returned last, and put it where its time belongs in the
 *     frontier; a thread without further events leaves the frontier. An event that cannot be decoded ends the trace,
 *     with an error: all that came before it is out by now.
 *  3. If a CPU sample is earlier than all threads' events, or only samples are left, return it. If neither is left, the
 *     generation is over: 9.
 *  4. Take the thread with the earliest event.
 *  5. Ask the ordering whether that event may happen now, given what all events so far have done to the goroutines,
 *     procs and threads that it names, and their sequence numbers. If so, it has happened: 8.
 *  6. If it breaks a rule, whatever other threads do, the trace is broken.
 *  7. If it has to wait for another thread's event, its time lies. Ask the same of the other threads' next events, in the
 *     order of their times, and let the first that may happen do so. If none may, the trace is broken.
 *  8. Check that the strings and stacks exist that the event refers to, put its time a nanosecond after that of the
 *     event before if it is not later anyway, and return it. When it is of several, 1 is next, else 2.
 *  9. Keep the names of what goes on over the end of the generation; from here on its strings and stacks are gone. Read
 *     the batches of the next one, sort its events by thread and its samples by time, fill the tables, decode the first
 *     event of each thread, and return a Sync event. When there is no further generation, return a Sync event as well,
 *     then NULL; when it cannot be read, likewise, with an error.
 * 10. A generation that is cut off, yet complete in itself, is gone through like the others, and the error comes when it
 *     is over, after a Sync event.
 *
 * What of this may differ from Go's ReadEvent, and why, is in docs/reader.md.
 */
#include <string.h>

#include "parser/reader.h"

/* In a generation that is cut off, what is wrong is wrong for that reason, most likely: surely, where it cannot be read. */
static void blame_the_cut(struct gotrace_reader *r)
{
    size_t len = strlen(r->failure.message);
    if (r->later.error.status == GOTRACE_EREAD || r->later.error.status == GOTRACE_ENOMEM) {
        r->failure = r->later;
        r->failure.error.message = r->failure.message;
    } else
        snprintf(r->failure.message + len, sizeof r->failure.message - len, "; and, at byte %llu, %s",
                 (unsigned long long)r->later.error.offset, r->later.message);
}

static const struct gotrace_event *give_up(struct gotrace_reader *r)
{
    if (r->state == CUT_SHORT)
        blame_the_cut(r);
    r->fast = false;
    r->state = ENDED;
    r->generation.serial++;
    return NULL;
}

/*
 * Which arguments, dt not counted, are the IDs of a stack and of a string; NO_ID: an argument that is always 0. Few
 * events have two of a kind.
 */
enum { NO_ID = EVENT_MAX_ARGS - 1 };
#define TOP(set) ((set)&16 ? 3 : (set)&8 ? 2 : (set)&4 ? 1 : (set)&2 ? 0 : NO_ID)
#define TWO(set) (((set) & ((set)-1)) != 0)
#define GOTRACE_EVENT(id, name, since, cls, exp, strs, stks, pair, ...)                                                \
    [id] = {EVENT_##cls == EVENT_TIMED ? TOP(stks) : NO_ID, EVENT_##cls == EVENT_TIMED ? TOP(strs) : NO_ID,            \
            TWO(strs) || TWO(stks)},
static const struct {
    uint8_t stack, string;
    bool more;
} ids[256] = {
#include "gotrace/events.def"
    [EV_SYNC_POINT] = {NO_ID, NO_ID, false},
};
#undef GOTRACE_EVENT

COLD static bool bad_id(struct gotrace_reader *r, const struct gotrace_event *ev, const char *what, uint64_t id)
{
    fail(&r->failure, GOTRACE_EBROKEN, event_place(ev), "found invalid %s ID %llu", what, (unsigned long long)id);
    return false;
}

__attribute__((noinline)) static bool check_all_ids(struct gotrace_reader *r, const struct gotrace_event *ev)
{
    if (!ev->tables) /* a Sync event at the end */
        return true;
    for (unsigned i = 1; i < event_table[ev->type].nargs; i++) {
        uint64_t id = ev->args[i - 1];
        if (event_table[ev->type].stacks >> i & 1 && !generation_has_stack(ev->tables, id))
            return bad_id(r, ev, "stack", id);
        if (event_table[ev->type].strings >> i & 1 && !generation_has_string(ev->tables, id))
            return bad_id(r, ev, "string", id);
    }
    return true;
}

static inline bool check_ids(struct gotrace_reader *r, const struct gotrace_event *ev)
{
    const struct generation *g = &r->generation;
    uint64_t stack = ev->args[ids[ev->type].stack], string = ev->args[ids[ev->type].string];
    if (LIKELY(!ids[ev->type].more && stack < g->stack_of.ndense && string < g->string_of.ndense &&
               g->stack_of.dense[stack] && g->string_of.dense[string]))
        return true;
    return check_all_ids(r, ev);
}

/* Time never stands still: where the trace says it does, each event is a nanosecond after the one before. */
static inline const struct gotrace_event *deliver(struct gotrace_reader *r, struct gotrace_event *ev)
{
    if (UNLIKELY(!check_ids(r, ev)))
        return give_up(r);
    if (ev->time <= r->last)
        ev->time = (int64_t)((uint64_t)r->last + 1);
    r->last = ev->time;
    return ev;
}

static const struct gotrace_event *sync_event(struct gotrace_reader *r, const struct generation *g, int64_t time)
{
    r->made = (struct gotrace_event){.type = EV_SYNC_POINT,
                                     .time = time,
                                     .thread = ID_NONE,
                                     .proc = ID_NONE,
                                     .goroutine = ID_NONE,
                                     .tables = g,
                                     .args[0] = ++r->syncs};
    return deliver(r, &r->made);
}

static void next_sample(struct gotrace_reader *r)
{
    bool more = r->sample < r->generation.samples.n;
    r->sample_time = more ? r->generation.samples.v[r->sample].time : INT64_MAX;
}

static const struct gotrace_event *sample(struct gotrace_reader *r)
{
    const struct sample *s = &r->generation.samples.v[r->sample++];
    next_sample(r);
    r->made = (struct gotrace_event){.type = EV_CPUSample,
                                     .time = s->time,
                                     .thread = s->thread,
                                     .proc = s->proc,
                                     .goroutine = s->goroutine,
                                     .tables = &r->generation,
                                     .origin = s->offset,
                                     .args[0] = s->stack};
    if (!generation_has_stack(&r->generation, s->stack)) {
        bad_id(r, &r->made, "stack", s->stack);
        return give_up(r);
    }
    return deliver(r, &r->made);
}

static const struct gotrace_event *install(struct gotrace_reader *r)
{
    r->loaded = true;
    r->sample = 0;
    next_sample(r);
    if (!frontier_fill(&r->frontier, &r->generation, &r->failure))
        return give_up(r);
    if (r->frontier.n)
        order_begin_generation(&r->order, r->generation.number);
    return sync_event(r, &r->generation, clock_ns(&r->generation.clock, r->generation.min_time));
}

/* The generation is used up, and what was handed out of it is valid no more. */
static const struct gotrace_event *turn_over(struct gotrace_reader *r)
{
    r->generation.serial++;
    if (r->state == CUT_SHORT) {
        r->state = FAIL_NEXT;
        return sync_event(r, NULL, r->last);
    }
    if (!r->version->ends && r->loaded && !r->generation.followed) {
        r->state = ENDED;
        return sync_event(r, NULL, r->last);
    }
    if (!order_end_generation(&r->order)) {
        fail(&r->failure, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
        return give_up(r);
    }
    switch (generation_read(&r->generation, &r->source, r->version, &r->later)) {
    case GENERATION_CUT:
        r->state = CUT_SHORT;
        break;
    case GENERATION_OK:
        break;
    case GENERATION_NONE:
        r->state = ENDED;
        return sync_event(r, NULL, r->last);
    case GENERATION_BROKEN:
        r->state = FAIL_NEXT;
        return sync_event(r, NULL, r->last);
    }
    return install(r);
}

static enum step try_advance(struct gotrace_reader *r, size_t i)
{
    struct cursor *c = frontier_cursor(&r->frontier, i);
    if (UNLIKELY(!c->thread)) {
        c->thread = order_thread(&r->order, c->id);
        if (!c->thread) {
            fail(&r->failure, GOTRACE_ENOMEM, event_place(&c->ev), "out of memory");
            return STEP_BROKEN;
        }
    }
    if (UNLIKELY(!order_steps[c->ev.type])) {
        fail(&r->failure, GOTRACE_EBROKEN, event_place(&c->ev), "bad event type found while ordering");
        return STEP_BROKEN;
    }
    return order_advance(&r->order, &c->ev, c->thread);
}

static const struct gotrace_event *advanced(struct gotrace_reader *r, size_t i)
{
    struct cursor *c = frontier_cursor(&r->frontier, i);
    r->pending = (ssize_t)i;
    if (LIKELY(!r->order.nseveral)) {
        r->fast = i == 0 && c->ev.thread == c->id;
        return deliver(r, &c->ev);
    }
    r->nth = 1;
    return deliver(r, &r->order.several[0]);
}

/* None may go on: says so, and what the first few threads wait with. */
static const struct gotrace_event *stuck(struct gotrace_reader *r)
{
    char list[200] = "";
    size_t len = 0;
    r->stuck = true;
    for (size_t i = 0; i < r->frontier.n && i < 4; i++) {
        const struct cursor *c = frontier_cursor(&r->frontier, i);
        int n = snprintf(list + len, sizeof list - len, "%s thread %lld at byte %llu with %s", i ? "," : "",
                         (long long)c->id, (unsigned long long)gotrace_event_offset(&c->ev), event_name(c->ev.type));
        len = n > 0 && len + (size_t)n < sizeof list ? len + (size_t)n : sizeof list - 1;
    }
    fail(&r->failure, GOTRACE_EBROKEN, event_place(&frontier_cursor(&r->frontier, 0)->ev),
         "broken trace: failed to advance: no thread's next event may happen:%s%s", list,
         r->frontier.n > 4 ? " …" : "");
    return give_up(r);
}

/* The earliest event has to wait for another thread's: the others get their turn, in order of time. */
COLD static const struct gotrace_event *others(struct gotrace_reader *r)
{
    gosort(r->frontier.heap, r->frontier.n);
    for (size_t i = 1; i < r->frontier.n; i++) {
        enum step step = try_advance(r, i);
        if (step == STEP_OK)
            return advanced(r, i);
        if (step == STEP_BROKEN)
            return give_up(r);
    }
    return stuck(r);
}

/* What else there is than the next event of a thread. */
COLD static const struct gotrace_event *aside(struct gotrace_reader *r)
{
    if (r->state == ENDED)
        return NULL;
    if (r->state == FAIL_NEXT) {
        r->failure = r->later;
        r->failure.error.message = r->failure.message;
        return give_up(r);
    }
    bool samples = r->loaded && r->sample < r->generation.samples.n;
    return samples ? sample(r) : turn_over(r);
}

/* Reading all of the trace is left to the first call: its end may be the first that happened. */
__attribute__((noinline)) static const struct gotrace_event *next_of_v1(struct gotrace_reader *r)
{
    if (UNLIKELY(!r->as_v2)) {
        r->as_v2 = as_v2_open(&r->source, &r->generation, &r->failure);
        if (r->as_v2 && r->name && !as_v2_name_frames(r->as_v2, r->name, r->name_arg, &r->failure)) {
            as_v2_free(r->as_v2);
            r->as_v2 = NULL;
        }
    }
    const struct gotrace_event *ev = r->as_v2 ? as_v2_next(r->as_v2, &r->failure) : NULL;
    if (UNLIKELY(!ev)) {
        r->state = ENDED;
        r->generation.serial++;
    }
    return ev;
}

static inline bool move_on(struct gotrace_reader *r)
{
    size_t i = (size_t)r->pending;
    struct cursor *c = frontier_cursor(&r->frontier, i);
    enum cursor_result result = cursor_next(c, &r->generation, &r->failure);
    if (LIKELY(result == CURSOR_OK))
        frontier_update(&r->frontier, i, c->ev.time);
    else if (result == CURSOR_END)
        frontier_remove(&r->frontier, i);
    else
        return false;
    return true;
}

const struct gotrace_event *reader_decide(struct gotrace_reader *r)
{
    r->fast = false;
    r->pending = NO_PENDING;
    if (UNLIKELY(!r->frontier.n || r->sample_time < r->frontier.heap[0].key))
        return aside(r);
    enum step step = try_advance(r, 0);
    if (LIKELY(step == STEP_OK))
        return advanced(r, 0);
    return step == STEP_WAIT ? others(r) : give_up(r);
}

const struct gotrace_event *reader_next_slow(struct gotrace_reader *r)
{
    r->fast = false;
    if (UNLIKELY(r->order.nseveral)) {
        if (r->nth < r->order.nseveral)
            return deliver(r, &r->order.several[r->nth++]);
        r->order.nseveral = 0;
    }
    if (UNLIKELY(r->state >= FAIL_NEXT))
        return r->state == READING_V1 ? next_of_v1(r) : aside(r);
    if (r->pending >= 0 && UNLIKELY(!move_on(r)))
        return give_up(r);
    return reader_decide(r);
}
