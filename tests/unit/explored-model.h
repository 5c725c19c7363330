/* For tests that explore the model or the queue of waiters (explore.h), behind the files of lib/: both as when new. */
#ifndef THRACE_TESTS_UNIT_EXPLORED_MODEL_H
#define THRACE_TESTS_UNIT_EXPLORED_MODEL_H

#include <string.h>

#ifdef THRACE_LIB_SCHED_H
enum { EXPLORED_FIRST_M = 100, EXPLORED_STACK = 1 };

/* No more than so many procs were in use: to clear all takes longer than a schedule. */
static inline void explored_renew_procs(struct sched *s, uint32_t procs, uint32_t gomaxprocs)
{
    s->busy[0] = 0;
    memset(s->procs, 0, procs * sizeof *s->procs);
    s->nprocs_known = 0;
    s->gomaxprocs = gomaxprocs;
    s->generation = 1;
}

/* Number i, which does not exist yet, with that chunk, which is empty then. */
static inline void explored_renew_thread(struct sched *s, struct sched_thread *t, unsigned i, struct chunk *c)
{
    memset(t, 0, sizeof *t);
    t->g = i + 1;
    t->m = EXPLORED_FIRST_M + t->g;
    t->proc_taken = t->state[0].proc = t->state[1].proc = PROC_NONE;
    c->used = c->meta_used = 0;
    sched_attach_chunk(s, t, c, 1);
}
#endif

#ifdef THRACE_LIB_WAITQ_H
/* The bucket of that object; nobody was beyond its home. */
static inline void explored_renew_bucket(struct waitq *q, const void *object)
{
    uint32_t bucket = waitq_bucket(object);
    for (uint32_t place = 0; place < WAITQ_HOME; place++)
        *slot_at(q, bucket, place) = (struct wait_slot){0};
    q->waiting[bucket] = q->reach[bucket] = q->from[bucket] = 0;
    q->tickets = 0;
}
#endif

#endif
