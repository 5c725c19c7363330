/*
 * A recording, and what the kernel said of its threads and the processors, as one trace. Its threads are shown as
 * running when they did; who lost the processor may run, and has no proc.
 *
 * The trace must be one that `thrace finish` has made: a goroutine stays on its thread, and procs say only how many
 * threads run at once. So they are given out anew.
 */
#ifndef THRACE_PARSER_REWRITE_SWITCHES_H
#define THRACE_PARSER_REWRITE_SWITCHES_H

#include <stdio.h>

#include "gotrace/reader.h"
#include "parser/failure.h"
#include "parser/rewrite/switches_delays.h"
#include "parser/rewrite/switches_moves.h"
#include "parser/vec.h"

/* A bit for each event of a type, in their order. */
struct event_marks {
    VEC(uint64_t) words;
};

static inline bool event_is_marked(const struct event_marks *m, size_t number)
{
    return number / 64 < m->words.n && m->words.v[number / 64] >> number % 64 & 1;
}

/* What is to be known beforehand. */
struct switches_known {
    uint64_t max_procs; /* the number of CPUs */
    struct moves moves;
    struct delays delays; /* what was said is the caller's */
    struct event_marks late;  /* GoBlocks: the kernel says when the wait begins */
    struct event_marks wrong; /* GoUnblocks: the kernel says who ended the wait, and that it was another thread */
    const struct waker_name *wakers; /* the caller's, by thread */
    size_t nwakers;
    bool show_cpus; /* the caller's: each change of a thread's CPU is a message */
};

/* Reads the trace once, and marks which switches begin and end waits. False: there is no memory. */
bool switches_learn(struct gotrace_reader *r, struct thread_switches *switches, struct switches_known *known);
void switches_known_free(struct switches_known *known);

struct switches_result {
    uint64_t events, generations; /* of the new trace, as its readers count them */
};

/* The message's category; its text is the number of the CPU. */
#define SWITCHES_CPU_CATEGORY "[thrace] cpu"

/* Writes the new trace. lenient: the trace may break off, and ends there. False: f says why. */
bool switches_merge(struct gotrace_reader *r, const struct thread_switches *switches,
                    const struct switches_known *known, bool lenient, FILE *to, struct switches_result *result,
                    struct failure *f);

#endif
