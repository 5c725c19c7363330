#include "cmd/view/lanes.h"

#include <string.h>

#include "cmd/view/marks.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { BLOCK = 1024 };

/* ---- stretches -------------------------------------------------------------------------------------------------- */

static void put_columns(struct lanes *l, char kind, uint32_t lane, int64_t first, uint32_t n, byte_vec *columns,
                        size_t ncolumns)
{
    blocks_put(&l->out, lane);
    blocks_put(&l->out, lanes_since(l, first));
    blocks_put(&l->out, n);
    blocks_end_columns(&l->out, kind, columns, ncolumns);
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

static uint32_t find_what(struct lanes *l, const struct lane_what *w)
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

static uint32_t what_number(struct lanes *l, const struct lane_what *w)
{
    uint32_t *recent = &l->recent[(w->stack ^ w->reason << 3 ^ w->state << 6) % LANES_RECENT];
    if (*recent >= l->whats.n || memcmp(&l->whats.v[*recent], w, sizeof *w) != 0)
        *recent = find_what(l, w);
    return *recent;
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
        (struct lane_thread){.id = l->spans->live.v[thread].id, .maker = lane_of(l, maker), .begin = now, .end = now};
}

static void begins(void *arg, uint32_t thread)
{
    struct lanes *l = arg;
    const struct span_thread *t = &l->spans->live.v[thread];
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
    const struct span_thread *t = &l->spans->live.v[thread];
    if (l->failed)
        return;
    struct lane *lane = &l->live.v[thread];
    uint32_t waker = spans_waker(l->spans, thread, by);
    if (!lane->nspans++)
        lane->first = t->since;
    blocks_add(&l->out, &lane->spans[0], lanes_between(t->since, now));
    blocks_add(&l->out, &lane->spans[1], lane->what);
    blocks_add(&l->out, &lane->spans[2], lane_of(l, waker));
    blocks_add(&l->out, &lane->spans[3],
               waker == SPANS_NOBODY ? 0 : stack_store_add(l->stacks, gotrace_event_stack(by)));
    l->threads.v[lane->number].end = now;
    if (lane->nspans == BLOCK)
        flush_spans(l, lane);
}

static void gone(void *arg, uint32_t thread)
{
    struct lanes *l = arg;
    const struct span_thread *t = &l->spans->live.v[thread];
    if (l->failed)
        return;
    struct lane *lane = &l->live.v[thread];
    struct lane_thread *is = &l->threads.v[lane->number];
    is->name = t->name;
    is->tid = t->moves ? GOTRACE_NONE : t->tid;
    marks_gone(l, lane, is->end);
    flush_spans(l, lane);
    flush_samples(l, lane);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

/* A sample outside of all threads is one of no lane. */
static void sample(struct lanes *l, const struct gotrace_event *ev)
{
    struct lane *lane = lanes_at(l, ev), nobody = {.number = NO_LANE};
    int64_t now = gotrace_event_time(ev);
    l->nsamples++;
    lane = lane ? lane : &nobody;
    if (!lane->nsamples++)
        lane->sampled = now;
    blocks_add(&l->out, &lane->samples[0], lane->nsamples == 1 ? 0 : lanes_between(lane->before, now));
    blocks_add(&l->out, &lane->samples[1], stack_store_add(l->stacks, gotrace_event_stack(ev)));
    lane->before = now;
    if (lane->nsamples == BLOCK || lane == &nobody)
        flush_samples(l, lane);
    VEC_FREE(&nobody.samples[0]);
    VEC_FREE(&nobody.samples[1]);
}

static bool is_fine(const struct lanes *l) { return !l->failed && !l->out.failed && !l->stacks->failed; }

static bool event(void *state, const struct gotrace_event *ev)
{
    struct lanes *l = state;
    if (gotrace_event_kind(ev) == GOTRACE_KIND_STACK_SAMPLE)
        sample(l, ev);
    else
        marks_event(l, ev);
    return is_fine(l);
}

static bool end(void *state)
{
    struct lanes *l = state;
    marks_end(l);
    return is_fine(l) && !l->texts.failed;
}

const struct event_consumer lanes_consumer = {NULL, event, end};

bool lanes_init(struct lanes *l, struct spans *spans, struct pack *to)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    *l = (struct lanes){.spans = spans, .stacks = stack_store_new(), .out.to = to};
    stat_texts_init(&l->texts);
    spans_watch(spans, &watcher, l);
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
    stat_texts_free(&l->texts);
    stack_store_free(l->stacks);
    VEC_FREE(&l->threads);
    VEC_FREE(&l->whats);
    idmap_free(&l->what_index);
    VEC_FREE(&l->tasks);
    VEC_FREE(&l->unused);
    idmap_free(&l->task_index);
    VEC_FREE(&l->ranges);
    blocks_free(&l->out);
}
