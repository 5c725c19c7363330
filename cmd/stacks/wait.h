/*
 * What a thread waits for, by the system call that it is in, the functions on its stack and the memory of the object:
 * glibc's locks say who holds them.
 */
#ifndef THRACE_CMD_STACKS_WAIT_H
#define THRACE_CMD_STACKS_WAIT_H

#include "cmd/stacks/threads.h"
#include "lib/objects.h"
#include "lib/symbolize/symbolize.h"

struct wait {
    enum object_kind kind; /* in memory, or a thread; else it is only told */
    uint64_t address;      /* of the object in memory */
    pid_t other;           /* who holds it, or is joined, as the process sees it; 0: nobody can tell */
    bool is_shared;        /* with other processes */
    bool is_limited;       /* ends by itself after a time */
    char object[512];      /* "mutex cache.lock (cache.c:12)"; "": it waits for nothing that is known */
    int64_t symbols[2];    /* what may be the object, with the symbolizer; -1: none */
};

/* Before the symbolizer runs: asks for what may be the object. False: memory is short. */
bool wait_ask(struct wait *w, const struct thread *t, struct symbolizer *symbolizer);

/* After it. The text lives in w. */
void wait_tell(struct wait *w, const struct process *p, const struct threads *ts, const struct thread *t,
               const struct symbolizer *symbolizer);

/* Who holds the object now, or is joined; 0: nobody, or nobody can tell. */
pid_t wait_other(const struct wait *w, const struct process *p);

#endif
