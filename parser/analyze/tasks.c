#include "parser/analyze/tasks.h"

#include <string.h>

enum { MIN_SLOWEST = 64 };

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now);
static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by);
static void gone(void *arg, uint32_t thread);

void tasks_init(struct tasks *t, size_t rows)
{
    static const struct span_watcher watcher = {.appears = appears, .ends = ends, .gone = gone};
    *t = (struct tasks){.rows = rows};
    spans_init(&t->spans, &watcher, t);
    stat_groups_init(&t->work, false);
}

void tasks_free(struct tasks *t)
{
    spans_free(&t->spans);
    critical_free(&t->critical);
    task_types_free(&t->types);
    task_types_free(&t->regions);
    stat_groups_free(&t->work);
    for (size_t i = 0; i < t->threads.n; i++)
        VEC_FREE(&t->threads.v[i].regions);
    VEC_FREE(&t->threads);
    VEC_FREE(&t->open);
    VEC_FREE(&t->unused);
    VEC_FREE(&t->slowest);
    idmap_free(&t->index);
}

static uint64_t between(int64_t from, int64_t to) { return to > from ? (uint64_t)to - (uint64_t)from : 0; }

/* ---- who works for what ----------------------------------------------------------------------------------------- */

/* What the thread did since th->charged, which the caller moves on, counts for its task. */
static void charge(struct tasks *t, uint32_t thread, int64_t now)
{
    struct task_thread *th = &t->threads.v[thread];
    const struct span_thread *span = &t->spans.live.v[thread];
    uint64_t ns = between(th->charged, now);
    if (!th->works || !ns || span->state <= GOTRACE_STATE_NOT_EXIST || span->state >= GOTRACE_STATE_IDLE)
        return;
    struct task_open *task = &t->open.v[th->works - 1];
    task->time[span->state] += ns;
    t->types.list.v[task->type].worked += ns;
    stat_groups_add(&t->work, task_work_key(task->type, span), ns);
}

static void stop_working(struct tasks *t, uint32_t thread)
{
    struct task_thread *th = &t->threads.v[thread];
    if (!th->works)
        return;
    if (th->previous)
        t->threads.v[th->previous - 1].next = th->next;
    else
        t->open.v[th->works - 1].workers = th->next;
    if (th->next)
        t->threads.v[th->next - 1].previous = th->previous;
    th->works = th->next = th->previous = 0;
}

static uint64_t current_task(const struct task_thread *th)
{
    return th->adopts || !th->regions.n ? th->task : th->regions.v[th->regions.n - 1].task;
}

/* The thread may work for another task from now on. */
static void change_work(struct tasks *t, uint32_t thread, int64_t now)
{
    struct task_thread *th = &t->threads.v[thread];
    uint64_t task = current_task(th);
    uint32_t open = task ? idmap_get(&t->index, task) : 0;
    if (open == th->works)
        return;
    charge(t, thread, now);
    stop_working(t, thread);
    th->works = open;
    th->charged = now;
    if (!open)
        return;
    th->next = t->open.v[open - 1].workers;
    if (th->next)
        t->threads.v[th->next - 1].previous = thread + 1;
    t->open.v[open - 1].workers = thread + 1;
}

/* ---- the way to now --------------------------------------------------------------------------------------------- */

/* While no task is open nobody will ask. */
static void add_to_way(struct tasks *t, uint32_t thread, int64_t now)
{
    struct task_thread *th = &t->threads.v[thread];
    const struct span_thread *span = &t->spans.live.v[thread];
    bool runs = span->state == GOTRACE_STATE_RUNNING && th->regions.n;
    if (t->nopen)
        critical_add(&t->critical, &th->way, span, runs ? th->regions.v[th->regions.n - 1].type : 0, now);
    else
        th->way = (struct critical_end){0, now};
}

/* ---- threads and their states ----------------------------------------------------------------------------------- */

/* Go's runtime makes goroutines of its own whenever it likes. */
static bool is_runtimes(const char *name)
{
    return !strncmp(name, "runtime.", 8) && strcmp(name, "runtime.main") != 0;
}

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct tasks *t = arg;
    if (thread == t->threads.n && !t->failed && VEC_ROOM(&t->threads))
        t->threads.v[t->threads.n++] = (struct task_thread){0};
    t->failed |= thread >= t->threads.n;
    if (t->failed)
        return;
    struct task_thread *th = &t->threads.v[thread];
    *th = (struct task_thread){.charged = now, .way.since = now, .regions = th->regions};
    if (maker == SPANS_NOBODY || is_runtimes(stat_text_of(&t->spans.texts, t->spans.live.v[thread].name)))
        return;
    add_to_way(t, maker, now);
    th->way = t->threads.v[maker].way;
    th->task = current_task(&t->threads.v[maker]);
    th->adopts = t->threads.v[maker].adopts;
    change_work(t, thread, now);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct tasks *t = arg;
    if (t->failed)
        return;
    charge(t, thread, now);
    t->threads.v[thread].charged = now;
    uint32_t waker = spans_waker(&t->spans, thread, by);
    add_to_way(t, waker == SPANS_NOBODY ? thread : waker, now);
    if (waker != SPANS_NOBODY)
        t->threads.v[thread].way = t->threads.v[waker].way;
}

/* A region that its thread leaves open lasts to the end of the thread. */
static void gone(void *arg, uint32_t thread)
{
    struct tasks *t = arg;
    if (t->failed)
        return;
    struct task_thread *th = &t->threads.v[thread];
    for (; th->regions.n; th->regions.n--) {
        const struct task_region *r = &th->regions.v[th->regions.n - 1];
        task_type_add(&t->regions, task_type_of(&t->regions, r->type), between(r->begin, t->spans.end));
    }
    stop_working(t, thread);
}

/* ---- regions and adoptions -------------------------------------------------------------------------------------- */

static void begin_region(struct tasks *t, uint32_t thread, const struct gotrace_region *r, int64_t now)
{
    struct task_thread *th = &t->threads.v[thread];
    if (!VEC_ROOM(&th->regions)) {
        t->failed = true;
        return;
    }
    add_to_way(t, thread, now);
    th->regions.v[th->regions.n++] = (struct task_region){r->task, stat_text(&t->spans.texts, r->type), now};
    change_work(t, thread, now);
}

static void end_region(struct tasks *t, uint32_t thread, const struct gotrace_region *r, int64_t now)
{
    struct task_thread *th = &t->threads.v[thread];
    uint32_t type = task_type_of(&t->regions, stat_text(&t->spans.texts, r->type));
    if (!th->regions.n) { /* it began before the trace */
        task_type_unfinished(&t->regions, type);
        return;
    }
    add_to_way(t, thread, now);
    task_type_add(&t->regions, type, between(th->regions.v[--th->regions.n].begin, now));
    change_work(t, thread, now);
}

/* thrace_task_adopt says it by a message, since Go has no event for it: docs/model.md. */
static void take_message(struct tasks *t, uint32_t thread, const struct gotrace_log *log, int64_t now)
{
    bool adopted = stat_str_is(log->message, "adopted");
    if (!stat_str_is(log->category, "[thrace]") || (!adopted && !stat_str_is(log->message, "left")))
        return;
    t->threads.v[thread].adopts = true;
    t->threads.v[thread].task = adopted ? log->task : 0;
    change_work(t, thread, now);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

static void begin_task(struct tasks *t, const struct gotrace_task *task, int64_t now)
{
    uint32_t i, text = stat_text(&t->spans.texts, task->type);
    bool reuse = t->unused.n > 0;
    if (!reuse && (t->open.n >= UINT32_MAX - 1 || !VEC_ROOM(&t->open))) {
        t->failed = true;
        return;
    }
    i = reuse ? t->unused.v[--t->unused.n] : (uint32_t)t->open.n++;
    t->open.v[i] = (struct task_open){
        .id = task->id, .type = task_type_of(&t->types, text), .text = text, .begin = now};
    t->nopen++;
    t->failed |= !idmap_add(&t->index, task->id, i + 1);
}

static int by_duration(const void *a, const void *b)
{
    const struct task_slow *x = a, *y = b;
    uint64_t dx = between(x->begin, x->end), dy = between(y->begin, y->end);
    return dx != dy ? (dx < dy) - (dx > dy) : (x->begin > y->begin) - (x->begin < y->begin);
}

static void keep_slowest(struct tasks *t)
{
    if (t->slowest.n)
        qsort(t->slowest.v, t->slowest.n, sizeof *t->slowest.v, by_duration);
    if (t->slowest.n <= t->rows)
        return;
    t->slowest.n = t->rows;
    t->slow_from = between(t->slowest.v[t->rows - 1].begin, t->slowest.v[t->rows - 1].end);
}

static void note_slow(struct tasks *t, const struct task_open *task, uint32_t thread, int64_t now)
{
    if (between(task->begin, now) <= t->slow_from && t->slowest.n >= t->rows)
        return;
    if (t->slowest.n >= 2 * t->rows && t->slowest.n >= MIN_SLOWEST)
        keep_slowest(t);
    if (!VEC_ROOM(&t->slowest)) {
        t->failed = true;
        return;
    }
    struct task_slow *slow = &t->slowest.v[t->slowest.n++];
    *slow = (struct task_slow){.id = task->id, .type = task->text, .begin = task->begin, .end = now};
    memcpy(slow->time, task->time, sizeof slow->time);
    struct critical_end end = {0, now};
    if (thread != SPANS_NOBODY) {
        add_to_way(t, thread, now);
        end = t->threads.v[thread].way;
    }
    critical_trace(&t->critical, end, task->begin, &slow->path);
}

static void end_task(struct tasks *t, uint32_t thread, const struct gotrace_task *ended, int64_t now)
{
    uint32_t i = idmap_get(&t->index, ended->id);
    if (!i) {
        t->stray_ends++;
        return;
    }
    struct task_open *task = &t->open.v[i - 1];
    while (task->workers) {
        uint32_t worker = task->workers - 1;
        charge(t, worker, now);
        stop_working(t, worker);
    }
    task_type_add(&t->types, task->type, between(task->begin, now));
    note_slow(t, task, thread, now);
    idmap_remove(&t->index, task->id);
    task->id = 0;
    t->nopen--;
    if (VEC_ROOM(&t->unused))
        t->unused.v[t->unused.n++] = i - 1;
    else
        t->failed = true;
}

/* ---- the trace -------------------------------------------------------------------------------------------------- */

static bool begin(void *state, const struct gotrace_reader *r)
{
    struct tasks *t = state;
    t->version = gotrace_reader_version(r);
    return true;
}

static void annotation(struct tasks *t, const struct gotrace_event *ev)
{
    struct gotrace_task task;
    struct gotrace_region region;
    struct gotrace_log log;
    uint32_t thread = spans_find(&t->spans, gotrace_event_goroutine(ev));
    int64_t now = gotrace_event_time(ev);
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_TASK_BEGIN:
        gotrace_event_task(ev, &task);
        return begin_task(t, &task, now);
    case GOTRACE_KIND_TASK_END:
        gotrace_event_task(ev, &task);
        return end_task(t, thread, &task, now);
    case GOTRACE_KIND_REGION_BEGIN:
        gotrace_event_region(ev, &region);
        if (thread != SPANS_NOBODY)
            begin_region(t, thread, &region, now);
        return;
    case GOTRACE_KIND_REGION_END:
        gotrace_event_region(ev, &region);
        if (thread != SPANS_NOBODY)
            end_region(t, thread, &region, now);
        return;
    case GOTRACE_KIND_LOG:
        gotrace_event_log(ev, &log);
        if (thread != SPANS_NOBODY)
            take_message(t, thread, &log, now);
        return;
    default: return;
    }
}

static bool is_fine(const struct tasks *t)
{
    return !t->failed && !t->critical.failed && !t->types.failed && !t->regions.failed && !t->work.failed;
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct tasks *t = state;
    if (!spans_event(&t->spans, ev))
        return false;
    if (!t->failed)
        annotation(t, ev);
    return is_fine(t);
}

/* What is open at the end has no duration. */
static bool end(void *state)
{
    struct tasks *t = state;
    for (size_t i = 0; i < t->threads.n; i++) {
        struct task_thread *th = &t->threads.v[i];
        for (; th->regions.n; th->regions.n--) {
            uint32_t type = task_type_of(&t->regions, th->regions.v[th->regions.n - 1].type);
            task_type_unfinished(&t->regions, type);
        }
    }
    bool ok = spans_end(&t->spans);
    for (size_t i = 0; i < t->open.n; i++)
        if (t->open.v[i].id)
            task_type_unfinished(&t->types, t->open.v[i].type);
    keep_slowest(t);
    return ok && is_fine(t);
}

const struct event_consumer tasks_consumer = {begin, event, end};
