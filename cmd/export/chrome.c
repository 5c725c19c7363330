/*
 * Chrome's trace event format, in JSON: a slice for each stretch of time of a thread, an arrow from who woke it,
 * samples, memory, regions and tasks. It goes out as it comes; memory is for the threads that exist and for what is
 * different.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/export/format.h"
#include "cmd/export/json_line.h"
#include "cmd/export/json_texts.h"
#include "cmd/export/stack_tree.h"

/* What all slices that are the same but for thread, time and waker begin with: most have been met before. */
enum { SLICES = 512, SLICE_MAX = 224 };
struct chrome_slice {
    struct slice_what {
        uint32_t state, name, reason, object, place; /* texts; object 0: none */
        uint32_t stack;
    } is;
    uint32_t len; /* of the text; 0: none is known */
    char text[SLICE_MAX];
};

struct chrome {
    struct spans spans;
    struct stack_store *stacks;
    VEC(uint32_t) entered; /* by the place in spans.live: the stack that the thread began its stretch with */
    struct stack_tree tree; /* its nodes are "stackFrames" */
    struct json_line line;
    struct json_texts texts; /* of the spans */
    struct chrome_slice *slices; /* SLICES, each at a place that follows from what it is */
    uint64_t arrows;
    bool shown;  /* a stretch or a sample was */
    bool failed; /* memory is short */
};

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static const char *text(const struct chrome *c, uint32_t n) { return stat_text_of(&c->spans.texts, n); }

static void put_known(struct chrome *c, const char *key, uint32_t number)
{
    struct gotrace_str it = json_texts_get(&c->texts, number, text(c, number));
    line_quoted(&c->line, key, it.data, it.len);
}

/* ---- what all events have --------------------------------------------------------------------------------------- */

static uint64_t since_begin(const struct chrome *c, int64_t time) { return (uint64_t)time - (uint64_t)c->spans.begin; }

static inline void begin_event(struct chrome *c, const char *phase)
{
    out_text(&c->line.out, c->line.follows ? ",\n" : "\n");
    line_open(&c->line);
    line_word(&c->line, "ph", phase);
}

static inline void place_event(struct chrome *c, uint64_t thread, int64_t time)
{
    line_number(&c->line, "pid", 1);
    line_number(&c->line, "tid", thread);
    line_us(&c->line, "ts", since_begin(c, time));
}

static void open_event(struct chrome *c, const char *phase, const char *category, const char *name, uint64_t thread,
                       int64_t time)
{
    begin_event(c, phase);
    line_word(&c->line, "cat", category);
    line_word(&c->line, "name", name);
    place_event(c, thread, time);
}

/* With a name from the trace. */
static void open_known(struct chrome *c, const char *phase, const char *category, uint32_t name, uint64_t thread,
                       int64_t time)
{
    begin_event(c, phase);
    line_word(&c->line, "cat", category);
    put_known(c, "name", name);
    place_event(c, thread, time);
}

static void open_arguments(struct chrome *c)
{
    line_key(&c->line, "args");
    line_open(&c->line);
}

static void put_metadata(struct chrome *c, const char *what, uint64_t thread, const char *name)
{
    begin_event(c, "M");
    line_word(&c->line, "name", what);
    line_number(&c->line, "pid", 1);
    line_number(&c->line, "tid", thread);
    open_arguments(c);
    line_text(&c->line, "name", name);
    line_close(&c->line);
    line_close(&c->line);
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

static void put_stack(struct chrome *c, uint32_t stack)
{
    if (stack >= c->tree.leaves.n && !stack_tree_fill(&c->tree, c->stacks))
        c->failed = true;
    else if (c->tree.leaves.v[stack])
        line_number(&c->line, "sf", c->tree.leaves.v[stack]);
}

static void put_frames(struct chrome *c)
{
    for (size_t i = 0; i < c->tree.nodes.n; i++) {
        const struct stored_frame *f = &c->stacks->frames.v[c->tree.nodes.v[i].frame];
        out_text(&c->line.out, i ? ",\n\"" : "\n\"");
        out_number(&c->line.out, i + 1);
        out_text(&c->line.out, "\":");
        line_open(&c->line);
        line_text(&c->line, "name", stack_store_text_of(c->stacks, f->function));
        line_text(&c->line, "category", stack_store_text_of(c->stacks, f->file));
        if (f->line)
            line_number(&c->line, "line", f->line);
        if (c->tree.nodes.v[i].parent)
            line_number(&c->line, "parent", c->tree.nodes.v[i].parent);
        line_close(&c->line);
    }
    out_text(&c->line.out, c->tree.nodes.n ? "\n}" : "}");
}

/* ---- stretches -------------------------------------------------------------------------------------------------- */

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
    const struct span_thread *t = &c->spans.live.v[thread];
    if (!c->failed)
        c->entered.v[thread] = t->state == GOTRACE_STATE_RUNNING ? 0 : stack_store_add(c->stacks, t->stack);
}

/* The line of a slice up to its arguments, which are open for a waker if it is not running: then it has others. */
static void begin_slice(struct chrome *c, const struct slice_what *s)
{
    static const char *const categories[GOTRACE_STATE_IDLE] = {
        [GOTRACE_STATE_RUNNING] = "running", [GOTRACE_STATE_RUNNABLE] = "runnable", [GOTRACE_STATE_SYSCALL] = "syscall"};
    const char *category = categories[s->state] ? categories[s->state] : "wait";
    begin_event(c, "X");
    line_word(&c->line, "cat", category);
    if (s->state == GOTRACE_STATE_RUNNING || s->state == GOTRACE_STATE_RUNNABLE)
        line_word(&c->line, "name", category);
    else
        put_known(c, "name", s->name);
    line_number(&c->line, "pid", 1);
    if (s->state == GOTRACE_STATE_RUNNING)
        return;
    put_stack(c, s->stack);
    open_arguments(c);
    if (s->state == GOTRACE_STATE_WAITING || *text(c, s->reason))
        put_known(c, "reason", s->reason);
    if (s->object)
        put_known(c, "object", s->object);
    if (s->place)
        put_known(c, "place", s->place);
}

static struct slice_what what_of(const struct span_thread *t, uint32_t stack)
{
    uint32_t object = t->object.kind ? t->object.text : 0;
    uint32_t name = object ? object : t->state == GOTRACE_STATE_SYSCALL ? t->what : t->reason;
    return (struct slice_what){t->state, name, t->reason, object, t->place, stack};
}

static struct chrome_slice *known_slice(struct chrome *c, const struct slice_what *s)
{
    uint32_t hash = ((s->stack * 5 + s->place) * 5 + s->reason) * 5 + s->state;
    return &c->slices[(hash ^ hash >> 9) % SLICES];
}

static void put_slice_begin(struct chrome *c, const struct slice_what *is)
{
    struct chrome_slice *known = known_slice(c, is);
    struct out *out = &c->line.out;
    if (known->len && !memcmp(&known->is, is, sizeof *is)) {
        out_bytes(out, known->text, known->len);
        return;
    }
    uint64_t from = out_total(out);
    begin_slice(c, is);
    size_t len = (size_t)(out_total(out) - from);
    if (len > SLICE_MAX || len > out->n || c->failed) /* too long, or the buffer was written in between */
        return;
    known->is = *is;
    known->len = (uint32_t)len;
    memcpy(known->text, out->bytes + out->n - len, len);
}

static char *put_place(char *to, uint64_t thread, uint64_t since)
{
    to = out_digits(out_literal(to, ",\"tid\":"), thread);
    return out_us(out_literal(to, ",\"ts\":"), since);
}

static void put_slice(struct chrome *c, const struct span_thread *t, uint32_t stack, int64_t begin, int64_t end,
                      uint32_t waker)
{
    struct out *out = &c->line.out;
    struct slice_what what = what_of(t, stack);
    put_slice_begin(c, &what);
    if (waker != SPANS_NOBODY)
        put_known(c, "waker", c->spans.live.v[waker].name);
    char *to = out_room(out);
    if (t->state != GOTRACE_STATE_RUNNING)
        *to++ = '}';
    to = put_place(to, t->id, since_begin(c, begin));
    to = out_us(out_literal(to, ",\"dur\":"), (uint64_t)end - (uint64_t)begin);
    *to++ = '}';
    out_end(out, to);
}

/* From who woke it to the slice around its end, which then begins. */
static void put_arrow(struct chrome *c, uint64_t waker, uint64_t thread, int64_t time)
{
    struct out *out = &c->line.out;
    c->arrows++;
    char *to = out_literal(out_room(out), ",\n{\"ph\":\"s\",\"cat\":\"wakeup\",\"name\":\"wakes\",\"pid\":1,\"id\":");
    to = put_place(out_digits(to, c->arrows), waker, since_begin(c, time));
    to = out_literal(to, "},\n{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"wakeup\",\"name\":\"wakes\",\"pid\":1,\"id\":");
    to = put_place(out_digits(to, c->arrows), thread, since_begin(c, time));
    *to++ = '}';
    out_end(out, to);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct chrome *c = arg;
    const struct span_thread *t = &c->spans.live.v[thread];
    int64_t begin = t->since, end = now > begin ? now : begin;
    if (c->failed || (c->spans.filter && !(t->counts && spans_part(&c->spans, &begin, &end))))
        return;
    uint32_t waker = spans_waker(&c->spans, thread, by);
    c->shown = true;
    put_slice(c, t, t->state == GOTRACE_STATE_RUNNING ? 0 : c->entered.v[thread], begin, end, waker);
    /* An arrow needs a slice at both ends. */
    if (waker != SPANS_NOBODY && end >= now && (!c->spans.filter || c->spans.live.v[waker].counts))
        put_arrow(c, c->spans.live.v[waker].id, t->id, now);
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
    c->shown = true;
    open_event(c, "P", "cpu", "sample", goroutine == GOTRACE_NONE ? 0 : goroutine, gotrace_event_time(ev));
    put_stack(c, stack_store_add(c->stacks, gotrace_event_stack(ev)));
    line_close(&c->line);
}

static void memory(struct chrome *c, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    if (!gotrace_event_metric(ev, &m) || strcmp(m.name, "/memory/classes/heap/objects:bytes") != 0 ||
        !is_within(c, gotrace_event_time(ev)))
        return;
    open_event(c, "C", "memory", "heap", 0, gotrace_event_time(ev));
    open_arguments(c);
    line_number(&c->line, "bytes", m.value);
    line_close(&c->line);
    line_close(&c->line);
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
    open_known(c, phase, category, stat_text(&c->spans.texts, name), gotrace_event_goroutine(ev),
               gotrace_event_time(ev));
    line_number(&c->line, "id", id);
    line_close(&c->line);
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
    if (!gotrace_event_log(ev, &g) || gotrace_event_goroutine(ev) == GOTRACE_NONE ||
        !is_within(c, gotrace_event_time(ev)))
        return;
    open_event(c, "i", "log", "message", gotrace_event_goroutine(ev), gotrace_event_time(ev));
    line_word(&c->line, "s", "t");
    open_arguments(c);
    line_key(&c->line, "category");
    line_string(&c->line, g.category.data, g.category.len);
    line_key(&c->line, "message");
    line_string(&c->line, g.message.data, g.message.len);
    line_close(&c->line);
    line_close(&c->line);
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
    return !c->failed && !c->texts.failed && !c->stacks->failed;
}

static bool end(void *state)
{
    struct chrome *c = state;
    return spans_end(&c->spans) && !c->failed && !c->texts.failed && !c->stacks->failed;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static bool put_all(struct chrome *c, struct gotrace_reader *r, const struct export_job *job)
{
    static const struct event_consumer consumer = {NULL, event, end};
    out_alone(job->to);
    out_init(&c->line.out, job->to);
    out_text(&c->line.out, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[");
    put_metadata(c, "process_name", 0, job->in);
    bool ok = consume_events(r, &consumer, c);
    out_text(&c->line.out, "\n],\n\"stackFrames\":{");
    put_frames(c);
    out_text(&c->line.out, "\n}\n");
    out_flush(&c->line.out);
    return ok;
}

enum export_result export_chrome(struct export_job *job)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    struct gotrace_reader *r = job->read(job);
    if (!r)
        return EXPORT_UNREAD;
    struct chrome c = {.stacks = stack_store_new(), .slices = calloc(SLICES, sizeof(struct chrome_slice))};
    spans_init(&c.spans, &watcher, &c);
    c.spans.filter = job->filter;
    bool ok = c.stacks && c.slices && put_all(&c, r, job);
    spans_free(&c.spans);
    stack_store_free(c.stacks);
    VEC_FREE(&c.entered);
    stack_tree_free(&c.tree);
    json_texts_free(&c.texts);
    free(c.slices);
    if (!ok)
        job->why = "out of memory";
    return !ok ? EXPORT_UNREAD : c.shown ? export_written(job->to) : export_no_timeline(job);
}
