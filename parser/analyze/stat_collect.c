#include "parser/analyze/stat_collect.h"

#include <string.h>

#include "lib/errnos.h"

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now);
static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by);
static void begins(void *arg, uint32_t thread);
static void gone(void *arg, uint32_t thread);

void stat_init(struct stat *s, size_t rows)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    *s = (struct stat){.threads.rows = rows};
    spans_init(&s->spans, &watcher, s);
    stat_groups_init(&s->states, false);
    stat_groups_init(&s->waits, true);
    stat_groups_init(&s->wakers, false);
    stat_groups_init(&s->syscalls, true);
    stat_groups_init(&s->errors, false);
    blame_init(&s->blame, &s->spans);
    findings_init(&s->findings, &s->blame);
    needs_init(&s->needs);
    run_queue_init(&s->run_queue);
}

void stat_free(struct stat *s)
{
    spans_free(&s->spans);
    stat_groups_free(&s->states);
    stat_groups_free(&s->waits);
    stat_groups_free(&s->wakers);
    stat_groups_free(&s->syscalls);
    stat_groups_free(&s->errors);
    blame_free(&s->blame);
    findings_free(&s->findings);
    lock_stats_free(&s->locks);
    migrations_free(&s->migrations);
    run_queue_free(&s->run_queue);
    needs_free(&s->needs);
    cpu_free(&s->cpu);
    stat_threads_free(&s->threads);
    VEC_FREE(&s->kinds);
    VEC_FREE(&s->calls);
    VEC_FREE(&s->sums);
}

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

/* ---- stretches of time ------------------------------------------------------------------------------------------ */

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct stat *s = arg;
    uint64_t id = s->spans.live.v[thread].id;
    blame_appears(&s->blame, thread, maker, now);
    findings_appears(&s->findings, thread, maker, now);
    needs_appears(&s->needs, thread, id, maker == SPANS_NOBODY ? 0 : s->spans.live.v[maker].id);
    if (s->failed || (thread == s->sums.n && !VEC_ROOM(&s->sums))) {
        s->failed = true;
        return;
    }
    s->sums.n += thread == s->sums.n;
    s->sums.v[thread] = (struct stat_thread){.id = id, .n = 1, .sampled = INT64_MIN, .call = STAT_NO_CALL};
}

static void begins(void *arg, uint32_t thread)
{
    struct stat *s = arg;
    const struct span_thread *l = &s->spans.live.v[thread];
    if (l->state == GOTRACE_STATE_WAITING)
        stat_groups_prefetch(&s->waits, stat_key(l->reason, l->what)); /* for when it ends */
    blame_begins(&s->blame, thread);
    findings_begins(&s->findings, thread);
}

static void gone(void *arg, uint32_t thread)
{
    struct stat *s = arg;
    findings_gone(&s->findings, thread);
    if (s->failed || s->needs.failed)
        return;
    const struct span_thread *l = &s->spans.live.v[thread];
    struct stat_thread *sum = &s->sums.v[thread];
    sum->name = l->name;
    sum->tid = l->moves ? GOTRACE_NONE : l->tid;
    sum->idle = needs_idle(&s->needs, thread);
    sum->moved = migrations_of(&s->migrations, l->id);
    sum->delay_unknown = !migrations_delay_of(&s->migrations, l->id, &sum->delayed);
    s->is_gos |= l->id == 1 && is(stat_text_of(&s->spans.texts, l->name), "runtime.main");
    if (!sum->counts && s->spans.filter)
        return;
    s->idlers += sum->idle > 0;
    stat_threads_add(&s->threads, sum);
}

static enum wait_need need_of(const struct stat *s, const struct span_thread *l)
{
    return wait_need_of(l->object.need, stat_text_of(&s->spans.texts, l->reason));
}

/* What the waits of the group with this number are. */
static bool note_kind(struct stat *s, uint32_t wait, const struct span_thread *l)
{
    for (; wait >= s->kinds.n; s->kinds.n++) {
        if (!VEC_ROOM(&s->kinds)) {
            s->failed = true;
            return false;
        }
        s->kinds.v[s->kinds.n] = (struct stat_wait){l->place, l->object.kind ? l->object.text : 0, need_of(s, l)};
    }
    return true;
}

/* Likewise of a group of system calls; a group is met first in the order of the numbers. */
static void note_call(struct stat *s, uint32_t call, const struct span_thread *l)
{
    if (call != s->calls.n || call == STAT_NGROUPS)
        return;
    if (VEC_ROOM(&s->calls))
        s->calls.v[s->calls.n++] = (struct stat_call){l->what, l->on_object};
    else
        s->failed = true;
}

/* Who needed the thread meanwhile. wait: the group, if the wait counts, for ns. Blame is not told yet of its end. */
static void end_need(struct stat *s, uint32_t thread, int64_t now, uint32_t waker, uint32_t wait, uint64_t ns)
{
    const struct span_thread *l = &s->spans.live.v[thread];
    bool noted = ns && wait < STAT_NGROUPS;
    uint32_t object = s->blame.threads.v[thread].object;
    needs_ends(&s->needs, &(struct need_end){.thread = thread,
                                             .waker = waker == thread ? NEEDS_NOBODY : waker,
                                             .begin = l->since,
                                             .end = now,
                                             .since = object ? s->blame.objects.v[object - 1].released : INT64_MIN,
                                             .counted = ns,
                                             .kind = noted ? s->kinds.v[wait].need : need_of(s, l),
                                             .place = wait,
                                             .object = object});
}

/* The waker is ev, or none if ev is NULL. */
static void end_wait(struct stat *s, uint32_t thread, int64_t now, const struct gotrace_event *ev)
{
    const struct span_thread *l = &s->spans.live.v[thread];
    struct stat_texts *texts = &s->spans.texts;
    uint64_t ns;
    uint32_t waker = ev ? spans_find(&s->spans, gotrace_event_goroutine(ev)) : SPANS_NOBODY, wait = 0;
    bool counts = spans_counts(&s->spans, l, now, &ns);
    if (counts)
        wait = stat_groups_add_found(&s->waits, stat_key(l->reason, l->what), ns);
    if (!blame_is_fine(&s->blame) || (counts && !note_kind(s, wait, l)))
        return;
    end_need(s, thread, now, waker, wait, ns);
    if (!counts || !ev)
        return;
    uint32_t none = stat_empty(texts);
    if (waker == SPANS_NOBODY) {
        /* What no goroutine does has the stack of the runtime at best, or that of the waiter itself. */
        stat_groups_add_late(&s->wakers, stat_waker_key(wait, spans_outsider(&s->spans, ev), none), 1, ns);
        return;
    }
    enum stat_stack_text said = s->waker_stacks ? STAT_WHERE : STAT_CALL;
    uint32_t name = s->spans.live.v[waker].name, stack = stat_text_stack(texts, gotrace_event_stack(ev), said);
    if (!name)
        name = stat_literal(texts, "a thread without name");
    stat_groups_add_late(&s->wakers, stat_waker_key(wait, name, stack), 1, ns);
}

/*
 * A thread ends what it was in. What it waited for is known as long as it waits. Where the kernel says who runs, one that
 * nobody was seen to wake is runnable when it has a processor already.
 */
static void note_queue(struct stat *s, uint32_t thread, bool counts, uint64_t ns, const struct gotrace_event *by)
{
    const struct span_thread *l = &s->spans.live.v[thread];
    struct stat_thread *sum = &s->sums.v[thread];
    if (l->state == GOTRACE_STATE_WAITING) {
        sum->woken_for = s->blame.threads.v[thread].object;
        sum->woke_itself = s->migrations.by_kernel && spans_waker(&s->spans, thread, by) == SPANS_NOBODY &&
                           spans_outsider(&s->spans, by) == stat_empty(&s->spans.texts);
    } else if (l->state == GOTRACE_STATE_RUNNABLE) {
        if (counts && !sum->woke_itself) {
            run_queue_add(&s->run_queue, l->reason, sum->woken_for, ns);
            sum->queued++;
            sum->longest_queued = ns > sum->longest_queued ? ns : sum->longest_queued;
        }
        sum->woken_for = 0;
        sum->woke_itself = false;
    }
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct stat *s = arg;
    if (s->failed)
        return;
    const struct span_thread *l = &s->spans.live.v[thread];
    uint64_t ns;
    bool counts = spans_counts(&s->spans, l, now, &ns);
    if (l->state == GOTRACE_STATE_WAITING)
        end_wait(s, thread, now, by);
    findings_ends(&s->findings, thread, now, by);
    if (blame_is_fine(&s->blame))
        note_queue(s, thread, counts, ns, by);
    blame_ends(&s->blame, thread, now, by);
    struct stat_thread *sum = &s->sums.v[thread];
    if (l->state == GOTRACE_STATE_SYSCALL || l->state == GOTRACE_STATE_WAITING)
        sum->call = STAT_NO_CALL;
    if (!counts)
        return;
    s->ncounted++;
    sum->counts = true;
    sum->time[l->state] += ns;
    sum->blocks += l->state == GOTRACE_STATE_WAITING && l->known && l->since >= s->spans.from;
    stat_groups_add(&s->states, stat_key(l->state, l->reason), ns);
    if (l->state == GOTRACE_STATE_SYSCALL && l->call) {
        sum->call = stat_groups_add(&s->syscalls, stat_key(l->place, l->where), ns);
        note_call(s, sum->call, l);
    }
}

/* ---- what else events say --------------------------------------------------------------------------------------- */

static void sample(struct stat *s, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(&s->spans, gotrace_event_goroutine(ev));
    int64_t now = gotrace_event_time(ev);
    uint64_t gap = 0;
    bool counts = spans_sample_counts(&s->spans, thread, ev);
    if (thread != SPANS_NOBODY && thread < s->sums.n) {
        struct stat_thread *sum = &s->sums.v[thread];
        gap = sum->sampled != INT64_MIN ? (uint64_t)now - (uint64_t)sum->sampled : 0;
        sum->samples += counts;
        sum->sampled = now;
    }
    if (counts)
        cpu_sample(&s->cpu, &s->spans.texts, gotrace_event_stack(ev), gap);
    else
        cpu_skip(&s->cpu, gap);
    blame_sample(&s->blame, ev);
    findings_sample(&s->findings, ev);
}

/* A message behind the end of a system call may say with what errno it failed. */
static void message(struct stat *s, const struct gotrace_event *ev)
{
    struct gotrace_log log;
    uint32_t thread = spans_find(&s->spans, gotrace_event_goroutine(ev));
    if (thread == SPANS_NOBODY || thread >= s->sums.n || s->sums.v[thread].call == STAT_NO_CALL ||
        !gotrace_event_log(ev, &log) || !stat_str_is(log.category, ERRNO_CATEGORY))
        return;
    stat_groups_add(&s->errors, stat_key(s->sums.v[thread].call, stat_text(&s->spans.texts, log.message)), 0);
    s->sums.v[thread].call = STAT_NO_CALL;
}

static void metric(struct stat *s, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    struct stat_heap *h = &s->heap;
    int64_t now = gotrace_event_time(ev);
    if (!gotrace_event_metric(ev, &m))
        return;
    findings_metric(&s->findings, &m);
    if (!s->procs && is(m.name, "/sched/gomaxprocs:threads"))
        s->procs = m.value;
    if (now < s->spans.from || now >= s->spans.to)
        return;
    if (is(m.name, "/memory/classes/heap/objects:bytes")) {
        h->times++;
        h->end = m.value;
        if (m.value > h->most) {
            h->most = m.value;
            h->at = now;
        }
    } else if (is(m.name, "/gc/heap/goal:bytes")) {
        h->goal = m.value > h->goal ? m.value : h->goal;
    }
}

static bool begin(void *state, const struct gotrace_reader *r)
{
    struct stat *s = state;
    s->version = gotrace_reader_version(r);
    return !s->failed;
}

/* Nobody goes on where memory is short, so it is enough to look now and then. */
enum { LOOK_EVERY = 64 };

static bool is_fine(const struct stat *s)
{
    return !s->failed && !s->locks.failed && !s->migrations.failed && !s->needs.failed && !s->cpu.failed && !s->threads.failed &&
           blame_is_fine(&s->blame);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct stat *s = state;
    findings_event(&s->findings, ev);
    if (!spans_event(&s->spans, ev))
        return false;
    struct gotrace_experimental x;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_EXPERIMENTAL:
        if (gotrace_event_experimental(ev, &x)) {
            s->heap.allocated += is(x.name, "HeapObjectAlloc");
            s->heap.freed += is(x.name, "HeapObjectFree");
        }
        break;
    case GOTRACE_KIND_STACK_SAMPLE: sample(s, ev); break;
    case GOTRACE_KIND_METRIC: metric(s, ev); break;
    case GOTRACE_KIND_LOG: message(s, ev); break;
    case GOTRACE_KIND_SYNC:
        lock_stats_event(&s->locks, ev);
        migrations_learn(&s->migrations, ev);
        s->findings.by_kernel = s->migrations.by_kernel;
        s->hz = s->hz ? s->hz : cpu_hz_said(ev);
        break;
    default: break;
    }
    return s->spans.nevents % LOOK_EVERY || is_fine(s);
}

static bool end(void *state)
{
    struct stat *s = state;
    bool ok = spans_end(&s->spans);
    stat_groups_settle(&s->waits);
    stat_groups_settle(&s->wakers);
    blame_end(&s->blame);
    findings_end(&s->findings);
    stat_threads_end(&s->threads);
    lock_stats_sort(&s->locks);
    run_queue_end(&s->run_queue);
    return ok && is_fine(s) && findings_are_fine(&s->findings) && !s->states.failed && !s->waits.failed &&
           !s->wakers.failed && !s->syscalls.failed && !s->errors.failed && !run_queue_failed(&s->run_queue);
}

const struct event_consumer stat_consumer = {begin, event, end};
