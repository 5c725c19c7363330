#include "cmd/export/timeline.h"

#include <string.h>

const char *const timeline_counter_names[TIMELINE_COUNTERS] = {[TIMELINE_RUNNING] = "threads running",
                                                               [TIMELINE_RUNNABLE] = "threads runnable",
                                                               [TIMELINE_PROCS] = "procs running"};

static bool is_in(const struct timeline *t, int64_t now) { return now >= t->spans.from && now < t->spans.to; }

/* ---- stretches of time ------------------------------------------------------------------------------------------ */

static void tell(struct timeline *t, struct timeline_track *track)
{
    if (track->is_told && track->told == track->name)
        return;
    track->is_again = track->is_told;
    track->is_told = true;
    track->told = track->name;
    t->to->thread(t->arg, track);
}

/* Its track, which the writer knows from now on; NULL: there is none. */
static struct timeline_track *track_of(struct timeline *t, uint32_t thread)
{
    if (thread == SPANS_NOBODY || thread >= t->tracks.n)
        return NULL;
    struct timeline_track *track = &t->tracks.v[thread];
    track->name = t->spans.live.v[thread].name;
    tell(t, track);
    return track;
}

/* Whether a thread of thrace's begins here: the first frame is its own, and named after it. */
static bool is_thread(const struct span_thread *l, struct gotrace_stack stack)
{
    struct gotrace_frame f;
    return gotrace_stack_frame(stack, 0, &f) && f.pc == (UINT64_C(1) << 60 | l->id);
}

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct timeline *t = arg;
    (void)maker;
    if (thread == t->tracks.n && !VEC_ROOM(&t->tracks)) {
        t->failed = true;
        return;
    }
    t->tracks.n += thread == t->tracks.n;
    t->tracks.v[thread] = (struct timeline_track){.number = ++t->ntracks,
                                                  .goroutine = t->spans.live.v[thread].id,
                                                  .tid = GOTRACE_NONE,
                                                  .until = now,
                                                  .beside = now,
                                                  .sampled = INT64_MIN};
}

static void count(struct timeline *t, enum gotrace_state state, uint64_t change)
{
    if (state == GOTRACE_STATE_RUNNING)
        t->values[TIMELINE_RUNNING] += change;
    else if (state == GOTRACE_STATE_RUNNABLE)
        t->values[TIMELINE_RUNNABLE] += change;
}

static void begins(void *arg, uint32_t thread)
{
    struct timeline *t = arg;
    const struct span_thread *l = &t->spans.live.v[thread];
    if (t->failed)
        return;
    t->are_threads = t->are_threads || is_thread(l, l->stack);
    t->tracks.v[thread].stack = stack_store_add(t->stacks, l->stack);
    count(t, l->state, 1);
}

static uint32_t call_of(struct timeline *t, const struct span_thread *l)
{
    return l->state == GOTRACE_STATE_SYSCALL && l->call ? l->place : t->none;
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct timeline *t = arg;
    const struct span_thread *l = &t->spans.live.v[thread];
    uint64_t ns;
    if (t->failed)
        return;
    count(t, l->state, UINT64_MAX);
    struct timeline_track *track = &t->tracks.v[thread];
    struct gotrace_transition to;
    if (t->are_threads && !track->is_told && track->tid == GOTRACE_NONE)
        track->tid = l->tid;
    if (t->are_threads && !track->is_told && track->tid == GOTRACE_NONE && by && gotrace_event_transition(by, &to) &&
        to.to == GOTRACE_STATE_RUNNING)
        track->tid = gotrace_event_thread(by);
    bool waits = l->state == GOTRACE_STATE_WAITING;
    uint64_t flow = track->flow, from = track->from;
    bool flows = flow && track->woken == l->since && is_in(t, l->since);
    track->flow = 0;
    struct timeline_track *waker = track_of(t, spans_waker(&t->spans, thread, by));
    if (waker) {
        track->flow = ++t->nflows;
        track->from = waker->number;
        track->woken = now;
    }
    if (!spans_counts(&t->spans, l, now, &ns))
        return;
    track_of(t, thread);
    int64_t end = now > l->since ? now : l->since, begin = l->since;
    spans_part(&t->spans, &begin, &end);
    bool beside = begin < track->until;
    int64_t *until = beside ? &track->beside : &track->until;
    if (begin < *until)
        begin = *until;
    if (end < begin)
        end = begin;
    *until = end;
    t->shown = true;
    t->to->slice(t->arg, &(struct timeline_slice){
                             .track = track->number,
                             .beside = beside,
                             .begin = begin,
                             .end = end,
                             .state = l->state,
                             .reason = l->reason,
                             .object = waits && l->object.kind ? l->object.text : t->none,
                             .waker = waker && waker->name ? waker->name : t->none,
                             .call = call_of(t, l),
                             .stack = track->stack,
                             .flow = flows ? flow : 0,
                             .from = from,
                         });
}

static void gone(void *arg, uint32_t thread)
{
    struct timeline *t = arg;
    const struct span_thread *l = &t->spans.live.v[thread];
    t->is_gos |= l->id == 1 && !strcmp(stat_text_of(&t->spans.texts, l->name), "runtime.main");
    if (t->failed || thread >= t->tracks.n)
        return;
    struct timeline_track *track = &t->tracks.v[thread];
    for (; track->depth; track->depth--)
        t->to->region(t->arg, track->number, t->spans.end, NULL);
    track->flow = 0;
}

/* ---- what else events say --------------------------------------------------------------------------------------- */

static void sample(struct timeline *t, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(&t->spans, gotrace_event_goroutine(ev));
    int64_t now = gotrace_event_time(ev), *last = thread < t->tracks.n ? &t->tracks.v[thread].sampled : NULL;
    cpu_skip(&t->cpu, last && *last != INT64_MIN ? (uint64_t)now - (uint64_t)*last : 0);
    if (last)
        *last = now;
    if (!spans_sample_counts(&t->spans, thread, ev))
        return;
    const struct timeline_track *track = track_of(t, thread);
    t->shown = true;
    t->to->sample(t->arg, gotrace_event_thread(ev), track ? track->number : 0, now,
                  stack_store_add(t->stacks, gotrace_event_stack(ev)));
}

static void metric(struct timeline *t, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    unsigned i = 0;
    if (!gotrace_event_metric(ev, &m) || !is_in(t, gotrace_event_time(ev)))
        return;
    while (i < t->nmetrics && strcmp(t->metrics[i], m.name) != 0)
        i++;
    if (i == TIMELINE_METRICS)
        return;
    if (i == t->nmetrics) {
        t->metrics[t->nmetrics++] = m.name;
        t->to->add_counter(t->arg, TIMELINE_COUNTERS + i, m.name);
    }
    t->to->count(t->arg, TIMELINE_COUNTERS + i, gotrace_event_time(ev), m.value);
}

static void count_procs(struct timeline *t, const struct gotrace_transition *to)
{
    if (to->resource.kind != GOTRACE_RESOURCE_PROC)
        return;
    bool runs = to->to == GOTRACE_STATE_RUNNING, ran = idmap_get(&t->procs, to->resource.id);
    if (runs && !ran && !idmap_add(&t->procs, to->resource.id, 1))
        t->failed = true;
    if (!runs && ran)
        idmap_remove(&t->procs, to->resource.id);
    t->values[TIMELINE_PROCS] = t->procs.count;
}

static void tell_counters(struct timeline *t, int64_t now)
{
    for (unsigned i = 0; i < TIMELINE_COUNTERS; i++) {
        if (t->values[i] == t->told[i] || !is_in(t, now))
            continue;
        t->told[i] = t->values[i];
        t->to->count(t->arg, i, now, t->values[i]);
    }
}

static struct timeline_text clean(struct gotrace_str text, char buffer[static STACK_TEXT_MAX])
{
    return (struct timeline_text){buffer, stack_text_clean(text, buffer)};
}

static void task_begins(struct timeline *t, const struct gotrace_event *ev)
{
    char type[STACK_TEXT_MAX];
    struct gotrace_task task;
    if (!gotrace_event_task(ev, &task) || idmap_get(&t->index, task.id))
        return;
    uint32_t place;
    if (t->unused.n) {
        place = t->unused.v[--t->unused.n];
    } else if (t->tasks.n < UINT32_MAX - 1 && VEC_ROOM(&t->tasks)) {
        place = (uint32_t)t->tasks.n++;
    } else {
        t->failed = true;
        return;
    }
    t->tasks.v[place] = (struct timeline_task){task.id, ++t->ntasks};
    t->failed |= !idmap_add(&t->index, task.id, place + 1);
    struct timeline_text text = clean(task.type, type);
    t->to->task(t->arg, t->ntasks, gotrace_event_time(ev), &text);
}

static void task_ends(struct timeline *t, const struct gotrace_event *ev)
{
    struct gotrace_task task;
    uint32_t place = gotrace_event_task(ev, &task) ? idmap_get(&t->index, task.id) : 0;
    if (!place)
        return;
    t->to->task(t->arg, t->tasks.v[place - 1].number, gotrace_event_time(ev), NULL);
    t->tasks.v[place - 1].number = 0;
    idmap_remove(&t->index, task.id);
    if (VEC_ROOM(&t->unused))
        t->unused.v[t->unused.n++] = place - 1;
    else
        t->failed = true;
}

static void region(struct timeline *t, const struct gotrace_event *ev, bool begins)
{
    char type[STACK_TEXT_MAX];
    struct gotrace_region region;
    struct timeline_track *track = track_of(t, spans_find(&t->spans, gotrace_event_goroutine(ev)));
    if (!track || !gotrace_event_region(ev, &region) || (!begins && !track->depth))
        return;
    struct timeline_text text = clean(region.type, type);
    track->depth += begins ? 1 : UINT32_MAX;
    t->to->region(t->arg, track->number, gotrace_event_time(ev), begins ? &text : NULL);
}

static void message(struct timeline *t, const struct gotrace_event *ev)
{
    char category[STACK_TEXT_MAX], message[STACK_TEXT_MAX];
    struct gotrace_log log;
    const struct timeline_track *track = track_of(t, spans_find(&t->spans, gotrace_event_goroutine(ev)));
    if (!track || !gotrace_event_log(ev, &log) || !is_in(t, gotrace_event_time(ev)))
        return;
    struct timeline_text of = clean(log.category, category), text = clean(log.message, message);
    t->to->log(t->arg, track->number, gotrace_event_time(ev), &of, &text);
}

static void sync(struct timeline *t, const struct gotrace_event *ev)
{
    struct gotrace_sync sync;
    t->hz = t->hz ? t->hz : cpu_hz_said(ev);
    if (!t->has_clock && gotrace_event_sync(ev, &sync) && sync.has_clock) {
        t->has_clock = true;
        t->clock = sync.clock;
    }
}

static void begin(struct timeline *t, const struct gotrace_event *ev)
{
    uint64_t m = gotrace_event_thread(ev);
    if (t->begun || gotrace_event_kind(ev) == GOTRACE_KIND_SYNC)
        return;
    t->begun = true;
    t->to->begin(t->arg, m > INT32_MAX ? 0 : m);
    for (unsigned i = 0; i < TIMELINE_COUNTERS; i++)
        t->to->add_counter(t->arg, i, timeline_counter_names[i]);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct timeline *t = state;
    begin(t, ev);
    if (!spans_event(&t->spans, ev))
        return false;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_TRANSITION: count_procs(t, &t->spans.transition); break;
    case GOTRACE_KIND_STACK_SAMPLE: sample(t, ev); break;
    case GOTRACE_KIND_METRIC: metric(t, ev); break;
    case GOTRACE_KIND_TASK_BEGIN: task_begins(t, ev); break;
    case GOTRACE_KIND_TASK_END: task_ends(t, ev); break;
    case GOTRACE_KIND_REGION_BEGIN: region(t, ev, true); break;
    case GOTRACE_KIND_REGION_END: region(t, ev, false); break;
    case GOTRACE_KIND_LOG: message(t, ev); break;
    case GOTRACE_KIND_SYNC: sync(t, ev); break;
    default: break;
    }
    tell_counters(t, gotrace_event_time(ev));
    return !t->failed && !t->stacks->failed && !t->cpu.failed && !ferror(t->file);
}

static bool end(void *state)
{
    struct timeline *t = state;
    bool ok = spans_end(&t->spans);
    if (!t->hz)
        t->hz = cpu_hz(&t->cpu, t->is_gos ? CPU_HZ_GO : CPU_HZ_THRACE);
    for (size_t i = 0; i < t->tasks.n; i++)
        if (t->tasks.v[i].number)
            t->to->task(t->arg, t->tasks.v[i].number, t->spans.end, NULL);
    return ok && !t->failed && !t->stacks->failed;
}

enum export_result timeline_export(struct export_job *job, struct timeline *t, const struct timeline_writer *to,
                                   void *arg)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    static const struct event_consumer consumer = {NULL, event, end};
    struct gotrace_reader *r = job->read(job);
    *t = (struct timeline){.to = to, .arg = arg, .file = job->to};
    if (!r)
        return EXPORT_UNREAD;
    t->stacks = stack_store_new();
    spans_init(&t->spans, &watcher, t);
    t->spans.filter = job->filter;
    t->none = stat_literal(&t->spans.texts, "");
    bool ok = t->stacks && consume_events(r, &consumer, t);
    if (ferror(job->to))
        return EXPORT_UNWRITTEN;
    if (ok && (t->begun || !gotrace_reader_error(r)))
        return t->shown ? EXPORT_DONE : export_no_timeline(job);
    job->why = ok ? NULL : "out of memory";
    return EXPORT_UNREAD;
}

void timeline_free(struct timeline *t)
{
    spans_free(&t->spans);
    stack_store_free(t->stacks);
    VEC_FREE(&t->tracks);
    VEC_FREE(&t->tasks);
    VEC_FREE(&t->unused);
    idmap_free(&t->index);
    idmap_free(&t->procs);
    cpu_free(&t->cpu);
}
