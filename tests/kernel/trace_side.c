/* Reads what the trace says of each thread. */
#include <inttypes.h>
#include <string.h>

#include "tests/kernel/sides.h"

/* Trace time and CLOCK_MONOTONIC, by the last Sync event. */
struct clocks {
    int64_t trace, mono;
};

static struct trace_thread *thread_of(struct trace *t, uint64_t goroutine)
{
    uint32_t i = goroutine == GOTRACE_NONE ? 0 : idmap_get(&t->by_goroutine, goroutine);
    return i ? &t->threads.v[i - 1] : NULL;
}

static struct trace_thread *add_thread(struct trace *t, uint64_t goroutine, uint64_t tid, int64_t now)
{
    if (goroutine == GOTRACE_NONE || tid == GOTRACE_NONE || !VEC_ROOM(&t->threads))
        return NULL;
    uint32_t i = (uint32_t)++t->threads.n;
    struct trace_thread *thread = &t->threads.v[i - 1];
    *thread = (struct trace_thread){.tid = tid, .goroutine = goroutine, .first = now, .last = NEVER,
                                     .runnable_from = NEVER, .delayed = NEVER};
    /* The kernel gives IDs out again: the last thread that had it is meant. */
    if (idmap_get(&t->by_tid, tid))
        idmap_remove(&t->by_tid, tid);
    if (!idmap_add(&t->by_tid, tid, i) || !idmap_add(&t->by_goroutine, goroutine, i))
        t->no_memory = true;
    return thread;
}

/* The innermost frame of a wait may be the object that was waited for, which is no name of a function: it has a space. */
static bool is_object(const struct gotrace_frame *f) { return memchr(f->function.data, ' ', f->function.len); }

/* Of a wait that no wrapper saw the trace has where the thread was before. */
static bool is_seen(const struct gotrace_frame *f)
{
    static const char mark[] = "[thrace] after";
    return f->function.len != sizeof mark - 1 || memcmp(f->function.data, mark, sizeof mark - 1) != 0;
}

static void called(struct gotrace_stack stack, char *text, size_t size)
{
    struct gotrace_frame f;
    if (gotrace_stack_frame(stack, 0, &f) && is_seen(&f) && (!is_object(&f) || gotrace_stack_frame(stack, 1, &f)))
        snprintf(text, size, "%.*s", (int)(f.function.len < size ? f.function.len : size - 1), f.function.data);
    else
        snprintf(text, size, "(no stack)");
}

static void leave_running(struct trace *t, struct trace_thread *thread, const struct gotrace_transition *tr,
                          int64_t now)
{
    if (!VEC_ROOM(&thread->waits)) {
        t->no_memory = true;
        return;
    }
    struct wait *w = &thread->waits.v[thread->waits.n++];
    *w = (struct wait){.begin = now, .end = NEVER, .woken = NEVER, .syscall = tr->to == GOTRACE_STATE_SYSCALL};
    called(tr->stack, w->call, sizeof w->call);
}

static struct wait *open_wait(struct trace_thread *thread)
{
    struct wait *w = thread->waits.n ? &thread->waits.v[thread->waits.n - 1] : NULL;
    return w && w->end == NEVER ? w : NULL;
}

static void stopped(struct trace *t, struct trace_thread *thread, int64_t now)
{
    if (VEC_ROOM(&thread->stops))
        thread->stops.v[thread->stops.n++] = (struct stop){now, NEVER};
    else
        t->no_memory = true;
}

static void started(struct trace_thread *thread, int64_t now)
{
    struct wait *w = open_wait(thread);
    if (w)
        w->end = now;
    if (thread->stops.n && thread->stops.v[thread->stops.n - 1].end == NEVER)
        thread->stops.v[thread->stops.n - 1].end = now;
}

static void sum_runnable(struct trace_thread *thread, const struct gotrace_transition *tr, int64_t now)
{
    if (tr->to == GOTRACE_STATE_RUNNABLE) {
        thread->runnable_from = now;
    } else if (thread->runnable_from != NEVER) {
        thread->runnable += now - thread->runnable_from;
        thread->runnable_from = NEVER;
    }
}

static void goroutine(struct trace *t, const struct gotrace_event *ev, const struct gotrace_transition *tr, int64_t now)
{
    struct trace_thread *thread = thread_of(t, tr->resource.id);
    if (!thread && tr->to == GOTRACE_STATE_RUNNING)
        thread = add_thread(t, tr->resource.id, gotrace_event_thread(ev), now);
    if (!thread || tr->from == tr->to)
        return;
    sum_runnable(thread, tr, now);
    struct wait *w = open_wait(thread);
    if (tr->from == GOTRACE_STATE_RUNNING && (tr->to == GOTRACE_STATE_WAITING || tr->to == GOTRACE_STATE_SYSCALL))
        leave_running(t, thread, tr, now);
    else if (w && tr->from == GOTRACE_STATE_WAITING && tr->to == GOTRACE_STATE_RUNNABLE) {
        w->waker = gotrace_event_thread(ev);
        w->woken = w->waker == GOTRACE_NONE ? NEVER : now; /* an interrupt did it: perf names whom it interrupted */
    } else if (tr->from == GOTRACE_STATE_RUNNING && tr->to == GOTRACE_STATE_RUNNABLE)
        stopped(t, thread, now);
    else if (tr->to == GOTRACE_STATE_RUNNING)
        started(thread, now);
    if (tr->to == GOTRACE_STATE_NOT_EXIST)
        thread->last = now;
}

static void proc(struct trace *t, const struct gotrace_transition *tr, uint64_t *running)
{
    bool was = tr->from == GOTRACE_STATE_RUNNING, is = tr->to == GOTRACE_STATE_RUNNING;
    if (tr->resource.id + 1 > t->procs)
        t->procs = tr->resource.id + 1;
    if (is && !was)
        ++*running;
    else if (was && !is)
        --*running;
    if (*running > t->procs_at_once)
        t->procs_at_once = *running;
}

/* What the kernel has counted, in strings that no event refers to. */
static void learn_delays(struct trace *t, const struct gotrace_event *sync)
{
    struct gotrace_str s;
    for (size_t i = 0; gotrace_event_sync_string(sync, i, &s); i++) {
        char text[96];
        struct delay_said said;
        snprintf(text, sizeof text, "%.*s", (int)(s.len < sizeof text ? s.len : sizeof text - 1), s.data);
        if (sscanf(text, "thrace delay of %" SCNu64 " ns %" SCNu64, &said.goroutine, &said.ns) != 2)
            continue;
        if (VEC_ROOM(&t->delays))
            t->delays.v[t->delays.n++] = said;
        else
            t->no_memory = true;
    }
}

static void say_delays(struct trace *t)
{
    for (size_t i = 0; i < t->delays.n; i++) {
        struct trace_thread *thread = thread_of(t, t->delays.v[i].goroutine);
        if (thread)
            thread->delayed = (int64_t)t->delays.v[i].ns;
    }
}

bool trace_read(struct trace *t, struct gotrace_reader *r)
{
    const struct gotrace_event *ev;
    struct clocks clocks = {0, 0};
    uint64_t running = 0;
    *t = (struct trace){.no_clock = true};
    while (!t->no_memory && (ev = gotrace_reader_next(r))) {
        struct gotrace_sync s;
        struct gotrace_transition tr;
        struct gotrace_metric m;
        if (gotrace_event_kind(ev) == GOTRACE_KIND_SYNC)
            learn_delays(t, ev);
        if (gotrace_event_sync(ev, &s) && s.has_clock) {
            t->no_clock = false;
            clocks = (struct clocks){s.clock.trace, (int64_t)s.clock.mono};
        }
        int64_t now = gotrace_event_time(ev) - clocks.trace + clocks.mono;
        t->begin = t->begin ? t->begin : now;
        t->end = now;
        if (gotrace_event_transition(ev, &tr) && tr.resource.kind == GOTRACE_RESOURCE_GOROUTINE)
            goroutine(t, ev, &tr, now);
        else if (tr.resource.kind == GOTRACE_RESOURCE_PROC)
            proc(t, &tr, &running);
        else if (gotrace_event_metric(ev, &m) && !strcmp(m.name, "/sched/gomaxprocs:threads") &&
                 m.value > t->gomaxprocs)
            t->gomaxprocs = m.value;
    }
    const struct gotrace_error *e = gotrace_reader_error(r);
    const char *why = e ? e->message : t->no_memory ? "out of memory"
                          : t->no_clock ? "it does not say what the clocks showed; record it as version 1.25"
                                        : NULL;
    if (why)
        fprintf(stderr, "against-kernel: the trace: %s\n", why);
    say_delays(t);
    for (size_t i = 0; i < t->threads.n; i++)
        if (t->threads.v[i].last == NEVER)
            t->threads.v[i].last = t->end;
    return !why;
}

void trace_free(struct trace *t)
{
    for (size_t i = 0; i < t->threads.n; i++) {
        VEC_FREE(&t->threads.v[i].waits);
        VEC_FREE(&t->threads.v[i].stops);
    }
    VEC_FREE(&t->threads);
    VEC_FREE(&t->delays);
    idmap_free(&t->by_tid);
    idmap_free(&t->by_goroutine);
}
