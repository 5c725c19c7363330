#include "parser/analyze/path_collect.h"

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now);
static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by);
static void begins(void *arg, uint32_t thread);
static void gone(void *arg, uint32_t thread);

void path_collect_init(struct path_collect *c)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    *c = (struct path_collect){.actor = GOTRACE_NONE, .task.id = GOTRACE_NONE};
    spans_init(&c->spans, &watcher, c);
    path_log_init(&c->log, PATH_LOG_MEMORY);
}

void path_collect_free(struct path_collect *c)
{
    spans_free(&c->spans);
    path_log_free(&c->log);
    VEC_FREE(&c->threads);
    VEC_FREE(&c->live);
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

static void add(struct path_collect *c, struct path_live *l, struct path_record *r, int64_t now)
{
    r->end = now;
    r->thread = l->number;
    l->last = path_log_add(&c->log, r);
    l->since = now;
}

/* What runs is where a sample found it, or goes on until what it does now. event: its own, or NULL. */
static uint32_t doing(struct path_collect *c, const struct path_live *l, const struct span_thread *span,
                      const struct gotrace_event *event)
{
    struct stat_texts *texts = &c->spans.texts;
    if (span->state != GOTRACE_STATE_RUNNING)
        return span->doing ? span->doing : span->what;
    if (l->sampled)
        return l->sampled;
    uint32_t place = event ? stat_text_stack(texts, gotrace_event_stack(event), STAT_SAMPLED) : 0;
    if (event && *stat_text_of(texts, place))
        return place;
    return stat_literal(texts, event ? "(no stack)" : "(not known)");
}

/*
 * Who waits for what comes from outside waits until it comes; a sleep, and a wait for a lock or a signal that gave up,
 * takes as long as it was meant to.
 */
static bool is_outside(struct path_collect *c, const struct span_thread *span)
{
    struct stat_texts *texts = &c->spans.texts;
    if (span->object.kind)
        return wait_class_of(span->object.kind) == WAIT_CLASS_DATA;
    return span->reason != stat_literal(texts, "sleep") && span->reason != stat_literal(texts, "sync") &&
           span->reason != stat_literal(texts, "sync.(*Cond).Wait");
}

static void note_trial(struct path_live *l, const struct span_thread *span)
{
    uint32_t object = span->object.kind ? span->object.text : 0;
    if (l->tried == object)
        return;
    l->tried = object;
    l->tried_after = l->last;
    l->tried_since = span->since;
}

static void step(struct path_collect *c, uint32_t thread, int64_t now, const struct gotrace_event *event)
{
    struct path_live *l = &c->live.v[thread];
    const struct span_thread *span = &c->spans.live.v[thread];
    if (now <= l->since)
        return;
    struct path_record r = {.before = l->last,
                            .kind = PATH_STEP,
                            .state = span->state,
                            .sampled = span->state == GOTRACE_STATE_RUNNING && l->sampled,
                            .reason = (uint16_t)span->reason,
                            .what = (uint16_t)doing(c, l, span, event)};
    if (span->state == GOTRACE_STATE_WAITING) {
        r.object = (uint16_t)(span->object.kind ? span->object.text : span->reason);
        r.outside = is_outside(c, span);
        note_trial(l, span);
    }
    if (span->state == GOTRACE_STATE_RUNNING || span->state == GOTRACE_STATE_SYSCALL)
        l->acted = now;
    add(c, l, &r, now);
}

/* ---- what happens to threads ------------------------------------------------------------------------------------ */

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct path_collect *c = arg;
    struct path_record r = {.kind = PATH_MADE, .by = PATH_NOBODY};
    bool room = thread < c->live.n || (VEC_ROOM(&c->live) && ++c->live.n);
    if (c->failed || !room || c->threads.n == PATH_NOBODY || !VEC_ROOM(&c->threads)) {
        c->failed = true;
        return;
    }
    struct path_live *l = &c->live.v[thread];
    *l = (struct path_live){.number = (uint32_t)c->threads.n, .acted = INT64_MIN};
    c->threads.v[c->threads.n++] = (struct path_thread){.id = c->spans.live.v[thread].id};
    if (maker != SPANS_NOBODY) {
        step(c, maker, now, c->event);
        r.before = c->live.v[maker].last;
        r.by = c->live.v[maker].number;
    }
    add(c, l, &r, now);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct path_collect *c = arg;
    const struct span_thread *span = &c->spans.live.v[thread];
    if (c->failed)
        return;
    uint32_t waker = spans_waker(&c->spans, thread, by);
    if (waker == SPANS_NOBODY) {
        step(c, thread, now, by && gotrace_event_goroutine(by) == span->id ? by : NULL);
        return;
    }
    step(c, waker, now, by);
    struct path_live *l = &c->live.v[thread];
    struct path_record wait = {.kind = PATH_WAIT, .before = l->last, .end = span->since, .thread = l->number};
    struct path_record woken = {.kind = PATH_WOKEN,
                                .before = c->live.v[waker].last,
                                .by = c->live.v[waker].number,
                                .object = (uint16_t)(span->object.kind ? span->object.text : span->reason)};
    if (l->tried && span->object.kind && l->tried == span->object.text) {
        wait.before = l->tried_after;
        wait.end = l->tried_since;
    }
    l->tried = 0;
    path_log_add(&c->log, &wait);
    add(c, l, &woken, now);
}

static void begins(void *arg, uint32_t thread)
{
    struct path_collect *c = arg;
    if (!c->failed)
        c->live.v[thread].sampled = 0;
}

static void gone(void *arg, uint32_t thread)
{
    struct path_collect *c = arg;
    if (c->failed)
        return;
    const struct path_live *l = &c->live.v[thread];
    const struct span_thread *span = &c->spans.live.v[thread];
    struct path_thread *t = &c->threads.v[l->number];
    t->name = span->name;
    t->state = c->over ? (uint8_t)span->state : GOTRACE_STATE_NOT_EXIST;
    t->last = l->last;
    t->acted = l->acted;
}

static void take_sample(struct path_collect *c, uint32_t thread, const struct gotrace_event *ev)
{
    if (thread == SPANS_NOBODY || c->spans.live.v[thread].state != GOTRACE_STATE_RUNNING)
        return;
    c->live.v[thread].sampled = stat_text_stack(&c->spans.texts, gotrace_event_stack(ev), STAT_SAMPLED);
    step(c, thread, gotrace_event_time(ev), NULL);
}

static void end_task(struct path_collect *c, uint32_t thread, int64_t now)
{
    if (!c->task.began || c->task.ended)
        return;
    c->task.ended = true;
    c->task.end = now;
    c->task.ender = thread == SPANS_NOBODY ? PATH_NOBODY : c->live.v[thread].number;
}

/* ---- the trace -------------------------------------------------------------------------------------------------- */

static bool begin(void *state, const struct gotrace_reader *r)
{
    struct path_collect *c = state;
    c->version = gotrace_reader_version(r);
    return true;
}

static void look_at(struct path_collect *c, const struct gotrace_event *ev)
{
    uint64_t goroutine = gotrace_event_goroutine(ev);
    struct gotrace_task task;
    if (goroutine == GOTRACE_NONE)
        return;
    uint32_t thread = spans_find(&c->spans, goroutine);
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_STACK_SAMPLE: take_sample(c, thread, ev); return; /* it does nothing */
    case GOTRACE_KIND_TASK_BEGIN:
        if (gotrace_event_task(ev, &task) && task.id == c->task.id && !c->task.began) {
            c->task.began = true;
            c->task.begin = gotrace_event_time(ev);
        }
        break;
    case GOTRACE_KIND_TASK_END:
        if (gotrace_event_task(ev, &task) && task.id == c->task.id)
            end_task(c, thread, gotrace_event_time(ev));
        break;
    default: break;
    }
    c->actor = goroutine;
}

static bool is_fine(const struct path_collect *c) { return !c->failed && !c->log.error; }

static bool event(void *state, const struct gotrace_event *ev)
{
    struct path_collect *c = state;
    c->event = ev;
    if (!spans_event(&c->spans, ev))
        return false;
    if (!c->failed)
        look_at(c, ev);
    return is_fine(c);
}

static bool end(void *state)
{
    struct path_collect *c = state;
    c->over = true;
    return spans_end(&c->spans) && is_fine(c);
}

const struct event_consumer path_collector = {begin, event, end};
