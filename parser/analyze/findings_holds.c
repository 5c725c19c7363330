/* Who holds a lock, as far as it is certain, and what it does. */
#include <string.h>

#include "parser/analyze/findings_waits.h"

void findings_arrives(struct findings *f, struct finding_thread *t, int64_t now)
{
    if (!t->on_way)
        return;
    struct finding_object *o = &f->objects.v[t->on_way - 1];
    t->on_way = 0;
    if (!--o->under_way)
        o->arrived = now;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* The function is on the stack, and not what the thread began with, which does everything. */
static bool is_inside(struct gotrace_stack stack, struct gotrace_str function)
{
    struct gotrace_frame f;
    size_t n = gotrace_stack_len(stack);
    for (size_t i = 0; i + 1 < n && gotrace_stack_frame(stack, i, &f); i++)
        if (f.function.len == function.len && !memcmp(f.function.data, function.data, function.len))
            return true;
    return false;
}

static struct gotrace_str function_of(struct gotrace_stack stack)
{
    struct stack_parts parts;
    struct gotrace_frame f = {.pc = 0};
    stack_split(stack, &parts);
    if (parts.has_program)
        gotrace_stack_frame(stack, parts.program, &f);
    return f.function;
}

static void note_samples(struct findings *f, uint32_t number, uint32_t waker, int64_t from, int64_t certain,
                         struct gotrace_stack stack)
{
    const struct finding_thread *w = &f->threads.v[waker];
    struct finding_object *o = &f->objects.v[number];
    enum { KEPT = sizeof w->sampled / sizeof *w->sampled };
    for (uint64_t i = 0; i < KEPT && i < w->samples; i++) {
        const struct finding_sample *s = &w->sampled[i];
        struct gotrace_str function = s->at >= from ? function_of(stack) : (struct gotrace_str){NULL, 0};
        bool is_certain = s->at >= certain;
        if (s->at < from || (!is_certain && !(function.len && is_inside(s->stack, function))))
            continue;
        o->samples++;
        o->certain_samples += is_certain;
        stat_groups_add(&f->inside, finding_key(number, f->spans->live.v[waker].name, s->function), 1);
    }
}

void findings_lock_is_released(struct findings *f, uint32_t number, uint32_t waker, uint32_t thread, int64_t now,
                               struct gotrace_stack stack)
{
    struct finding_object *o = &f->objects.v[number];
    const struct finding_call *call = &f->threads.v[waker].longest;
    int64_t from = later(o->since, o->released), certain = o->under_way ? now : later(from, o->arrived);
    if (from < now && f->threads.v[waker].latest >= from)
        note_samples(f, number, waker, from, certain, stack);
    if (call->end > later(certain, call->begin))
        o->certain_calls += (uint64_t)call->end - (uint64_t)later(certain, call->begin);
    o->released = now;
    o->under_way++;
    f->threads.v[thread].on_way = number + 1;
}
