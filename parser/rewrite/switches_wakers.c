#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "parser/rewrite/switches_model.h"

/* By their numbers, which are the same in each kernel since 2.6.31. */
static const char *const softirqs[] = {"hi",       "timer",   "net_tx", "net_rx",  "block",
                                       "irq_poll", "tasklet", "sched",  "hrtimer", "rcu"};
enum { SOFTIRQS = sizeof softirqs / sizeof *softirqs };

/* A frame that says who it was, where it is no goroutine. */
static uint64_t stack_of(struct switched *s, const struct thread_switch *waking)
{
    char text[64];
    struct waker_name key = {.thread = waking->waker}, *name = NULL;
    if (waking->context == WAKING_BY_THREAD && s->known->nwakers)
        name = bsearch(&key, s->known->wakers, s->known->nwakers, sizeof key, waker_name_compare);
    uint64_t which = waking->context == WAKING_BY_THREAD ? waking->waker : waking->cpu;
    if (waking->context == WAKING_IN_SOFTIRQ && waking->waker - 1 < SOFTIRQS) {
        which |= (uint64_t)waking->waker << 32;
        snprintf(text, sizeof text, "softirq %s on CPU %u", softirqs[waking->waker - 1], waking->cpu);
    } else if (waking->context == WAKING_IN_SOFTIRQ)
        snprintf(text, sizeof text, "softirq on CPU %u", waking->cpu);
    else if (waking->context != WAKING_BY_THREAD)
        snprintf(text, sizeof text, "interrupt on CPU %u", waking->cpu);
    else if (name)
        snprintf(text, sizeof text, "%.*s (thread %" PRIu32 ")", (int)(name->len < 32 ? name->len : 32), name->text,
                 waking->waker);
    else
        snprintf(text, sizeof text, "thread %" PRIu32, waking->waker);
    struct gotrace_builder_frame frame = {
        .pc = SWITCHED_NO_CODE | (uint64_t)waking->context << 40 | which, .function = text, .file = "kernel", .line = 1};
    return gotrace_builder_stack(s->w.builder, &frame, 1);
}

/* By a thread of the trace, and its goroutine, unless that waits: it lets go of a mutex as it begins to wait, say. */
bool switched_wake(struct switched *s, const struct switched_thread *t, const struct thread_switch *waking)
{
    struct switched_go *go = switched_go_on(s, t);
    if (!go || go->is != GO_WAITING || (go->was != GO_RUNNING && !waking->ends_wait))
        return true;
    uint32_t index = waking->context == WAKING_BY_THREAD ? idmap_get(&s->thread_of, waking->waker) : 0;
    const struct switched_thread *thread = index ? &s->threads.v[index - 1] : NULL;
    const struct switched_go *by = thread ? switched_go_on(s, thread) : NULL;
    bool acts = by && (by->is == GO_RUNNING || by->is == GO_SYSCALL);
    uint64_t stack = !acts ? stack_of(s, waking) : by->is == GO_SYSCALL ? by->stack : 0;
    if (waking->stack && acts && s->tables && !rewriter_stack(&s->w, s->tables, waking->stack, &stack))
        return false;
    go->is = GO_RUNNABLE;
    return switched_put(s, thread ? thread->id : ID_NONE, waking->time, EV_GoUnblock,
                        (uint64_t[]){go->id, ++go->seq, stack});
}
