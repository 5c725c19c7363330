#include "cmd/export/rows.h"

#include <string.h>

const char *row_state_name(enum gotrace_state state)
{
    switch (state) {
    case GOTRACE_STATE_RUNNING: return "running";
    case GOTRACE_STATE_RUNNABLE: return "runnable";
    case GOTRACE_STATE_WAITING: return "waiting";
    case GOTRACE_STATE_SYSCALL: return "system call";
    default: return NULL;
    }
}

/* The times of a hostile trace may be further apart than fits. */
static int64_t since_begin(const struct rows *r, int64_t time)
{
    uint64_t ns = time > r->spans.begin ? (uint64_t)time - (uint64_t)r->spans.begin : 0;
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static uint64_t number_of(const struct rows *r, uint32_t thread)
{
    return thread < r->threads.n ? r->threads.v[thread].number : 0;
}

static uint32_t name_of(struct rows *r, uint32_t thread)
{
    return thread < r->threads.n ? r->spans.live.v[thread].name : 0;
}

static uint32_t name_or_none(struct rows *r, uint32_t thread)
{
    uint32_t name = name_of(r, thread);
    return name ? name : stat_literal(&r->spans.texts, "");
}

/* ---- stretches of time ------------------------------------------------------------------------------------------ */

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct rows *r = arg;
    if (thread == r->threads.n && !VEC_ROOM(&r->threads)) {
        r->failed = true;
        return;
    }
    r->threads.n += thread == r->threads.n;
    r->threads.v[thread] = (struct rows_thread){
        .number = r->spans.nthreads, .maker = number_of(r, maker), .begin = now, .sampled = INT64_MIN};
}

static void begins(void *arg, uint32_t thread)
{
    struct rows *r = arg;
    if (!r->failed)
        r->threads.v[thread].stack = stack_store_add(r->stacks, r->spans.live.v[thread].stack);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct rows *r = arg;
    const struct span_thread *l = &r->spans.live.v[thread];
    uint64_t ns;
    if (r->failed || r->stopped || !spans_counts(&r->spans, l, now, &ns))
        return;
    uint32_t waker = spans_waker(&r->spans, thread, by);
    struct row_span row = {
        .thread = number_of(r, thread),
        .waker = number_of(r, waker),
        .place = thread,
        .is = l,
        .thread_name = name_or_none(r, thread),
        .waker_name = name_or_none(r, waker),
        .stack = r->threads.v[thread].stack,
        .waker_stack = waker != SPANS_NOBODY ? stack_store_add(r->stacks, gotrace_event_stack(by)) : 0,
        .begin = since_begin(r, l->since > r->spans.from ? l->since : r->spans.from),
        .ns = ns < INT64_MAX ? ns : INT64_MAX,
        .full = l->object.kind && !strcmp(rows_text(r, l->reason), "chan send"),
        .began = l->known && l->since >= r->spans.from,
    };
    r->nspans++;
    r->stopped = !r->sink->span(r->arg, &row);
}

static void gone(void *arg, uint32_t thread)
{
    struct rows *r = arg;
    if (r->failed || r->stopped)
        return;
    const struct span_thread *l = &r->spans.live.v[thread];
    const struct rows_thread *t = &r->threads.v[thread];
    const char *name = l->name ? rows_text(r, l->name) : "";
    r->is_gos |= l->id == 1 && !strcmp(name, "runtime.main");
    struct row_thread row = {t->number, t->maker, thread, l->id, l->moves ? GOTRACE_NONE : l->tid, name, l->name,
                             since_begin(r, t->begin), since_begin(r, r->spans.end)};
    r->stopped = !r->sink->thread(r->arg, &row);
}

/* ---- what else events say --------------------------------------------------------------------------------------- */

static void sample(struct rows *r, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(&r->spans, gotrace_event_goroutine(ev));
    int64_t now = gotrace_event_time(ev);
    uint64_t gap = 0;
    if (thread < r->threads.n) {
        struct rows_thread *t = &r->threads.v[thread];
        gap = t->sampled != INT64_MIN ? (uint64_t)now - (uint64_t)t->sampled : 0;
        t->sampled = now;
    }
    cpu_skip(&r->cpu, gap);
    if (!spans_sample_counts(&r->spans, thread, ev))
        return;
    struct row_sample row = {number_of(r, thread), thread, name_or_none(r, thread),
                             stack_store_add(r->stacks, gotrace_event_stack(ev)), since_begin(r, now)};
    r->nsamples++;
    r->stopped = !r->sink->sample(r->arg, &row);
}

static void other(struct rows *r, const struct gotrace_event *ev)
{
    int64_t now = gotrace_event_time(ev);
    if (r->sink->event && now >= r->spans.from && now < r->spans.to)
        r->stopped = !r->sink->event(r->arg, ev, number_of(r, spans_find(&r->spans, gotrace_event_goroutine(ev))),
                                     since_begin(r, now));
}

static bool begin(void *state, const struct gotrace_reader *reader)
{
    ((struct rows *)state)->version = gotrace_reader_version(reader);
    return true;
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct rows *r = state;
    struct gotrace_sync sync;
    if (!spans_event(&r->spans, ev))
        return false;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_TRANSITION: break;
    case GOTRACE_KIND_STACK_SAMPLE: sample(r, ev); break;
    case GOTRACE_KIND_SYNC:
        r->hz = r->hz ? r->hz : cpu_hz_said(ev);
        if (!r->has_clock && gotrace_event_sync(ev, &sync) && sync.has_clock) {
            r->has_clock = true;
            r->clock = sync.clock;
        }
        break;
    default: other(r, ev); break;
    }
    return !r->failed && !r->stopped && !r->stacks->failed && !r->cpu.failed;
}

static bool end(void *state)
{
    struct rows *r = state;
    bool ok = spans_end(&r->spans) && !r->failed && !r->stacks->failed;
    if (!r->hz)
        r->hz = cpu_hz(&r->cpu, r->is_gos ? CPU_HZ_GO : CPU_HZ_THRACE);
    return ok;
}

void rows_free(struct rows *r)
{
    spans_free(&r->spans);
    stack_store_free(r->stacks);
    VEC_FREE(&r->threads);
    cpu_free(&r->cpu);
}

enum export_result rows_read(struct rows *r, struct export_job *job, const struct row_sink *sink, void *arg)
{
    static const struct event_consumer consumer = {begin, event, end};
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    struct gotrace_reader *reader = job->read(job);
    if (!reader)
        return EXPORT_UNREAD;
    *r = (struct rows){.stacks = stack_store_new(), .sink = sink, .arg = arg};
    spans_init(&r->spans, &watcher, r);
    r->spans.filter = job->filter;
    bool ok = r->stacks && (consume_events(reader, &consumer, r) || r->stopped);
    r->complete = !gotrace_reader_error(reader);
    if (ok && (r->nspans || r->nsamples || r->complete))
        return EXPORT_DONE;
    rows_free(r);
    job->why = ok ? NULL : "out of memory";
    return ok ? EXPORT_INVALID : EXPORT_UNREAD;
}

bool row_describe(const struct gotrace_event *ev, struct row_event *e)
{
    struct gotrace_metric metric;
    struct gotrace_label label;
    struct gotrace_range range;
    struct gotrace_task task;
    struct gotrace_region region;
    struct gotrace_log log;
    *e = (struct row_event){.task = GOTRACE_NONE};
    if (gotrace_event_metric(ev, &metric))
        *e = (struct row_event){{metric.name, strlen(metric.name)}, {"", 0}, true, metric.value, GOTRACE_NONE};
    else if (gotrace_event_label(ev, &label))
        e->name = label.label;
    else if (gotrace_event_range(ev, &range))
        *e = (struct row_event){{range.name, strlen(range.name)}, range.detail, false, 0, GOTRACE_NONE};
    else if (gotrace_event_task(ev, &task))
        *e = (struct row_event){task.type, {"", 0}, task.parent != GOTRACE_NONE, task.parent, task.id};
    else if (gotrace_event_region(ev, &region))
        *e = (struct row_event){region.type, {"", 0}, false, 0, region.task};
    else if (gotrace_event_log(ev, &log))
        *e = (struct row_event){log.category, log.message, false, 0, log.task};
    else
        return false;
    return true;
}
