#include "cmd/view/lanes.h"

#include <string.h>

#include "lib/wire/varint.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { BLOCK = 1024, NO_LANE = UINT32_MAX };

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void put(struct lanes *l, byte_vec *to, uint64_t n)
{
    uint8_t bytes[VARINT_MAX];
    size_t size = (size_t)(varint_put(bytes, n) - bytes);
    for (size_t i = 0; i < size; i++) {
        if (!VEC_ROOM(to)) {
            l->failed = true;
            return;
        }
        to->v[to->n++] = bytes[i];
    }
}

/* A text as it is in the trace: the page makes UTF-8 of it. */
static void put_text(struct lanes *l, byte_vec *to, struct gotrace_str text)
{
    put(l, to, text.len);
    for (size_t i = 0; i < text.len; i++) {
        if (!VEC_ROOM(to)) {
            l->failed = true;
            return;
        }
        to->v[to->n++] = (uint8_t)text.data[i];
    }
}

static uint64_t since_begin(const struct lanes *l, int64_t time) { return (uint64_t)time - (uint64_t)l->spans.begin; }
static uint64_t between(int64_t from, int64_t to) { return to > from ? (uint64_t)to - (uint64_t)from : 0; }

/* kind, its size, and what is in l->rows, which is empty then. */
static void put_block(struct lanes *l, char kind, const byte_vec *columns, size_t ncolumns)
{
    uint8_t head[1 + VARINT_MAX] = {(uint8_t)kind};
    size_t size = l->rows.n;
    for (size_t i = 0; i < ncolumns; i++)
        size += columns[i].n;
    pack_put(l->to, head, (size_t)(varint_put(head + 1, size) - head));
    pack_put(l->to, l->rows.v, l->rows.n);
    for (size_t i = 0; i < ncolumns; i++)
        pack_put(l->to, columns[i].v, columns[i].n);
    l->rows.n = 0;
}

static void put_columns(struct lanes *l, char kind, uint32_t lane, int64_t first, uint32_t n, byte_vec *columns,
                        size_t ncolumns)
{
    put(l, &l->rows, lane);
    put(l, &l->rows, since_begin(l, first));
    put(l, &l->rows, n);
    for (size_t i = 0; i < ncolumns; i++)
        put(l, &l->rows, columns[i].n);
    if (!l->failed)
        put_block(l, kind, columns, ncolumns);
    for (size_t i = 0; i < ncolumns; i++)
        columns[i].n = 0;
}

static void flush_spans(struct lanes *l, struct lane *lane)
{
    if (lane->nspans)
        put_columns(l, 'S', lane->number, lane->first, lane->nspans, lane->spans, SPAN_COLUMNS);
    lane->nspans = 0;
}

static void flush_samples(struct lanes *l, struct lane *lane)
{
    if (lane->nsamples)
        put_columns(l, 'C', lane->number, lane->sampled, lane->nsamples, lane->samples, SAMPLE_COLUMNS);
    lane->nsamples = 0;
}

/* ---- stretches -------------------------------------------------------------------------------------------------- */

static uint32_t what_number(struct lanes *l, const struct lane_what *w)
{
    uint64_t h = w->state * MIX ^ w->kind;
    const uint32_t more[] = {w->reason, w->object, w->place, w->stack};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        h = (h ^ more[i]) * MIX;
        h ^= h >> 31;
    }
    uint32_t found;
    for (; (found = idmap_get(&l->what_index, h)); h++)
        if (!memcmp(&l->whats.v[found - 1], w, sizeof *w))
            return found - 1;
    if (l->whats.n == UINT32_MAX - 1 || !VEC_ROOM(&l->whats) ||
        !idmap_add(&l->what_index, h, (uint32_t)l->whats.n + 1)) {
        l->failed = true;
        return 0;
    }
    l->whats.v[l->whats.n++] = *w;
    return (uint32_t)l->whats.n - 1;
}

/* Of a thread that exists: its number + 1; 0: nobody. */
static uint32_t lane_of(const struct lanes *l, uint32_t thread)
{
    return thread < l->live.n ? l->live.v[thread].number + 1 : 0;
}

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct lanes *l = arg;
    if ((thread == l->live.n && !VEC_ROOM(&l->live)) || !VEC_ROOM(&l->threads) || l->threads.n == NO_LANE - 1) {
        l->failed = true;
        return;
    }
    if (thread == l->live.n)
        l->live.v[l->live.n++] = (struct lane){.number = 0};
    struct lane *lane = &l->live.v[thread];
    lane->number = (uint32_t)l->threads.n;
    l->threads.v[l->threads.n++] =
        (struct lane_thread){.id = l->spans.live.v[thread].id, .maker = lane_of(l, maker), .begin = now, .end = now};
}

static void begins(void *arg, uint32_t thread)
{
    struct lanes *l = arg;
    const struct span_thread *t = &l->spans.live.v[thread];
    if (l->failed)
        return;
    bool made = t->state == GOTRACE_STATE_SYSCALL && !t->call;
    bool runs = t->state == GOTRACE_STATE_RUNNING;
    struct lane_what what = {
        .state = t->state,
        .kind = made ? 1 : t->object.kind,
        .reason = t->reason,
        .object = t->object.kind ? t->object.text : 0,
        .place = t->place,
        .stack = runs ? 0 : stack_store_add(l->stacks, t->stack),
    };
    l->live.v[thread].what = what_number(l, &what);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct lanes *l = arg;
    const struct span_thread *t = &l->spans.live.v[thread];
    if (l->failed)
        return;
    struct lane *lane = &l->live.v[thread];
    uint32_t waker = spans_waker(&l->spans, thread, by);
    if (!lane->nspans++)
        lane->first = t->since;
    put(l, &lane->spans[0], between(t->since, now));
    put(l, &lane->spans[1], lane->what);
    put(l, &lane->spans[2], lane_of(l, waker));
    put(l, &lane->spans[3], waker == SPANS_NOBODY ? 0 : stack_store_add(l->stacks, gotrace_event_stack(by)));
    l->threads.v[lane->number].end = now;
    if (lane->nspans == BLOCK)
        flush_spans(l, lane);
}

static void put_region(struct lanes *l, uint32_t lane, const struct lane_region *r, int64_t end, size_t depth)
{
    put(l, &l->rows, lane + 1);
    put(l, &l->rows, since_begin(l, r->begin));
    put(l, &l->rows, between(r->begin, end));
    put(l, &l->rows, r->name);
    put(l, &l->rows, depth);
    put(l, &l->rows, r->task);
    put_block(l, 'R', NULL, 0);
}

static void gone(void *arg, uint32_t thread)
{
    struct lanes *l = arg;
    const struct span_thread *t = &l->spans.live.v[thread];
    if (l->failed)
        return;
    struct lane *lane = &l->live.v[thread];
    struct lane_thread *is = &l->threads.v[lane->number];
    is->name = t->name;
    is->tid = t->moves ? GOTRACE_NONE : t->tid;
    for (; lane->regions.n; lane->regions.n--)
        put_region(l, lane->number, &lane->regions.v[lane->regions.n - 1], is->end, lane->regions.n - 1);
    flush_spans(l, lane);
    flush_samples(l, lane);
}

/* ---- what else events say --------------------------------------------------------------------------------------- */

static struct lane *lane_at(struct lanes *l, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(&l->spans, gotrace_event_goroutine(ev));
    return thread < l->live.n ? &l->live.v[thread] : NULL;
}

/* A sample outside of all threads is one of no lane. */
static void sample(struct lanes *l, const struct gotrace_event *ev)
{
    struct lane *lane = lane_at(l, ev), nobody = {.number = NO_LANE};
    int64_t now = gotrace_event_time(ev);
    l->nsamples++;
    lane = lane ? lane : &nobody;
    if (!lane->nsamples++)
        lane->sampled = now;
    put(l, &lane->samples[0], lane->nsamples == 1 ? 0 : between(lane->before, now));
    put(l, &lane->samples[1], stack_store_add(l->stacks, gotrace_event_stack(ev)));
    lane->before = now;
    if (lane->nsamples == BLOCK || lane == &nobody)
        flush_samples(l, lane);
    VEC_FREE(&nobody.samples[0]);
    VEC_FREE(&nobody.samples[1]);
}

static void region(struct lanes *l, const struct gotrace_event *ev, bool begins)
{
    struct gotrace_region r;
    struct lane *lane = lane_at(l, ev);
    if (!lane || !gotrace_event_region(ev, &r))
        return;
    if (!begins && lane->regions.n) {
        lane->regions.n--;
        put_region(l, lane->number, &lane->regions.v[lane->regions.n], gotrace_event_time(ev), lane->regions.n);
    } else if (begins && VEC_ROOM(&lane->regions)) {
        lane->regions.v[lane->regions.n++] =
            (struct lane_region){r.task, stat_text(&l->spans.texts, r.type), gotrace_event_time(ev)};
    } else {
        l->failed |= begins;
    }
}

static bool same_range(const struct lane_range *r, const struct lane_range *other)
{
    return r->name == other->name && r->scope.kind == other->scope.kind && r->scope.id == other->scope.id;
}

/* What the runtime does: of a goroutine it is shown as a region, else in the row of the program. */
static void range(struct lanes *l, const struct gotrace_event *ev, enum gotrace_kind kind)
{
    struct gotrace_range r;
    if (!gotrace_event_range(ev, &r))
        return;
    struct lane_range it = {stat_literal(&l->spans.texts, r.name), r.scope, gotrace_event_time(ev)};
    size_t i = 0;
    while (i < l->ranges.n && !same_range(&l->ranges.v[i], &it))
        i++;
    if (kind != GOTRACE_KIND_RANGE_END && i == l->ranges.n) {
        if (kind == GOTRACE_KIND_RANGE_ACTIVE)
            it.begin = l->spans.begin;
        if (VEC_ROOM(&l->ranges))
            l->ranges.v[l->ranges.n++] = it;
        else
            l->failed = true;
    } else if (kind == GOTRACE_KIND_RANGE_END && i < l->ranges.n) {
        uint32_t thread = r.scope.kind == GOTRACE_RESOURCE_GOROUTINE ? spans_find(&l->spans, r.scope.id) : SPANS_NOBODY;
        struct lane *lane = thread < l->live.n ? &l->live.v[thread] : NULL;
        put_region(l, lane ? lane->number : NO_LANE, &(struct lane_region){0, it.name, l->ranges.v[i].begin}, it.begin,
                   lane ? lane->regions.n : 0);
        l->ranges.v[i] = l->ranges.v[--l->ranges.n];
    }
}

static void put_task(struct lanes *l, const struct lane_task *t, int64_t end, bool ended)
{
    put(l, &l->rows, t->id);
    put(l, &l->rows, t->parent == GOTRACE_NONE ? 0 : t->parent);
    put(l, &l->rows, since_begin(l, t->begin));
    put(l, &l->rows, between(t->begin, end));
    put(l, &l->rows, t->type);
    put(l, &l->rows, t->lane);
    put(l, &l->rows, ended);
    put_block(l, 'T', NULL, 0);
}

static void begin_task(struct lanes *l, const struct gotrace_event *ev, const struct gotrace_task *t)
{
    struct lane *lane = lane_at(l, ev);
    uint32_t i;
    if (idmap_get(&l->task_index, t->id))
        return;
    if (l->unused.n)
        i = l->unused.v[--l->unused.n];
    else if (l->tasks.n < UINT32_MAX - 1 && VEC_ROOM(&l->tasks))
        i = (uint32_t)l->tasks.n++;
    else {
        l->failed = true;
        return;
    }
    l->tasks.v[i] = (struct lane_task){t->id, t->parent, stat_text(&l->spans.texts, t->type),
                                       lane ? lane->number + 1 : 0, gotrace_event_time(ev)};
    l->failed |= !idmap_add(&l->task_index, t->id, i + 1);
}

static void end_task(struct lanes *l, uint64_t id, int64_t now)
{
    uint32_t found = idmap_get(&l->task_index, id);
    if (!found)
        return;
    put_task(l, &l->tasks.v[found - 1], now, true);
    idmap_remove(&l->task_index, id);
    l->tasks.v[found - 1].begin = INT64_MAX;
    if (VEC_ROOM(&l->unused))
        l->unused.v[l->unused.n++] = found - 1;
    else
        l->failed = true;
}

static void task(struct lanes *l, const struct gotrace_event *ev, bool begins)
{
    struct gotrace_task t;
    if (!gotrace_event_task(ev, &t))
        return;
    if (begins)
        begin_task(l, ev, &t);
    else
        end_task(l, t.id, gotrace_event_time(ev));
}

static void message(struct lanes *l, const struct gotrace_event *ev)
{
    struct gotrace_log g;
    struct lane *lane = lane_at(l, ev);
    if (!gotrace_event_log(ev, &g))
        return;
    put(l, &l->rows, lane ? lane->number + 1 : 0);
    put(l, &l->rows, since_begin(l, gotrace_event_time(ev)));
    put(l, &l->rows, g.task);
    put_text(l, &l->rows, g.category);
    put_text(l, &l->rows, g.message);
    put_block(l, 'M', NULL, 0);
}

static void metric(struct lanes *l, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    if (!gotrace_event_metric(ev, &m))
        return;
    bool heap = !strcmp(m.name, "/memory/classes/heap/objects:bytes");
    if (!heap && strcmp(m.name, "/sched/gomaxprocs:threads") != 0)
        return;
    put(l, &l->rows, since_begin(l, gotrace_event_time(ev)));
    put(l, &l->rows, m.value);
    put_block(l, heap ? 'H' : 'P', NULL, 0);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct lanes *l = state;
    enum gotrace_kind kind = gotrace_event_kind(ev);
    if (!spans_event(&l->spans, ev))
        return false;
    switch (kind) {
    case GOTRACE_KIND_STACK_SAMPLE: sample(l, ev); break;
    case GOTRACE_KIND_REGION_BEGIN:
    case GOTRACE_KIND_REGION_END: region(l, ev, kind == GOTRACE_KIND_REGION_BEGIN); break;
    case GOTRACE_KIND_RANGE_BEGIN:
    case GOTRACE_KIND_RANGE_ACTIVE:
    case GOTRACE_KIND_RANGE_END: range(l, ev, kind); break;
    case GOTRACE_KIND_TASK_BEGIN:
    case GOTRACE_KIND_TASK_END: task(l, ev, kind == GOTRACE_KIND_TASK_BEGIN); break;
    case GOTRACE_KIND_LOG: message(l, ev); break;
    case GOTRACE_KIND_METRIC: metric(l, ev); break;
    default: break;
    }
    return !l->failed && !l->stacks->failed;
}

static bool end(void *state)
{
    struct lanes *l = state;
    bool ok = spans_end(&l->spans);
    for (size_t i = 0; i < l->ranges.n; i++)
        put_region(l, NO_LANE, &(struct lane_region){0, l->ranges.v[i].name, l->ranges.v[i].begin}, l->spans.end, 0);
    for (size_t i = 0; i < l->tasks.n; i++)
        if (l->tasks.v[i].begin != INT64_MAX)
            put_task(l, &l->tasks.v[i], l->spans.end, false);
    return ok && !l->failed && !l->stacks->failed && !l->spans.texts.failed;
}

const struct event_consumer lanes_consumer = {NULL, event, end};

bool lanes_init(struct lanes *l, struct pack *to)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    *l = (struct lanes){.stacks = stack_store_new(), .to = to};
    spans_init(&l->spans, &watcher, l);
    return l->stacks;
}

void lanes_free(struct lanes *l)
{
    for (size_t i = 0; i < l->live.n; i++) {
        for (size_t j = 0; j < SPAN_COLUMNS; j++)
            VEC_FREE(&l->live.v[i].spans[j]);
        for (size_t j = 0; j < SAMPLE_COLUMNS; j++)
            VEC_FREE(&l->live.v[i].samples[j]);
        VEC_FREE(&l->live.v[i].regions);
    }
    VEC_FREE(&l->live);
    spans_free(&l->spans);
    stack_store_free(l->stacks);
    VEC_FREE(&l->threads);
    VEC_FREE(&l->whats);
    idmap_free(&l->what_index);
    VEC_FREE(&l->tasks);
    VEC_FREE(&l->unused);
    idmap_free(&l->task_index);
    VEC_FREE(&l->ranges);
    VEC_FREE(&l->rows);
}
