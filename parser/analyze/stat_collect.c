#include "parser/analyze/stat_collect.h"

#include <string.h>

enum { MIN_ENDED = 1024 };

static uint32_t literal(struct stat *s, const char *text)
{
    return stat_text(&s->texts, (struct gotrace_str){text, strlen(text)});
}

void stat_init(struct stat *s, size_t rows)
{
    *s = (struct stat){.rows = rows};
    stat_texts_init(&s->texts);
    stat_groups_init(&s->states, false);
    stat_groups_init(&s->waits, true);
    stat_groups_init(&s->wakers, false);
    stat_groups_init(&s->syscalls, false);
}

void stat_free(struct stat *s)
{
    stat_texts_free(&s->texts);
    stat_groups_free(&s->states);
    stat_groups_free(&s->waits);
    stat_groups_free(&s->wakers);
    stat_groups_free(&s->syscalls);
    VEC_FREE(&s->live);
    VEC_FREE(&s->unused);
    VEC_FREE(&s->ended);
    idmap_free(&s->index);
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

/* ---- goroutines that exist -------------------------------------------------------------------------------------- */

static struct stat_live *find(struct stat *s, uint64_t goroutine)
{
    uint32_t i = goroutine == GOTRACE_NONE ? 0 : idmap_get(&s->index, goroutine);
    return i ? &s->live.v[i - 1] : NULL;
}

static struct stat_live *add(struct stat *s, uint64_t goroutine, int64_t since)
{
    uint32_t i;
    if (s->unused.n)
        i = s->unused.v[--s->unused.n];
    else if (s->live.n < UINT32_MAX - 1 && VEC_ROOM(&s->live))
        i = (uint32_t)s->live.n++;
    else
        return NULL;
    if (!idmap_add(&s->index, goroutine, i + 1))
        return NULL;
    s->nthreads++;
    s->live.v[i] = (struct stat_live){.sum.id = goroutine, .since = since};
    return &s->live.v[i];
}

static void drop(struct stat *s, struct stat_live *l)
{
    retire(s, &l->sum);
    idmap_remove(&s->index, l->sum.id);
    if (VEC_ROOM(&s->unused))
        s->unused.v[s->unused.n++] = (uint32_t)(l - s->live.v);
    else
        s->failed = true;
    l->state = GOTRACE_STATE_NOT_EXIST;
}

/* A goroutine is called after the function that it began with: its outermost frame. */
static void name(struct stat *s, struct stat_live *l, struct gotrace_stack stack)
{
    size_t depth = l->sum.name ? 0 : gotrace_stack_len(stack);
    if (depth)
        l->sum.name = stat_text_function(&s->texts, stack, depth - 1);
}

/* ---- stretches of time ------------------------------------------------------------------------------------------ */

/* The waker is ev, or none if ev is NULL. */
static void end_wait(struct stat *s, const struct stat_live *l, uint64_t ns, const struct gotrace_event *ev)
{
    uint32_t wait = stat_groups_add(&s->waits, stat_key(l->reason, l->what), ns);
    if (!ev)
        return;
    const struct stat_live *waker = find(s, gotrace_event_goroutine(ev));
    uint32_t none = literal(s, "");
    /* What no goroutine does has the stack of the runtime at best, or that of the waiter itself. */
    uint32_t stack = waker ? stat_text_stack(&s->texts, gotrace_event_stack(ev)) : none;
    uint32_t who = !waker ? none : waker->sum.name ? waker->sum.name : literal(s, "a thread without name");
    stat_groups_add(&s->wakers, stat_waker_key(wait, who, stack), ns);
}

static void end_stretch(struct stat *s, struct stat_live *l, int64_t now, const struct gotrace_event *waker)
{
    uint64_t ns = now > l->since ? (uint64_t)now - (uint64_t)l->since : 0;
    if (l->state <= GOTRACE_STATE_NOT_EXIST || l->state >= GOTRACE_STATE_IDLE)
        return;
    l->sum.time[l->state] += ns;
    stat_groups_add(&s->states, stat_key(l->state, l->reason), ns);
    if (l->state == GOTRACE_STATE_WAITING)
        end_wait(s, l, ns, waker);
    else if (l->state == GOTRACE_STATE_SYSCALL && l->call)
        stat_groups_add(&s->syscalls, l->what, ns);
}

static const char *why_runnable(enum gotrace_state from)
{
    switch (from) {
    case GOTRACE_STATE_NOT_EXIST: return "(created)";
    case GOTRACE_STATE_WAITING: return "(woken)";
    case GOTRACE_STATE_SYSCALL: return "(system call returned)";
    default: return "(unknown)";
    }
}

static void begin_stretch(struct stat *s, struct stat_live *l, const struct gotrace_transition *t)
{
    bool known = t->from != GOTRACE_STATE_UNDETERMINED, frames = gotrace_stack_len(t->stack) > 0;
    const char *missing = known ? "(no stack)" : "(began before the trace)";
    l->state = t->to;
    l->call = false;
    l->reason = l->what = literal(s, "");
    switch (t->to) {
    case GOTRACE_STATE_RUNNABLE:
        l->reason = t->reason.len ? stat_text(&s->texts, t->reason) : literal(s, why_runnable(t->from));
        break;
    case GOTRACE_STATE_WAITING:
        l->reason = t->reason.len ? stat_text(&s->texts, t->reason) : literal(s, known ? "(none)" : "(unknown)");
        l->what = frames ? stat_text_stack(&s->texts, t->stack) : literal(s, missing);
        l->sum.blocks += known;
        break;
    case GOTRACE_STATE_SYSCALL:
        /* A goroutine that is created here comes from outside; it is not in a system call of its own. */
        l->call = t->from != GOTRACE_STATE_NOT_EXIST;
        l->what = frames ? stat_text_function(&s->texts, t->stack, 0) : literal(s, missing);
        break;
    default: break;
    }
}

static void transition(struct stat *s, const struct gotrace_event *ev, const struct gotrace_transition *t)
{
    int64_t now = gotrace_event_time(ev);
    bool was_there = t->from == GOTRACE_STATE_UNDETERMINED;
    struct stat_live *l = find(s, t->resource.id);
    if (l && l->state == t->to) /* a status, which repeats what is known */
        return name(s, l, t->stack);
    /* Its first status comes before its first event: it was like that all the time. */
    if (!l && !(l = add(s, t->resource.id, was_there ? s->begin : now))) {
        s->failed = true;
        return;
    }
    name(s, l, t->stack);
    end_stretch(s, l, now, ev);
    if (!was_there)
        l->since = now;
    if (t->to == GOTRACE_STATE_NOT_EXIST)
        drop(s, l);
    else
        begin_stretch(s, l, t);
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
    struct gotrace_transition t;
    s->end = gotrace_event_time(ev);
    if (!s->events++)
        s->begin = s->end;
    struct stat_live *l = find(s, gotrace_event_goroutine(ev));
    if (l && !l->sum.name)
        name(s, l, gotrace_event_stack(ev));
    if (gotrace_event_transition(ev, &t) && t.resource.kind == GOTRACE_RESOURCE_GOROUTINE &&
        t.resource.id != GOTRACE_NONE)
        transition(s, ev, &t);
    return !s->failed;
}

static bool end(void *state)
{
    struct stat *s = state;
    for (size_t i = 0; i < s->live.n; i++) {
        struct stat_live *l = &s->live.v[i];
        if (l->state <= GOTRACE_STATE_NOT_EXIST)
            continue;
        end_stretch(s, l, s->end, NULL);
        retire(s, &l->sum);
    }
    keep_longest(s);
    return !s->failed && !s->texts.failed && !s->states.failed && !s->waits.failed && !s->wakers.failed &&
           !s->syscalls.failed;
}

const struct event_consumer stat_consumer = {begin, event, end};
