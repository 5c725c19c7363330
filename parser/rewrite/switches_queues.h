/*
 * In which order the kernel wakes those who sleep for a mutex or a condition, by what threads noted (enum lock_note) and
 * when they fell asleep. Who has slept longest is first; so one that was woken in vain comes last again. Of a condition
 * glibc lets signals through to those who waited before some signal, as many as there were, and only then to others: to
 * the first of them that asks, who need not be the one that was woken.
 */
#ifndef THRACE_PARSER_REWRITE_SWITCHES_QUEUES_H
#define THRACE_PARSER_REWRITE_SWITCHES_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/vec.h"

/* Threads and objects have numbers from 1; 0 is none. */
struct queued_thread {
    uint32_t mutex, cond; /* that it noted for this wait; cond: for which it waits first */
    uint32_t round;       /* of the condition, when it began to */
    bool passed;          /* the condition: it sleeps for the mutex from now on */
    uint32_t in, before, next; /* what it sleeps for now; who does in front of it, and behind it */
    int64_t since;        /* when it noted that, or got a processor last; and when it fell asleep after that: it … */
    int64_t asleep;       /* … came into the kernel's queue in between, nobody knows when */
};

struct queue {
    uint32_t first, last;
    uint32_t round;         /* of a condition: who came before this one may be signalled … */
    uint32_t older, newer;  /* … of whom so many have not been, and so many came since */
    uint32_t signals;       /* that nobody has taken */
    size_t unlock;          /* of a mutex: number of the note + 1 of the last unlock, if that woke nobody */
    uint32_t woken;         /* by the last unlock or signal, if it has had no processor since */
};

struct queues {
    VEC(struct queued_thread) threads;
    VEC(struct queue) objects;
};

enum sleeps_for { SLEEPS_FOR_OTHER, SLEEPS_FOR_MUTEX, SLEEPS_FOR_COND };

/* Its number is the next one. False: no memory. */
bool queues_add_thread(struct queues *q);

/* It is about to wait for the mutex; or for the condition, and then for the mutex that it noted before. False: no memory. */
bool queues_await_mutex(struct queues *q, uint32_t thread, uint32_t mutex, int64_t time);
bool queues_await_cond(struct queues *q, uint32_t thread, uint32_t cond);

/*
 * It falls asleep in its wait; has a processor again, and asks for a signal then; and has ended the wait. One that had a
 * processor when somebody signalled, and sleeps then, was on its way to sleep. Who has a processor and was not woken
 * may have been before another one in the kernel's queue, that was taken to be woken instead: that one sleeps on, as
 * the first, and is what queues_run says; else 0.
 */
enum sleeps_for queues_sleep(struct queues *q, uint32_t thread, int64_t time);
uint32_t queues_run(struct queues *q, uint32_t thread, int64_t time);
void queues_end(struct queues *q, uint32_t thread);

/* It sleeps, and has been woken all the same. */
void queues_leave(struct queues *q, uint32_t thread);

/* Whom the kernel wakes for an unlock and for a signal; 0: nobody. */
uint32_t queues_unlock(struct queues *q, uint32_t mutex);
uint32_t queues_signal(struct queues *q, uint32_t cond);

/* The condition lets it through, whoever is signalled. */
void queues_pass(struct queues *q, uint32_t thread);

/* Nobody knows who sleeps. */
void queues_forget(struct queues *q);

void queues_free(struct queues *q);

static inline const struct queued_thread *queues_thread(const struct queues *q, uint32_t thread)
{
    return &q->threads.v[thread - 1];
}

static inline bool queues_sleeps_for_cond(const struct queues *q, uint32_t thread)
{
    const struct queued_thread *t = queues_thread(q, thread);
    return t->cond && !t->passed;
}

#endif
