/*
 * What threads wait for, and who is to blame. Each time that somebody wakes a thread that waits for an object, the time
 * from the last such release on, or since the first of those that wait began to, was the releaser's: it was the owner.
 * That time counts for each thread that waited meanwhile, so the sums of the owners are those of the waits. What the
 * owner did in it is known from its stretches, and from those of who woke it, where it waited itself.
 *
 * One pass. A release costs as much as its owner's stretches since the last one, whatever the number of those who wait;
 * where owners wait for each other stretches are looked at again, but only a number of times on the whole. The last
 * CRITICAL_MAX stretches are remembered, while any thread waits for an object.
 */
#ifndef THRACE_PARSER_ANALYZE_BLAME_H
#define THRACE_PARSER_ANALYZE_BLAME_H

#include "parser/analyze/blame_sums.h"
#include "parser/analyze/critical.h"

enum { BLAME_OBJECTS = STAT_NGROUPS }; /* later ones share a row */

struct blame_object {
    struct stat_object is;
    bool full;       /* who waits wants to write, and who reads wakes it */
    bool was_ended;  /* a thread of the trace has ended a wait for it */
    uint32_t first, last; /* who waits for it so that it counts, by the begin of the wait: place + 1 */
    uint64_t nwaiting;
    int64_t released; /* when a thread was woken the last time */
};

struct blame_thread {
    struct critical_end way; /* its own stretches */
    uint32_t object;         /* that it waits for: number + 1 */
    uint32_t previous, next; /* others that do: place + 1 */
    uint32_t sampled;        /* text: where a sample found it in this stretch */
    int64_t begin;           /* of the wait */
    bool counts;             /* the wait does, and is linked to the others */
};

struct blame {
    struct spans *spans;
    struct critical critical;
    VEC(struct blame_object) objects;
    struct idmap index;       /* text of the object, and full, to its number + 1 */
    struct stat_groups waits; /* by the object's number */
    struct blame_sums sums;
    VEC(struct blame_thread) threads; /* by their place in spans.live */
    uint64_t nwaiting;
    uint64_t looks; /* at how many stretches it may still look, so that it takes no longer than the trace is */
    bool failed;    /* memory is short */
};

void blame_init(struct blame *b, struct spans *spans);
void blame_free(struct blame *b);

/* What the watcher of spans is told. */
void blame_appears(struct blame *b, uint32_t thread, uint32_t maker, int64_t now);
void blame_begins(struct blame *b, uint32_t thread);
void blame_ends(struct blame *b, uint32_t thread, int64_t now, const struct gotrace_event *by);

/* A sample of the CPU: what the thread executes. */
void blame_sample(struct blame *b, const struct gotrace_event *ev);

/* All waits have ended: the sums are complete. */
void blame_end(struct blame *b);

bool blame_is_fine(const struct blame *b);

#endif
