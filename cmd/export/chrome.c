/*
 * Chrome's trace event format, in JSON: a slice for each stretch of time of a thread, an arrow from who woke it, samples,
 * memory, regions and tasks. It goes out as it comes; memory is for the threads that exist and for what is different.
 */
#include <string.h>

#include "cmd/export/format.h"
#include "cmd/export/json.h"
#include "cmd/export/out.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { US = 1000, KEY_MAX = 16 };

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
    struct out out;
    bool follows; /* something stands before in the same object, or in the array of events */
    VEC(char) quoted;         /* texts of the spans as JSON, once each */
    VEC(struct chrome_text {
        size_t at;
        size_t len; /* 0: not quoted so far */
    }) quotes;                /* by the number of the text */
    uint64_t arrows;
    bool shown;  /* a stretch or a sample was */
    bool failed; /* memory is short */
};

/* ---- JSON, in a few copies for each value ------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void put_key(struct chrome *c, const char *key)
{
    size_t len = strlen(key);
    char *to = out_room(&c->out, KEY_MAX + sizeof ", \"\": ");
    if (c->follows)
        to = mempcpy(to, ", ", 2);
    *to++ = '"';
    to = mempcpy(to, key, len);
    out_end(&c->out, mempcpy(to, "\": ", 3));
    c->follows = true;
}

static void put_string(struct chrome *c, const char *text, size_t len)
{
    const char *end = len ? text + len : text;
    out_text(&c->out, "\"");
    while (text < end) {
        char *to = out_room(&c->out, JSON_PIECE);
        out_end(&c->out, to + json_piece(&text, end, to));
    }
    out_text(&c->out, "\"");
}

static inline __attribute__((always_inline)) void put_text(struct chrome *c, const char *key, const char *text)
{
    put_key(c, key);
    put_string(c, text, strlen(text));
}

/* One of ours, which needs no escapes. */
static inline __attribute__((always_inline)) void put_word(struct chrome *c, const char *key, const char *word)
{
    put_key(c, key);
    out_text(&c->out, "\"");
    out_text(&c->out, word);
    out_text(&c->out, "\"");
}

static const char *text(const struct chrome *c, uint32_t n) { return stat_text_of(&c->spans.texts, n); }

/* Makes its quotes, for all times that it comes. */
static bool quote(struct chrome *c, uint32_t number)
{
    const char *p = text(c, number), *end = p + strlen(p);
    size_t at = c->quoted.n;
    char piece[JSON_PIECE];
    while (c->quotes.n <= number)
        if (VEC_ROOM(&c->quotes))
            c->quotes.v[c->quotes.n++] = (struct chrome_text){0, 0};
        else
            return false;
    for (size_t n; p < end;) {
        n = json_piece(&p, end, piece);
        for (size_t i = 0; i < n; i++)
            if (VEC_ROOM(&c->quoted))
                c->quoted.v[c->quoted.n++] = piece[i];
            else
                return false;
    }
    c->quotes.v[number] = (struct chrome_text){at, c->quoted.n - at};
    return true;
}

/* A text of the spans, which mostly has been quoted before. */
static inline __attribute__((always_inline)) void put_known(struct chrome *c, const char *key, uint32_t number)
{
    if ((number >= c->quotes.n || !c->quotes.v[number].len) && *text(c, number) && !quote(c, number)) {
        c->failed = true;
        return;
    }
    put_key(c, key);
    out_text(&c->out, "\"");
    if (number < c->quotes.n && c->quotes.v[number].len)
        out_bytes(&c->out, c->quoted.v + c->quotes.v[number].at, c->quotes.v[number].len);
    out_text(&c->out, "\"");
}

static inline __attribute__((always_inline)) void put_number(struct chrome *c, const char *key, uint64_t n)
{
    put_key(c, key);
    out_number(&c->out, n);
}

/* Microseconds since the begin of the trace, exactly. */
static inline __attribute__((always_inline)) void put_time(struct chrome *c, const char *key, uint64_t ns)
{
    unsigned part = (unsigned)(ns % US);
    put_key(c, key);
    char *to = out_digits(out_room(&c->out, OUT_NUMBER + 4), ns / US);
    *to++ = '.';
    *to++ = (char)('0' + part / 100);
    *to++ = (char)('0' + part / 10 % 10);
    *to++ = (char)('0' + part % 10);
    out_end(&c->out, to);
}

static void open_object(struct chrome *c)
{
    out_text(&c->out, "{");
    c->follows = false;
}

static void close_object(struct chrome *c)
{
    out_text(&c->out, "}");
    c->follows = true;
}

static void open_arguments(struct chrome *c)
{
    put_key(c, "args");
    open_object(c);
}

/* ---- what all events have --------------------------------------------------------------------------------------- */

static uint64_t since_begin(const struct chrome *c, int64_t time) { return (uint64_t)time - (uint64_t)c->spans.begin; }

static inline void begin_event(struct chrome *c, const char *phase)
{
    out_text(&c->out, c->follows ? ",\n    " : "\n    ");
    open_object(c);
    put_word(c, "ph", phase);
}

static inline void place_event(struct chrome *c, uint64_t thread, int64_t time)
{
    put_number(c, "pid", 1);
    put_number(c, "tid", thread);
    put_time(c, "ts", since_begin(c, time));
}

static void open_event(struct chrome *c, const char *phase, const char *category, const char *name, uint64_t thread,
                       int64_t time)
{
    begin_event(c, phase);
    put_word(c, "cat", category);
    put_word(c, "name", name);
    place_event(c, thread, time);
}

/* With a name from the trace. */
static void open_known(struct chrome *c, const char *phase, const char *category, uint32_t name, uint64_t thread,
                       int64_t time)
{
    begin_event(c, phase);
    put_word(c, "cat", category);
    put_known(c, "name", name);
    place_event(c, thread, time);
}

static void put_metadata(struct chrome *c, const char *what, uint64_t thread, const char *name)
{
    begin_event(c, "M");
    put_word(c, "name", what);
    put_number(c, "pid", 1);
    put_number(c, "tid", thread);
    open_arguments(c);
    put_text(c, "name", name);
    close_object(c);
    close_object(c);
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
    for (size_t i = 0; i < c->frames.n; i++) {
        const struct stored_frame *f = &c->stacks->frames.v[c->frames.v[i].frame];
        out_text(&c->out, i ? ",\n    \"" : "\n    \"");
        out_number(&c->out, i + 1);
        out_text(&c->out, "\": ");
        open_object(c);
        put_text(c, "name", stack_store_text_of(c->stacks, f->function));
        put_text(c, "category", stack_store_text_of(c->stacks, f->file));
        if (f->line)
            put_number(c, "line", f->line);
        if (c->frames.v[i].parent)
            put_number(c, "parent", c->frames.v[i].parent);
        close_object(c);
    }
    out_text(&c->out, c->frames.n ? "\n  }" : "}");
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
    if (!c->failed)
        c->entered.v[thread] = stack_store_add(c->stacks, c->spans.live.v[thread].stack);
}

static void open_slice(struct chrome *c, const struct span_thread *t, int64_t begin)
{
    switch (t->state) {
    case GOTRACE_STATE_RUNNING: open_event(c, "X", "running", "running", t->id, begin); break;
    case GOTRACE_STATE_RUNNABLE: open_event(c, "X", "runnable", "runnable", t->id, begin); break;
    case GOTRACE_STATE_SYSCALL: open_known(c, "X", "syscall", t->what, t->id, begin); break;
    default: open_known(c, "X", "wait", t->object.kind ? t->object.text : t->reason, t->id, begin); break;
    }
}

static void put_arguments(struct chrome *c, const struct span_thread *t, uint32_t waker)
{
    open_arguments(c);
    if (*text(c, t->reason))
        put_known(c, "reason", t->reason);
    if (t->object.kind)
        put_known(c, "object", t->object.text);
    if (t->place)
        put_known(c, "place", t->place);
    if (waker != SPANS_NOBODY)
        put_known(c, "waker", c->spans.live.v[waker].name);
    close_object(c);
}

static void put_arrow(struct chrome *c, const char *phase, uint64_t thread, int64_t time)
{
    open_event(c, phase, "wakeup", "wakes", thread, time);
    put_number(c, "id", c->arrows);
    if (*phase == 'f')
        put_word(c, "bp", "e"); /* it ends at the slice around it, which then begins */
    close_object(c);
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
    open_slice(c, t, begin);
    put_time(c, "dur", (uint64_t)end - (uint64_t)begin);
    if (t->state != GOTRACE_STATE_RUNNING)
        put_stack(c, c->entered.v[thread]);
    put_arguments(c, t, waker);
    close_object(c);
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
    c->shown = true;
    open_event(c, "P", "cpu", "sample", goroutine == GOTRACE_NONE ? 0 : goroutine, gotrace_event_time(ev));
    put_stack(c, stack_store_add(c->stacks, gotrace_event_stack(ev)));
    close_object(c);
}

static void memory(struct chrome *c, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    if (!gotrace_event_metric(ev, &m) || strcmp(m.name, "/memory/classes/heap/objects:bytes") != 0 ||
        !is_within(c, gotrace_event_time(ev)))
        return;
    open_event(c, "C", "memory", "heap", 0, gotrace_event_time(ev));
    open_arguments(c);
    put_number(c, "bytes", m.value);
    close_object(c);
    close_object(c);
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
    open_known(c, phase, category, stat_text(&c->spans.texts, name), gotrace_event_goroutine(ev), gotrace_event_time(ev));
    put_number(c, "id", id);
    close_object(c);
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
    put_word(c, "s", "t");
    open_arguments(c);
    put_key(c, "category");
    put_string(c, g.category.data, g.category.len);
    put_key(c, "message");
    put_string(c, g.message.data, g.message.len);
    close_object(c);
    close_object(c);
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
    c->out.to = job->to;
    out_text(&c->out, "{\n  \"displayTimeUnit\": \"ns\",\n  \"traceEvents\": [");
    put_metadata(c, "process_name", 0, job->in);
    bool ok = consume_events(r, &consumer, c);
    out_text(&c->out, "\n  ],\n  \"stackFrames\": {");
    put_frames(c);
    out_text(&c->out, "\n}\n");
    out_flush(&c->out);
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
    bool ok = c.stacks && put_all(&c, r, job);
    spans_free(&c.spans);
    stack_store_free(c.stacks);
    VEC_FREE(&c.entered);
    VEC_FREE(&c.frames);
    VEC_FREE(&c.leaves);
    VEC_FREE(&c.quoted);
    VEC_FREE(&c.quotes);
    idmap_free(&c.frame_index);
    if (!ok)
        job->why = "out of memory";
    return !ok ? EXPORT_UNREAD : c.shown ? export_written(job->to) : export_no_timeline(job);
}
