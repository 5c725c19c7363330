/* Stops threads of another process, all at once, and copies what they have. */
#ifndef THRACE_CMD_STACKS_STOP_H
#define THRACE_CMD_STACKS_STOP_H

#include "cmd/stacks/thread.h"

/* A thread that is to be stopped. Starts zeroed but for t. */
struct stop {
    struct thread *t;
    int signal; /* that it was about to take, 0: none */
    bool asked, stopped;
};

struct stops_done {
    size_t stopped;    /* how many were */
    uint64_t pause_ns; /* for how long, from the first stop to the last one let go */
    pid_t tracer;      /* another process that traces one of them, which could not be stopped; 0: none */
};

/*
 * Those whose call would notice a stop are spared, if `safe` says so. NULL, or what went wrong. None is traced
 * afterwards; where one does not stop, that holds when this process has ended.
 */
const char *stop_and_copy(struct process *p, struct stop *stops, size_t n, bool safe, struct stops_done *done);

#endif
