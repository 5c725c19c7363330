#include "parser/analyze/profile.h"

#include <string.h>

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { SECOND = 1000000000 };

static uint64_t hash_of(const struct profile_row *r)
{
    uint64_t h = (uint64_t)r->kind << 32 | r->stack;
    for (int i = 0; i < PROFILE_LABELS; i++) {
        h = (h ^ r->labels[i]) * MIX;
        h ^= h >> 31;
    }
    return h;
}

static void add(struct profile *p, const struct profile_row *row)
{
    uint64_t h = hash_of(row);
    uint32_t found;
    for (; (found = idmap_get(&p->index, h)); h++) {
        struct profile_row *known = &p->rows.v[found - 1];
        if (known->kind == row->kind && known->stack == row->stack &&
            !memcmp(known->labels, row->labels, sizeof row->labels)) {
            known->count += row->count;
            known->ns += row->ns;
            return;
        }
    }
    if (p->rows.n == UINT32_MAX - 1 || !VEC_ROOM(&p->rows) || !idmap_add(&p->index, h, (uint32_t)p->rows.n + 1))
        p->failed = true;
    else
        p->rows.v[p->rows.n++] = *row;
}

/* ---- stretches of time ------------------------------------------------------------------------------------------ */

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct profile *p = arg;
    (void)maker, (void)now;
    if (thread == p->threads.n && !VEC_ROOM(&p->threads)) {
        p->failed = true;
        return;
    }
    p->threads.n += thread == p->threads.n;
    p->threads.v[thread] = (struct profile_thread){0, INT64_MIN};
}

static void begins(void *arg, uint32_t thread)
{
    struct profile *p = arg;
    if (!p->failed)
        p->threads.v[thread].stack = stack_store_add(p->stacks, p->spans.live.v[thread].stack);
}

static uint32_t name_of(struct profile *p, uint32_t thread)
{
    uint32_t name = p->spans.live.v[thread].name;
    return name ? name : stat_literal(&p->spans.texts, "a thread without name");
}

static uint32_t waker_of(struct profile *p, uint32_t thread, const struct gotrace_event *by)
{
    uint32_t waker = spans_waker(&p->spans, thread, by);
    return waker == SPANS_NOBODY ? stat_literal(&p->spans.texts, "") : name_of(p, waker);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct profile *p = arg;
    const struct span_thread *l = &p->spans.live.v[thread];
    uint32_t none = stat_literal(&p->spans.texts, "");
    bool waits = l->state == GOTRACE_STATE_WAITING;
    struct profile_row row = {waits ? PROFILE_WAIT : PROFILE_SYSCALL, 0, {none, l->reason, none, none}, 1, 0};
    if (l->state == GOTRACE_STATE_RUNNABLE)
        row.kind = PROFILE_RUNNABLE;
    else if (!waits && l->state != GOTRACE_STATE_SYSCALL)
        return;
    if (p->failed || !spans_counts(&p->spans, l, now, &row.ns))
        return;
    row.stack = p->threads.v[thread].stack;
    row.labels[PROFILE_THREAD] = name_of(p, thread);
    if (l->state == GOTRACE_STATE_SYSCALL)
        row.labels[PROFILE_REASON] = none;
    if (waits && l->object.kind)
        row.labels[PROFILE_OBJECT] = l->object.text;
    if (waits)
        row.labels[PROFILE_WAKER] = waker_of(p, thread, by);
    add(p, &row);
}

static void gone(void *arg, uint32_t thread)
{
    struct profile *p = arg;
    const struct span_thread *l = &p->spans.live.v[thread];
    p->is_gos |= l->id == 1 && !strcmp(stat_text_of(&p->spans.texts, l->name), "runtime.main");
}

/* ---- what else events say --------------------------------------------------------------------------------------- */

static void sample(struct profile *p, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(&p->spans, gotrace_event_goroutine(ev)), none = stat_literal(&p->spans.texts, "");
    int64_t now = gotrace_event_time(ev);
    uint64_t gap = 0;
    struct profile_row row = {PROFILE_CPU, 0, {none, none, none, none}, 1, 0};
    if (thread != SPANS_NOBODY && thread < p->threads.n) {
        struct profile_thread *t = &p->threads.v[thread];
        gap = t->sampled != INT64_MIN ? (uint64_t)now - (uint64_t)t->sampled : 0;
        t->sampled = now;
        row.labels[PROFILE_THREAD] = name_of(p, thread);
    }
    cpu_skip(&p->cpu, gap);
    if (!spans_sample_counts(&p->spans, thread, ev))
        return;
    row.stack = stack_store_add(p->stacks, gotrace_event_stack(ev));
    add(p, &row);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct profile *p = state;
    if (!spans_event(&p->spans, ev))
        return false;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_STACK_SAMPLE: sample(p, ev); break;
    case GOTRACE_KIND_SYNC: p->hz = p->hz ? p->hz : cpu_hz_said(ev); break;
    default: break;
    }
    return !p->failed && !p->stacks->failed && !p->cpu.failed;
}

/* What a sample stands for is known when all have been seen. */
static bool end(void *state)
{
    struct profile *p = state;
    bool ok = spans_end(&p->spans) && !p->failed && !p->stacks->failed && !p->spans.texts.failed;
    if (!p->hz)
        p->hz = cpu_hz(&p->cpu, p->is_gos ? CPU_HZ_GO : CPU_HZ_THRACE);
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.v[i].kind == PROFILE_CPU)
            p->rows.v[i].ns = p->rows.v[i].count * SECOND / p->hz;
    return ok;
}

const struct event_consumer profile_consumer = {NULL, event, end};

void profile_init_with(struct profile *p, struct span_filter *filter, struct stack_store *stacks)
{
    static const struct span_watcher watcher = {appears, ends, begins, gone};
    *p = (struct profile){.stacks = stacks};
    if (stacks)
        stack_store_next_trace(stacks);
    spans_init(&p->spans, &watcher, p);
    p->spans.filter = filter;
}

bool profile_init(struct profile *p, struct span_filter *filter)
{
    profile_init_with(p, filter, stack_store_new());
    return p->stacks;
}

void profile_free(struct profile *p)
{
    spans_free(&p->spans);
    stack_store_free(p->stacks);
    VEC_FREE(&p->rows);
    VEC_FREE(&p->threads);
    idmap_free(&p->index);
    cpu_free(&p->cpu);
}
