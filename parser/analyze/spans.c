#include "parser/analyze/spans.h"

#include <string.h>

void spans_init(struct spans *s, const struct span_watcher *watcher, void *arg)
{
    *s = (struct spans){.from = INT64_MIN, .to = INT64_MAX};
    stat_texts_init(&s->texts);
    spans_watch(s, watcher, arg);
}

void spans_watch(struct spans *s, const struct span_watcher *watcher, void *arg)
{
    s->watchers[s->nwatchers].is = watcher;
    s->watchers[s->nwatchers++].arg = arg;
}

void spans_free(struct spans *s)
{
    stat_texts_free(&s->texts);
    VEC_FREE(&s->live);
    VEC_FREE(&s->unused);
    idmap_free(&s->index);
}

uint32_t spans_find(const struct spans *s, uint64_t goroutine)
{
    uint32_t i = goroutine == GOTRACE_NONE ? 0 : idmap_get(&s->index, goroutine);
    return i ? i - 1 : SPANS_NOBODY;
}

static void tell_ends(struct spans *s, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    for (unsigned i = 0; i < s->nwatchers; i++)
        s->watchers[i].is->ends(s->watchers[i].arg, thread, now, by);
}

static void tell_begins(struct spans *s, uint32_t thread)
{
    for (unsigned i = 0; i < s->nwatchers; i++)
        if (s->watchers[i].is->begins)
            s->watchers[i].is->begins(s->watchers[i].arg, thread);
}

static void tell_gone(struct spans *s, uint32_t thread)
{
    for (unsigned i = 0; i < s->nwatchers; i++)
        s->watchers[i].is->gone(s->watchers[i].arg, thread);
}

static struct span_thread *add(struct spans *s, uint64_t goroutine, int64_t since)
{
    uint32_t i;
    if (s->unused.n)
        i = s->unused.v[--s->unused.n];
    else if (s->live.n < SPANS_NOBODY - 1 && VEC_ROOM(&s->live))
        i = (uint32_t)s->live.n++;
    else
        return NULL;
    s->live.v[i] = (struct span_thread){.id = goroutine, .tid = GOTRACE_NONE, .since = since, .counts = true};
    if (!idmap_add(&s->index, goroutine, i + 1))
        return NULL;
    s->nthreads++;
    return &s->live.v[i];
}

static void drop(struct spans *s, uint32_t thread)
{
    struct span_thread *l = &s->live.v[thread];
    tell_gone(s, thread);
    idmap_remove(&s->index, l->id);
    l->state = GOTRACE_STATE_NOT_EXIST;
    if (VEC_ROOM(&s->unused))
        s->unused.v[s->unused.n++] = thread;
    else
        s->failed = true;
}

/* A goroutine is called after the function that it began with: its outermost frame. */
static void name(struct spans *s, struct span_thread *l, struct gotrace_stack stack)
{
    size_t depth = l->name ? 0 : gotrace_stack_len(stack);
    if (depth)
        l->name = stat_text_function(&s->texts, stack, depth - 1);
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

/* What is known of it, and what the tables call it. */
static void describe(struct spans *s, struct span_thread *l, const struct gotrace_transition *t)
{
    const struct gotrace_stack *stack = &t->stack;
    bool known = t->from != GOTRACE_STATE_UNDETERMINED, frames = stack->id && gotrace_stack_len(*stack) > 0;
    const char *missing = known ? "(no stack)" : "(began before the trace)";
    struct stat_texts *texts = &s->texts;
    l->state = t->to;
    l->known = known;
    l->call = l->on_object = false;
    l->doing = 0;
    l->stack = t->stack;
    l->object = (struct stat_object){.kind = WAIT_NO_OBJECT, .need = WAIT_NEED_NO_STACK};
    l->reason = l->what = stat_empty(texts);
    l->place = l->where = 0;
    switch (t->to) {
    case GOTRACE_STATE_RUNNABLE:
        l->reason = t->reason.len ? stat_text(texts, t->reason) : stat_literal(texts, why_runnable(t->from));
        break;
    case GOTRACE_STATE_WAITING:
        l->reason = t->reason.len ? stat_text(texts, t->reason) : stat_literal(texts, known ? "(none)" : "(unknown)");
        l->what = frames ? stat_text_stack_at(texts, stack, STAT_WHERE) : stat_literal(texts, missing);
        l->place = frames ? stat_text_stack_at(texts, stack, STAT_CALL) : l->what;
        break;
    case GOTRACE_STATE_SYSCALL:
        /* A goroutine that is created here comes from outside; it is not in a system call of its own. */
        l->call = t->from != GOTRACE_STATE_NOT_EXIST;
        l->what = frames ? stat_text_stack_at(texts, stack, STAT_INNERMOST) : stat_literal(texts, missing);
        l->where = frames ? stat_text_stack_at(texts, stack, STAT_WHERE) : l->what;
        l->place = frames ? stat_text_stack_at(texts, stack, STAT_CALL_ON) : l->what;
        break;
    default: return;
    }
    if (!frames)
        return;
    const struct stat_cached *parts = stat_text_split(texts, stack);
    l->on_object = parts->object.kind != WAIT_NO_OBJECT;
    if (l->state == GOTRACE_STATE_WAITING)
        l->object = parts->object;
    s->has_objects |= l->object.kind != WAIT_NO_OBJECT;
    if (l->object.kind || parts->is_called)
        l->doing = l->place ? l->place : stat_text_stack_at(texts, stack, STAT_CALL);
}

static void runs_on(struct span_thread *l, uint64_t tid)
{
    if (l->tid == GOTRACE_NONE)
        l->tid = tid;
    else
        l->moves |= tid != l->tid && tid != GOTRACE_NONE;
}

static void begin_stretch(struct spans *s, struct span_thread *l, const struct gotrace_transition *t)
{
    describe(s, l, t);
    if (!s->filter)
        return;
    l->number = s->nstretches++;
    l->may_count = span_filter_begins(s->filter, &s->texts, l->number, l->reason, &l->object);
    l->counts = l->may_count && span_filter_stack(s->filter, t->stack);
    s->failed |= s->filter->failed;
}

static bool has_state(const struct span_thread *l)
{
    return l->state > GOTRACE_STATE_NOT_EXIST && l->state < GOTRACE_STATE_IDLE;
}

static void transition(struct spans *s, const struct gotrace_event *ev, const struct gotrace_transition *t)
{
    int64_t now = gotrace_event_time(ev);
    bool was_there = t->from == GOTRACE_STATE_UNDETERMINED;
    uint32_t thread = spans_find(s, t->resource.id);
    struct span_thread *l = thread == SPANS_NOBODY ? NULL : &s->live.v[thread];
    if (l && l->state == t->to) /* a status, which repeats what is known */
        return name(s, l, t->stack);
    if (!l) {
        /* Its first status comes before its first event: it was like that all the time. */
        int64_t since = was_there ? s->begin : now;
        if (!(l = add(s, t->resource.id, since))) {
            s->failed = true;
            return;
        }
        thread = (uint32_t)(l - s->live.v);
        name(s, l, t->stack);
        uint32_t maker = was_there ? SPANS_NOBODY : spans_find(s, gotrace_event_goroutine(ev));
        for (unsigned i = 0; i < s->nwatchers; i++)
            s->watchers[i].is->appears(s->watchers[i].arg, thread, maker, since);
    }
    name(s, l, t->stack);
    if (has_state(l))
        tell_ends(s, thread, now, ev);
    if (!was_there)
        l->since = now;
    if (t->to == GOTRACE_STATE_NOT_EXIST)
        return drop(s, thread);
    if (t->to == GOTRACE_STATE_RUNNING)
        runs_on(l, gotrace_event_thread(ev));
    begin_stretch(s, l, t);
    tell_begins(s, thread);
}

bool spans_sample_counts(const struct spans *s, uint32_t thread, const struct gotrace_event *ev)
{
    int64_t now = gotrace_event_time(ev);
    if (!s->filter)
        return true;
    if (now < s->from || now >= s->to)
        return false;
    bool counts = thread == SPANS_NOBODY ? span_filter_is_open(s->filter) : s->live.v[thread].may_count;
    return counts && span_filter_stack(s->filter, gotrace_event_stack(ev));
}

static int64_t moment(const struct spans *s, uint64_t ns)
{
    return ns < (uint64_t)INT64_MAX - (uint64_t)s->begin ? (int64_t)((uint64_t)s->begin + ns) : INT64_MAX;
}

static void begin(struct spans *s)
{
    s->begin = s->end;
    if (!s->filter || s->filter->mode == SPAN_LEARNS)
        return;
    if (s->filter->from.kind)
        s->from = moment(s, span_moment_ns(s->filter, &s->filter->from));
    s->to = moment(s, span_moment_ns(s->filter, &s->filter->to));
}

bool spans_event(struct spans *s, const struct gotrace_event *ev)
{
    const struct gotrace_transition *t = &s->transition;
    s->end = gotrace_event_time(ev);
    if (!s->nevents++)
        begin(s);
    uint32_t thread = spans_find(s, gotrace_event_goroutine(ev));
    if (thread != SPANS_NOBODY && !s->live.v[thread].name)
        name(s, &s->live.v[thread], gotrace_event_stack(ev));
    if (gotrace_event_transition(ev, &s->transition) && t->resource.kind == GOTRACE_RESOURCE_GOROUTINE &&
        t->resource.id != GOTRACE_NONE)
        transition(s, ev, t);
    return !s->failed && !s->texts.failed;
}

bool spans_end(struct spans *s)
{
    for (uint32_t i = 0; i < s->live.n; i++) {
        if (!has_state(&s->live.v[i]))
            continue;
        tell_ends(s, i, s->end, NULL);
        tell_gone(s, i);
    }
    return !s->failed && !s->texts.failed;
}

uint32_t spans_outsider(struct spans *s, const struct gotrace_event *by)
{
    struct gotrace_frame f;
    bool says = by && gotrace_stack_frame(gotrace_event_stack(by), 0, &f) && stat_str_is(f.file, "kernel");
    return says ? stat_text(&s->texts, f.function) : stat_empty(&s->texts);
}
