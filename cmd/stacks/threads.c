#include "config.h"

#include "cmd/stacks/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/finish/process_life.h"
#include "cmd/stacks/core.h"

enum { LOOKS = 3 };

static void unwind(struct thread *t, struct modules *ms)
{
    if (!t->stack.regs.r[UNWIND_PC]) { /* it has ended */
        t->npcs = 0;
        return;
    }
    t->npcs = modules_unwind(ms, &t->stack, t->pcs, FRAMES_MAX, &t->flags);
}

/* --- without a stop ----------------------------------------------------------------------------------------------- */

enum look { LOOK_DONE, LOOK_AGAIN, LOOK_ENDED, LOOK_NO_MEMORY };

/* Done: also where the rest of the stack is not to be had so. */
static enum look look_once(struct process *p, struct modules *ms, struct thread *t)
{
    struct thread_seen before, after;
    if (!thread_see(p, t->tid, &before))
        return LOOK_ENDED;
    snprintf(t->name, sizeof t->name, "%s", before.name);
    memcpy(t->line, before.moment.call, sizeof t->line);
    t->state = before.state;
    t->own_tid = before.own_tid;
    t->npcs = 0;
    if (!thread_take_line(t, before.moment.call))
        return LOOK_AGAIN;
    if (!thread_copy_stack(p, &t->stack))
        return LOOK_NO_MEMORY;
    if (!thread_see(p, t->tid, &after))
        return LOOK_ENDED;
    if (memcmp(&before.moment, &after.moment, sizeof before.moment) != 0) /* zeros behind their ends */
        return LOOK_AGAIN;
    unwind(t, ms);
    return LOOK_DONE;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int by_tid(const void *a, const void *b)
{
    const struct thread *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

struct finding {
    struct threads *threads;
    const char *wrong;
};

static bool find_one(void *arg, pid_t tid)
{
    struct finding *f = arg;
    if (VEC_ROOM(&f->threads->list))
        f->threads->list.v[f->threads->list.n++] = (struct thread){.tid = tid, .call = NO_CALL};
    else
        f->wrong = no_memory;
    return !f->wrong;
}

static const char *find_all(struct threads *ts, const struct process *p)
{
    struct finding f = {ts, NULL};
    if (!process_each_thread(p->pid, find_one, &f))
        return process_why("it has ended");
    if (ts->list.n)
        qsort(ts->list.v, ts->list.n, sizeof *ts->list.v, by_tid);
    return f.wrong;
}

static void forget(struct threads *ts, size_t i)
{
    free(ts->list.v[i].stack.bytes);
    memmove(&ts->list.v[i], &ts->list.v[i + 1], (--ts->list.n - i) * sizeof *ts->list.v);
}

static bool is_whole(const struct thread *t) { return t->npcs && !(t->flags & UNWIND_STOPPED); }

/* Those that no look without a stop showed whole. NULL, or what went wrong. */
static const char *stop_the_others(struct threads *ts, struct process *p, struct modules *ms, enum stops which)
{
    size_t n = 0;
    struct stop *stops = calloc(ts->list.n + 1, sizeof *stops);
    if (!stops)
        return no_memory;
    for (size_t i = 0; i < ts->list.n; i++) {
        struct thread *t = &ts->list.v[i];
        if (is_whole(t) || t->state == 'Z' || t->state == 'X')
            continue;
        t->spared = t->state == 'D' || which == STOP_NONE;
        if (!t->spared)
            stops[n++].t = t;
    }
    const char *wrong = n ? stop_and_copy(p, stops, n, which == STOP_SAFE, &ts->stops) : NULL;
    for (size_t i = 0; i < n && !wrong; i++)
        if (stops[i].stopped)
            unwind(stops[i].t, ms);
    free(stops);
    return wrong;
}

/* --- of a core file ----------------------------------------------------------------------------------------------- */

/* Where the registers tell: the call that it waited in, and not one that had its result, as clone of a new thread. */
static void take_call(struct thread *t, const struct process *p, const struct user_regs_struct *regs)
{
    t->call = thread_interrupted_call(p, regs, t->args);
    t->state = t->call == NO_CALL ? 'R' : 'S';
}

static const char *take_all(struct threads *ts, struct process *p, struct modules *ms)
{
    const struct core *c = p->core;
    for (size_t i = 0; i < c->threads.n; i++) {
        const struct core_thread *from = &c->threads.v[i];
        if (!VEC_ROOM(&ts->list))
            return no_memory;
        struct thread *t = &ts->list.v[ts->list.n++];
        *t = (struct thread){.tid = from->tid, .own_tid = from->tid, .signal = i ? 0 : c->signal, .call = NO_CALL};
        snprintf(t->name, sizeof t->name, "%s", from->tid == p->pid ? p->name : "thread");
        take_call(t, p, &from->regs);
        thread_take_registers(&t->stack.regs, &from->regs);
        if (!thread_copy_stack(p, &t->stack))
            return no_memory;
        unwind(t, ms);
    }
    qsort(ts->list.v, ts->list.n, sizeof *ts->list.v, by_tid);
    return NULL;
}

const char *threads_look(struct threads *ts, struct process *p, struct modules *ms, enum stops which)
{
    memset(ts, 0, sizeof *ts);
    if (p->core)
        return take_all(ts, p, ms);
    const char *wrong = find_all(ts, p);
    for (size_t i = 0; i < ts->list.n && !wrong;) {
        enum look look = LOOK_AGAIN;
        for (int looks = 0; looks < LOOKS && look == LOOK_AGAIN; looks++)
            look = look_once(p, ms, &ts->list.v[i]);
        if (look == LOOK_NO_MEMORY)
            wrong = no_memory;
        if (look == LOOK_ENDED)
            forget(ts, i);
        else
            i++;
    }
    return wrong ? wrong : stop_the_others(ts, p, ms, which);
}

void threads_free(struct threads *ts)
{
    for (size_t i = 0; i < ts->list.n; i++)
        free(ts->list.v[i].stack.bytes);
    VEC_FREE(&ts->list);
}

const struct thread *threads_find(const struct threads *ts, pid_t own_tid)
{
    for (size_t i = 0; i < ts->list.n; i++)
        if (ts->list.v[i].own_tid == own_tid)
            return &ts->list.v[i];
    return NULL;
}
