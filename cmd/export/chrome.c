/*
 * Chrome's trace event format, in JSON: a slice for each stretch of time of a thread, an arrow from who woke it, samples,
 * memory, regions and tasks. It goes out as it comes; memory is for the threads that exist and for what is different.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd/export/format.h"
#include "cmd/export/json.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { LINES = 2, US = 1000 };

/* A node of "stackFrames": a frame below another one. */
struct chrome_frame {
    uint32_t frame, parent; /* frame of the store; node + 1, or 0 */
};

struct chrome {
    struct spans spans;
    struct stack_store *stacks;
    VEC(uint32_t) entered; /* by the place in spans.live: the stack that the thread began its stretch with */
    VEC(struct chrome_frame) frames;
    struct idmap frame_index; /* hash to node + 1 */
    VEC(uint32_t) leaves;     /* by stack: its innermost node + 1, 0: none, or not looked for */
    struct json json;
    uint64_t arrows;
    bool failed; /* memory is short */
};

/* ---- what all events have --------------------------------------------------------------------------------------- */

/* Microseconds since the begin of the trace, exactly. */
static void put_time(struct chrome *c, const char *key, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / US, (unsigned)(ns % US));
    json_key(&c->json, key);
    json_literal(&c->json, text);
}

static uint64_t since_begin(const struct chrome *c, int64_t time) { return (uint64_t)time - (uint64_t)c->spans.begin; }

static void put_text(struct chrome *c, const char *key, const char *text)
{
    json_key(&c->json, key);
    json_text(&c->json, text);
}

static void put_number(struct chrome *c, const char *key, uint64_t n)
{
    json_key(&c->json, key);
    json_number(&c->json, n);
}

static void open_event(struct chrome *c, const char *phase, const char *category, const char *name, uint64_t thread,
                       int64_t time)
{
    json_open(&c->json, '{');
    put_text(c, "ph", phase);
    put_text(c, "cat", category);
    put_text(c, "name", name);
    put_number(c, "pid", 1);
    put_number(c, "tid", thread);
    put_time(c, "ts", since_begin(c, time));
}

static void put_metadata(struct chrome *c, const char *what, uint64_t thread, const char *name)
{
    json_open(&c->json, '{');
    put_text(c, "ph", "M");
    put_text(c, "name", what);
    put_number(c, "pid", 1);
    put_number(c, "tid", thread);
    json_key(&c->json, "args");
    json_open(&c->json, '{');
    put_text(c, "name", name);
    json_close(&c->json, '}');
    json_close(&c->json, '}');
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

/* The node + 1 of a frame below another one. */
static uint32_t node_of(struct chrome *c, uint32_t frame, uint32_t parent)
{
    uint64_t h = ((uint64_t)parent << 32 | frame) * MIX;
    uint32_t found;
    for (; (found = idmap_get(&c->frame_index, h)); h++)
        if (c->frames.v[found - 1].frame == frame && c->frames.v[found - 1].parent == parent)
            return found;
    if (c->frames.n == UINT32_MAX - 1 || !VEC_ROOM(&c->frames) || !idmap_add(&c->frame_index, h, (uint32_t)c->frames.n + 1)) {
        c->failed = true;
        return 0;
    }
    c->frames.v[c->frames.n++] = (struct chrome_frame){frame, parent};
    return (uint32_t)c->frames.n;
}

static void put_stack(struct chrome *c, uint32_t stack)
{
    while (c->leaves.n <= stack)
        if (VEC_ROOM(&c->leaves))
            c->leaves.v[c->leaves.n++] = 0;
        else {
            c->failed = true;
            return;
        }
    const struct stored_stack *s = &c->stacks->stacks.v[stack];
    uint32_t leaf = c->leaves.v[stack];
    for (size_t i = s->n; !leaf && i-- > 0;)
        c->leaves.v[stack] = node_of(c, stack_store_frame(c->stacks, s, i), c->leaves.v[stack]);
    if (s->n && c->leaves.v[stack])
        put_number(c, "sf", c->leaves.v[stack]);
}

static void put_frames(struct chrome *c)
{
    json_key(&c->json, "stackFrames");
    json_open(&c->json, '{');
    for (size_t i = 0; i < c->frames.n; i++) {
        const struct stored_frame *f = &c->stacks->frames.v[c->frames.v[i].frame];
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        json_key(&c->json, number);
        json_open(&c->json, '{');
        put_text(c, "name", stack_store_text_of(c->stacks, f->function));
        put_text(c, "category", stack_store_text_of(c->stacks, f->file));
        if (f->line)
            put_number(c, "line", f->line);
        if (c->frames.v[i].parent)
            put_number(c, "parent", c->frames.v[i].parent);
        json_close(&c->json, '}');
    }
    json_close(&c->json, '}');
}

/* ---- stretches -------------------------------------------------------------------------------------------------- */

static const char *text(const struct chrome *c, uint32_t n) { return stat_text_of(&c->spans.texts, n); }

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct chrome *c = arg;
    (void)maker, (void)now;
    if (thread == c->entered.n && !VEC_ROOM(&c->entered))
        c->failed = true;
    else if (thread == c->entered.n)
        c->entered.n++;
}

static void begins(void *arg, uint32_t thread)
{
    struct chrome *c = arg;
    if (!c->failed)
        c->entered.v[thread] = stack_store_add(c->stacks, c->spans.live.v[thread].stack);
}

/* What it is called: what a thread waits for, or the call that it makes. */
static const char *name_of(const struct chrome *c, const struct span_thread *t)
{
    switch (t->state) {
    case GOTRACE_STATE_RUNNING: return "running";
    case GOTRACE_STATE_RUNNABLE: return "runnable";
    case GOTRACE_STATE_SYSCALL: return text(c, t->what);
    default: return t->object.kind ? text(c, t->object.text) : text(c, t->reason);
    }
}

static const char *category_of(const struct span_thread *t)
{
    switch (t->state) {
    case GOTRACE_STATE_RUNNING: return "running";
    case GOTRACE_STATE_RUNNABLE: return "runnable";
    case GOTRACE_STATE_SYSCALL: return "syscall";
    default: return "wait";
    }
}

static void put_arguments(struct chrome *c, const struct span_thread *t, uint32_t waker)
{
    json_key(&c->json, "args");
    json_open(&c->json, '{');
    if (*text(c, t->reason))
        put_text(c, "reason", text(c, t->reason));
    if (t->object.kind)
        put_text(c, "object", text(c, t->object.text));
    if (t->place)
        put_text(c, "place", text(c, t->place));
    if (waker != SPANS_NOBODY)
        put_text(c, "waker", text(c, c->spans.live.v[waker].name));
    json_close(&c->json, '}');
}

static void put_arrow(struct chrome *c, const char *phase, uint64_t thread, int64_t time)
{
    open_event(c, phase, "wakeup", "wakes", thread, time);
    put_number(c, "id", c->arrows);
    if (*phase == 'f')
        put_text(c, "bp", "e"); /* it ends at the slice around it, which then begins */
    json_close(&c->json, '}');
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct chrome *c = arg;
    const struct span_thread *t = &c->spans.live.v[thread];
    int64_t begin = t->since, end = now > begin ? now : begin;
    if (c->failed || (c->spans.filter && !(t->counts && spans_part(&c->spans, &begin, &end))))
        return;
    uint32_t waker = spans_waker(&c->spans, thread, by);
    open_event(c, "X", category_of(t), name_of(c, t), t->id, begin);
    put_time(c, "dur", (uint64_t)end - (uint64_t)begin);
    if (t->state != GOTRACE_STATE_RUNNING)
        put_stack(c, c->entered.v[thread]);
    put_arguments(c, t, waker);
    json_close(&c->json, '}');
    /* An arrow needs a slice at both ends. */
    if (waker == SPANS_NOBODY || end < now || (c->spans.filter && !c->spans.live.v[waker].counts))
        return;
    c->arrows++;
    put_arrow(c, "s", c->spans.live.v[waker].id, now);
    put_arrow(c, "f", t->id, now);
}

static void gone(void *arg, uint32_t thread)
{
    struct chrome *c = arg;
    const struct span_thread *t = &c->spans.live.v[thread];
    put_metadata(c, "thread_name", t->id, t->name ? text(c, t->name) : "a thread without name");
}

/* ---- what else events say --------------------------------------------------------------------------------------- */

static bool is_within(const struct chrome *c, int64_t now) { return now >= c->spans.from && now < c->spans.to; }

static void sample(struct chrome *c, const struct gotrace_event *ev)
{
    uint64_t goroutine = gotrace_event_goroutine(ev);
    if (!spans_sample_counts(&c->spans, spans_find(&c->spans, goroutine), ev))
        return;
    open_event(c, "P", "cpu", "sample", goroutine == GOTRACE_NONE ? 0 : goroutine, gotrace_event_time(ev));
    put_stack(c, stack_store_add(c->stacks, gotrace_event_stack(ev)));
    json_close(&c->json, '}');
}

static void memory(struct chrome *c, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    if (!gotrace_event_metric(ev, &m) || strcmp(m.name, "/memory/classes/heap/objects:bytes") != 0 ||
        !is_within(c, gotrace_event_time(ev)))
        return;
    open_event(c, "C", "memory", "heap", 0, gotrace_event_time(ev));
    json_key(&c->json, "args");
    json_open(&c->json, '{');
    put_number(c, "bytes", m.value);
    json_close(&c->json, '}');
    json_close(&c->json, '}');
}

/* Regions and tasks have rows of their own: they are not inside of a thread's stretches, and tasks end elsewhere. */
static void nested(struct chrome *c, const struct gotrace_event *ev, const char *phase, const char *category,
                   struct gotrace_str name, uint64_t id)
{
    uint32_t thread = spans_find(&c->spans, gotrace_event_goroutine(ev));
    bool counts = !c->spans.filter || span_filter_is_open(c->spans.filter) ||
                  (thread != SPANS_NOBODY && c->spans.live.v[thread].may_count);
    if (!counts || !is_within(c, gotrace_event_time(ev)))
        return;
    open_event(c, phase, category, text(c, stat_text(&c->spans.texts, name)), gotrace_event_goroutine(ev),
               gotrace_event_time(ev));
    put_number(c, "id", id);
    json_close(&c->json, '}');
}

static void region(struct chrome *c, const struct gotrace_event *ev, const char *phase)
{
    struct gotrace_region r;
    if (gotrace_event_region(ev, &r) && gotrace_event_goroutine(ev) != GOTRACE_NONE)
        nested(c, ev, phase, "region", r.type, gotrace_event_goroutine(ev));
}

static void task(struct chrome *c, const struct gotrace_event *ev, const char *phase)
{
    struct gotrace_task t;
    if (gotrace_event_task(ev, &t) && gotrace_event_goroutine(ev) != GOTRACE_NONE)
        nested(c, ev, phase, "task", t.type, t.id);
}

static void message(struct chrome *c, const struct gotrace_event *ev)
{
    struct gotrace_log g;
    if (!gotrace_event_log(ev, &g) || gotrace_event_goroutine(ev) == GOTRACE_NONE || !is_within(c, gotrace_event_time(ev)))
        return;
    open_event(c, "i", "log", "message", gotrace_event_goroutine(ev), gotrace_event_time(ev));
    put_text(c, "s", "t");
    json_key(&c->json, "args");
    json_open(&c->json, '{');
    json_key(&c->json, "category");
    json_string(&c->json, g.category.data, g.category.len);
    json_key(&c->json, "message");
    json_string(&c->json, g.message.data, g.message.len);
    json_close(&c->json, '}');
    json_close(&c->json, '}');
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct chrome *c = state;
    if (!spans_event(&c->spans, ev))
        return false;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_STACK_SAMPLE: sample(c, ev); break;
    case GOTRACE_KIND_METRIC: memory(c, ev); break;
    case GOTRACE_KIND_REGION_BEGIN: region(c, ev, "b"); break;
    case GOTRACE_KIND_REGION_END: region(c, ev, "e"); break;
    case GOTRACE_KIND_TASK_BEGIN: task(c, ev, "b"); break;
    case GOTRACE_KIND_TASK_END: task(c, ev, "e"); break;
    case GOTRACE_KIND_LOG: message(c, ev); break;
    default: break;
    }
    return !c->failed && !c->stacks->failed;
}

static bool end(void *state)
{
    struct chrome *c = state;
    return spans_end(&c->spans) && !c->failed && !c->stacks->failed;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static bool put_all(struct chrome *c, struct gotrace_reader *r, const struct export_job *job)
{
    static const struct event_consumer consumer = {NULL, event, end};
    json_init(&c->json, job->to, LINES);
    json_open(&c->json, '{');
    put_text(c, "displayTimeUnit", "ns");
    json_key(&c->json, "traceEvents");
    json_open(&c->json, '[');
    put_metadata(c, "process_name", 0, job->in);
    bool ok = consume_events(r, &consumer, c);
    json_close(&c->json, ']');
    put_frames(c);
    json_close(&c->json, '}');
    putc('\n', job->to);
    return ok;
}

enum export_result export_chrome(struct export_job *job)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    struct gotrace_reader *r = job->read(job);
    if (!r)
        return EXPORT_UNREAD;
    struct chrome c = {.stacks = stack_store_new()};
    spans_init(&c.spans, &watcher, &c);
    c.spans.filter = job->filter;
    bool ok = c.stacks && put_all(&c, r, job), read = c.spans.nevents || !gotrace_reader_error(r);
    spans_free(&c.spans);
    stack_store_free(c.stacks);
    VEC_FREE(&c.entered);
    VEC_FREE(&c.frames);
    VEC_FREE(&c.leaves);
    idmap_free(&c.frame_index);
    if (!ok)
        job->why = "out of memory";
    return ok && read ? export_written(job->to) : EXPORT_UNREAD;
}
