#include "parser/analyze/stat_collect.h"

#include <string.h>

enum { MIN_ENDED = 1024 };

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now);
static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by);
static void begins(void *arg, uint32_t thread);
static void gone(void *arg, uint32_t thread);

void stat_init(struct stat *s, size_t rows)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    *s = (struct stat){.rows = rows};
    spans_init(&s->spans, &watcher, s);
    stat_groups_init(&s->states, false);
    stat_groups_init(&s->waits, true);
    stat_groups_init(&s->wakers, false);
    stat_groups_init(&s->syscalls, false);
    blame_init(&s->blame, &s->spans);
}

void stat_free(struct stat *s)
{
    spans_free(&s->spans);
    stat_groups_free(&s->states);
    stat_groups_free(&s->waits);
    stat_groups_free(&s->wakers);
    stat_groups_free(&s->syscalls);
    blame_free(&s->blame);
    VEC_FREE(&s->sums);
    VEC_FREE(&s->ended);
}

/* ---- goroutines that ended -------------------------------------------------------------------------------------- */

static int by_running(const void *a, const void *b)
{
    const struct stat_thread *x = a, *y = b;
    uint64_t rx = x->time[GOTRACE_STATE_RUNNING], ry = y->time[GOTRACE_STATE_RUNNING];
    return rx != ry ? (rx < ry) - (rx > ry) : (x->id > y->id) - (x->id < y->id);
}

static void keep_longest(struct stat *s)
{
    if (s->ended.n)
        qsort(s->ended.v, s->ended.n, sizeof *s->ended.v, by_running);
    for (; s->ended.n > s->rows; s->ended.n--, s->nothers++) {
        const struct stat_thread *t = &s->ended.v[s->ended.n - 1];
        for (int state = 0; state < GOTRACE_STATE_IDLE; state++)
            s->others.time[state] += t->time[state];
        s->others.blocks += t->blocks;
    }
}

static void retire(struct stat *s, const struct stat_thread *t)
{
    if (s->ended.n >= 2 * s->rows && s->ended.n >= MIN_ENDED)
        keep_longest(s);
    if (VEC_ROOM(&s->ended))
        s->ended.v[s->ended.n++] = *t;
    else
        s->failed = true;
}

/* ---- stretches of time ------------------------------------------------------------------------------------------ */

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct stat *s = arg;
    blame_appears(&s->blame, thread, maker, now);
    if (thread == s->sums.n && !VEC_ROOM(&s->sums)) {
        s->failed = true;
        return;
    }
    s->sums.n += thread == s->sums.n;
    s->sums.v[thread] = (struct stat_thread){.id = s->spans.live.v[thread].id};
}

static void begins(void *arg, uint32_t thread)
{
    struct stat *s = arg;
    blame_begins(&s->blame, thread);
}

static void gone(void *arg, uint32_t thread)
{
    struct stat *s = arg;
    if (s->failed)
        return;
    s->sums.v[thread].name = s->spans.live.v[thread].name;
    if (s->sums.v[thread].counts || !s->spans.filter)
        retire(s, &s->sums.v[thread]);
}

/* The waker is ev, or none if ev is NULL. */
static void end_wait(struct stat *s, const struct span_thread *l, uint64_t ns, const struct gotrace_event *ev)
{
    uint32_t wait = stat_groups_add(&s->waits, stat_key(l->reason, l->what), ns);
    if (!ev)
        return;
    struct stat_texts *texts = &s->spans.texts;
    uint32_t waker = spans_find(&s->spans, gotrace_event_goroutine(ev)), none = stat_literal(texts, "");
    if (waker == SPANS_NOBODY) {
        /* What no goroutine does has the stack of the runtime at best, or that of the waiter itself. */
        stat_groups_add(&s->wakers, stat_waker_key(wait, none, none), ns);
        return;
    }
    uint32_t name = s->spans.live.v[waker].name, stack = stat_text_stack(texts, gotrace_event_stack(ev), STAT_WHERE);
    stat_groups_add(&s->wakers, stat_waker_key(wait, name ? name : stat_literal(texts, "a thread without name"), stack),
                    ns);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct stat *s = arg;
    if (s->failed)
        return;
    blame_ends(&s->blame, thread, now, by);
    const struct span_thread *l = &s->spans.live.v[thread];
    struct stat_thread *sum = &s->sums.v[thread];
    uint64_t ns;
    if (!spans_counts(&s->spans, l, now, &ns))
        return;
    s->ncounted++;
    sum->counts = true;
    sum->time[l->state] += ns;
    sum->blocks += l->state == GOTRACE_STATE_WAITING && l->known && l->since >= s->spans.from;
    stat_groups_add(&s->states, stat_key(l->state, l->reason), ns);
    if (l->state == GOTRACE_STATE_WAITING)
        end_wait(s, l, ns, by);
    else if (l->state == GOTRACE_STATE_SYSCALL && l->call)
        stat_groups_add(&s->syscalls, l->what, ns);
}

static bool begin(void *state, const struct gotrace_reader *r)
{
    struct stat *s = state;
    s->version = gotrace_reader_version(r);
    return !s->failed;
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct stat *s = state;
    if (!spans_event(&s->spans, ev))
        return false;
    if (gotrace_event_kind(ev) == GOTRACE_KIND_STACK_SAMPLE)
        blame_sample(&s->blame, ev);
    return !s->failed && blame_is_fine(&s->blame);
}

static bool end(void *state)
{
    struct stat *s = state;
    bool ok = spans_end(&s->spans);
    keep_longest(s);
    return ok && !s->failed && blame_is_fine(&s->blame) && !s->states.failed && !s->waits.failed &&
           !s->wakers.failed && !s->syscalls.failed;
}

const struct event_consumer stat_consumer = {begin, event, end};
