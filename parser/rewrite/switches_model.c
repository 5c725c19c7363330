#include "parser/rewrite/switches_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONG_CALL_NS = 10000 };

/* ---- goroutines and threads ------------------------------------------------------------------------------------- */

struct switched_go *switched_go(const struct switched *s, uint64_t id)
{
    uint32_t at = id == ID_NONE ? 0 : idmap_get(&s->go_of, id);
    return at ? &s->gos.v[at - 1] : NULL;
}

struct switched_go *switched_go_on(const struct switched *s, const struct switched_thread *t)
{
    struct switched_go *go = t->go ? &s->gos.v[t->go - 1] : NULL;
    return go && go->thread == t->id ? go : NULL; /* it may have come to life on another one's */
}

struct switched_go *switched_add_go(struct switched *s, uint64_t id, uint8_t status)
{
    uint32_t at = s->free_gos.n ? s->free_gos.v[s->free_gos.n - 1] : (uint32_t)s->gos.n;
    if ((!s->free_gos.n && (s->gos.n >= UINT32_MAX - 1 || !VEC_ROOM(&s->gos))) || !idmap_add(&s->go_of, id, at + 1)) {
        rewriter_no_memory(&s->w);
        return NULL;
    }
    if (s->free_gos.n)
        s->free_gos.n--;
    else
        s->gos.n++;
    s->gos.v[at] = (struct switched_go){.id = id, .thread = ID_NONE, .was = status, .is = status, .stated = true};
    return &s->gos.v[at];
}

struct switched_thread *switched_thread(struct switched *s, uint64_t id)
{
    uint32_t at = idmap_get(&s->thread_of, id);
    if (!at) {
        if (s->threads.n >= UINT32_MAX - 1 || !VEC_ROOM(&s->threads) ||
            !idmap_add(&s->thread_of, id, at = (uint32_t)s->threads.n + 1)) {
            rewriter_no_memory(&s->w);
            return NULL;
        }
        s->threads.v[s->threads.n++] = (struct switched_thread){.id = id};
    }
    return &s->threads.v[at - 1];
}

void switched_bind(struct switched *s, struct switched_thread *t, struct switched_go *go)
{
    t->go = (uint32_t)(go - s->gos.v) + 1;
    go->thread = t->id;
}

bool switched_drop_go(struct switched *s, struct switched_go *go)
{
    if (!VEC_ROOM(&s->free_gos))
        return rewriter_no_memory(&s->w);
    idmap_remove(&s->go_of, go->id);
    go->is = 0;
    s->free_gos.v[s->free_gos.n++] = (uint32_t)(go - s->gos.v);
    return true;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

bool switched_put(struct switched *s, uint64_t thread, int64_t time, uint8_t id, const uint64_t *args)
{
    s->events++;
    return rewriter_event(&s->w, thread, time, id, args);
}

bool switched_copy(struct switched *s, const struct gotrace_event *ev, const uint64_t *args)
{
    s->events++;
    return rewriter_copy(&s->w, ev, ev->thread, args);
}

static const uint8_t metric_types[SWITCHED_METRICS] = {EV_HeapAlloc, EV_HeapGoal};

static bool say_metrics(struct switched *s, uint64_t thread, int64_t time)
{
    for (int i = 0; i < SWITCHED_METRICS; i++) {
        if (s->metrics[i].due && !switched_put(s, thread, time, metric_types[i], &s->metrics[i].value))
            return false;
        s->metrics[i].due = false;
    }
    return true;
}

/* The thread that it was written for may be without a processor, and so without a proc. */
bool switched_metric(struct switched *s, const struct gotrace_event *ev)
{
    int which = ev->type == EV_HeapGoal;
    struct switched_thread *t = switched_thread(s, ev->thread);
    if (!t)
        return false;
    s->metrics[which].value = ev->args[0];
    s->metrics[which].due = true;
    for (size_t i = 0; i < s->procs.n && !t->proc; i++)
        if (s->procs.v[i].thread)
            t = &s->threads.v[s->procs.v[i].thread - 1];
    return !t->proc || say_metrics(s, t->id, ev->time);
}

/* ---- procs ------------------------------------------------------------------------------------------------------ */

static bool is_in_call(const struct switched *s, const struct switched_proc *p)
{
    const struct switched_go *go = p->thread ? switched_go_on(s, &s->threads.v[p->thread - 1]) : NULL;
    return go && go->is == GO_SYSCALL;
}

/*
 * As in the recording: a free one among the first GOMAXPROCS; else that of a thread in a system call, first of one that
 * has no processor, then of one whose call is long; else one beyond.
 */
static size_t choose_proc(const struct switched *s, int64_t time)
{
    size_t n = s->procs.n, among = n < s->max_procs ? n : (size_t)s->max_procs, in_call = SIZE_MAX;
    for (size_t i = 0; i < among; i++)
        if (!s->procs.v[i].thread)
            return i;
    if (n < s->max_procs)
        return n;
    for (size_t i = 0; i < n; i++) {
        const struct switched_proc *p = &s->procs.v[i];
        if (!is_in_call(s, p))
            continue;
        if (s->threads.v[p->thread - 1].off)
            return i;
        if (in_call == SIZE_MAX && time - p->since > LONG_CALL_NS)
            in_call = i;
    }
    if (in_call != SIZE_MAX)
        return in_call;
    for (size_t i = among; i < n; i++)
        if (!s->procs.v[i].thread)
            return i;
    return n;
}

bool switched_take_proc(struct switched *s, struct switched_thread *t, int64_t time)
{
    if (t->proc)
        return true;
    size_t at = choose_proc(s, time);
    if (at == s->procs.n) {
        if (!VEC_ROOM(&s->procs))
            return rewriter_no_memory(&s->w);
        s->procs.v[s->procs.n++] = (struct switched_proc){0};
    }
    struct switched_proc *p = &s->procs.v[at];
    if (!p->stated && !switched_put(s, t->id, time, EV_ProcStatus, (uint64_t[]){at, PROC_IDLE}))
        return false;
    p->stated = true;
    if (p->thread) {
        struct switched_thread *victim = &s->threads.v[p->thread - 1];
        victim->proc = 0;
        if (!switched_put(s, t->id, time, EV_ProcSteal, (uint64_t[]){at, ++p->seq, victim->id}))
            return false;
    }
    p->thread = (uint32_t)(t - s->threads.v) + 1;
    t->proc = (uint32_t)at + 1;
    return switched_put(s, t->id, time, EV_ProcStart, (uint64_t[]){at, ++p->seq}) && say_metrics(s, t->id, time);
}

bool switched_give_proc(struct switched *s, struct switched_thread *t, int64_t time)
{
    if (!t->proc)
        return true;
    s->procs.v[t->proc - 1].thread = 0;
    t->proc = 0;
    return switched_put(s, t->id, time, EV_ProcStop, NULL);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static bool say_max_procs(struct switched *s, const struct switched_thread *t, int64_t time)
{
    if (s->max_said && t->proc <= s->max_procs)
        return true;
    s->max_said = true;
    s->max_procs = t->proc > s->max_procs ? t->proc : s->max_procs;
    return switched_put(s, t->id, time, EV_ProcsChange, (uint64_t[]){s->max_procs, 0});
}

bool switched_start(struct switched *s, struct switched_thread *t, struct switched_go *go, int64_t time)
{
    if (go->is == GO_WAITING && !switched_put(s, t->id, time, EV_GoUnblock, (uint64_t[]){go->id, ++go->seq, 0}))
        return false;
    go->is = GO_RUNNABLE; /* while it has no proc yet */
    if (!switched_take_proc(s, t, time))
        return false;
    go->is = GO_RUNNING;
    return switched_put(s, t->id, time, EV_GoStart, (uint64_t[]){go->id, ++go->seq}) && say_max_procs(s, t, time);
}

/* Where it was not long ago, perhaps: nobody knows where it is. */
static bool stack_after(struct switched *s, struct switched_thread *t)
{
    static const struct gotrace_builder_frame mark = {
        .pc = SWITCHED_NO_CODE | UINT64_C(1) << 60, .function = "[thrace] after", .file = "libthrace-preload.so", .line = 1};
    if (t->after)
        return true;
    if (t->seen && s->tables)
        t->kept = kept_stack(&s->kept, (struct gotrace_stack){s->tables, s->tables->serial, t->seen});
    if (s->kept.failed)
        return rewriter_no_memory(&s->w);
    return rewriter_kept_below(&s->w, &s->kept, t->kept, &mark, &t->after);
}

/* Go's own words for a goroutine that has to give way, and for a wait of which it says no more. */
bool switched_stop(struct switched *s, struct switched_thread *t, struct switched_go *go, int64_t time,
                   enum switch_kind why)
{
    bool waits = why == SWITCH_BLOCKS;
    const char *reason = waits ? "unspecified" : "preempted";
    if (waits && !stack_after(s, t))
        return false;
    uint64_t args[] = {gotrace_builder_string(s->w.builder, reason, strlen(reason)), waits ? t->after : 0};
    go->is = waits ? GO_WAITING : GO_RUNNABLE;
    return switched_put(s, t->id, time, waits ? EV_GoBlock : EV_GoStop, args) && switched_give_proc(s, t, time);
}

bool switched_block(struct switched *s, struct switched_thread *t, struct switched_go *go, int64_t time)
{
    uint64_t args[] = {go->reason, go->stack};
    go->was = go->is = GO_WAITING;
    go->late = false;
    return switched_put(s, t->id, time, EV_GoBlock, args) && switched_give_proc(s, t, time);
}

/* Who has lost the processor runs once more, as only so it can wait. */
bool switched_block_all(struct switched *s, int64_t time)
{
    for (size_t i = 0; i < s->gos.n; i++) {
        struct switched_go *go = &s->gos.v[i];
        struct switched_thread *t = go->is && go->late ? switched_thread(s, go->thread) : NULL;
        if (t && ((go->is != GO_RUNNING && !switched_start(s, t, go, time)) ||
                  !switched_block(s, t, go, time)))
            return false;
    }
    return true;
}

/* For no task. */
bool switched_say_cpu(struct switched *s, struct switched_thread *t, int64_t time)
{
    const struct switched_go *go = switched_go_on(s, t);
    if (!s->known->show_cpus || t->said == t->cpu || !go || go->is != GO_RUNNING || !t->proc)
        return true;
    t->said = t->cpu;
    char number[16];
    int n = snprintf(number, sizeof number, "%" PRIu32, t->cpu - 1);
    uint64_t category = gotrace_builder_string(s->w.builder, SWITCHES_CPU_CATEGORY, strlen(SWITCHES_CPU_CATEGORY));
    uint64_t message = gotrace_builder_string(s->w.builder, number, (size_t)n);
    return switched_put(s, t->id, time, EV_UserLog, (uint64_t[]){0, category, message, 0});
}

/* ---- statuses --------------------------------------------------------------------------------------------------- */

static bool state(struct switched *s, uint64_t thread, uint8_t id, const uint64_t *args)
{
    return switched_put(s, thread, s->w.last + 1, id, args);
}

static bool state_go(struct switched *s, struct switched_go *go)
{
    bool on_thread = go->is == GO_RUNNING || go->is == GO_SYSCALL;
    uint64_t thread = on_thread ? go->thread : ID_NONE;
    go->stated = true;
    return state(s, thread, EV_GoStatus, (uint64_t[]){go->id, thread, go->is});
}

static bool state_proc(struct switched *s, size_t at)
{
    struct switched_proc *p = &s->procs.v[at];
    const struct switched_thread *t = p->thread ? &s->threads.v[p->thread - 1] : NULL;
    struct switched_go *go = t ? switched_go_on(s, t) : NULL;
    uint64_t status = !t ? PROC_IDLE : is_in_call(s, p) ? PROC_SYSCALL : PROC_RUNNING;
    p->stated = true;
    if (!state(s, t ? t->id : ID_NONE, EV_ProcStatus, (uint64_t[]){at, status}))
        return false;
    return !go || (go->is != GO_RUNNING && go->is != GO_SYSCALL) || state_go(s, go);
}

bool switched_state_all(struct switched *s)
{
    for (size_t i = 0; i < s->gos.n; i++) {
        s->gos.v[i].stated = false;
        s->gos.v[i].seq = s->gos.v[i].stack = s->gos.v[i].root = 0;
    }
    for (size_t i = 0; i < s->threads.n; i++)
        s->threads.v[i].seen = s->threads.v[i].after = 0;
    for (size_t i = 0; i < s->procs.n; i++) {
        s->procs.v[i].seq = 0;
        if (!state_proc(s, i))
            return false;
    }
    for (size_t i = 0; i < s->gos.n; i++)
        if (s->gos.v[i].is && !s->gos.v[i].stated && !state_go(s, &s->gos.v[i]))
            return false;
    return true;
}

void switched_free(struct switched *s)
{
    rewriter_free(&s->w);
    kept_stacks_free(&s->kept);
    idmap_free(&s->go_of);
    idmap_free(&s->thread_of);
    VEC_FREE(&s->gos);
    VEC_FREE(&s->free_gos);
    VEC_FREE(&s->threads);
    VEC_FREE(&s->procs);
}
