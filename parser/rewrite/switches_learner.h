/* What the first reading for a merge with switches knows of each thread (switches_learn.c), and of its locks. */
#ifndef THRACE_PARSER_REWRITE_SWITCHES_LEARNER_H
#define THRACE_PARSER_REWRITE_SWITCHES_LEARNER_H

#include "parser/event.h"
#include "parser/rewrite/switches.h"
#include "parser/rewrite/switches_queues.h"

struct waiter {
    uint32_t thread;
    bool waits; /* by the trace */
    bool slept; /* and by the kernel, and is not back */
    bool lost;  /* its processor, and has not got one since */
    size_t block; /* number of its GoBlock + 1, as long as a switch may begin it */
    size_t early_block; /* the same, of one that the trace has woken before it slept … */
    size_t first_sleep; /* … and index of the switch + 1 with which it slept all the same */
    size_t back; /* index of the switch + 1 with which it came back; 0: it did not */
    size_t waking;    /* and of the waking that made it come back; or of the first one after the trace has it woken … */
    size_t early;     /* … or the same as this, if there is none: that was before */
    size_t unblock;   /* number of the GoUnblock + 1 with which it is woken, by another thread; 0: it is not */
    uint64_t by;      /* which */
    int64_t passed_at; /* when a signal reached it on its way to sleep; else 0 */
    size_t release, waking_before; /* number of the note + 1 that took it out of its queue; what `waking` was then */
    bool was_asleep;  /* then … */
    bool slept_again; /* … and it has fallen asleep since for what it waits for */
    bool by_note;     /* the waking is what an unlock or a signal did, as was noted */
    /* As one that wakes others: */
    uint32_t released; /* the mutex or condition of its last note, if that releases one, and the trace has not said so */
    uint32_t woke;     /* whom that woke, by number, or 0 */
    size_t note;       /* number of the note + 1, if it is a waking and of this generation; else 0 */
};

struct learner {
    struct thread_switches *switches;
    struct switches_known *known;
    size_t blocks, unblocks;
    struct idmap waiter_of; /* threads: index + 1 */
    struct idmap home_of;   /* goroutines: the same of the thread that they wait on */
    VEC(struct waiter) waiters;
    struct queues queues; /* of the same numbers */
};

/* Its number in the queues, from 1. */
static inline uint32_t number_of(const struct learner *l, const struct waiter *w)
{
    return (uint32_t)(w - l->waiters.v) + 1;
}

/* The same, made if there is none. NULL: no memory. */
struct waiter *learner_waiter(struct learner *l, uint64_t thread);

/* False: no memory. */
bool learner_mark(struct event_marks *m, size_t number);

/* ---- locks: switches_locks.c ------------------------------------------------------------------------------------- */

/* A thread notes what it does with a mutex or a condition. */
bool learn_note(struct learner *l, size_t i);

/* The trace has `by` wake `at` from that stack. True: it was not so. */
bool learn_is_woken_wrongly(struct learner *l, uint32_t at, uint32_t by, const struct gotrace_event *ev);

/* It falls asleep in its wait, or has a processor again. */
bool learn_sleep(struct learner *l, struct waiter *w, int64_t time);
void learn_run(struct learner *l, uint32_t at, int64_t time);

#endif
