/*
 * What the threads of a process do at one moment, and their stacks.
 *
 * A thread that waits in a system call is looked at as it is: the kernel says its stack pointer, and that it did not
 * move while its stack was copied. Only those that run, and those whose frames cannot be found without their frame
 * pointer, are stopped, all at once, for as long as it takes to copy what they have. A system call that would then
 * fail with EINTR is not interrupted: the rest of that stack is not known. (A thread that runs may be about to enter
 * such a call. It is looked at once more just before.)
 */
#ifndef THRACE_CMD_STACKS_THREADS_H
#define THRACE_CMD_STACKS_THREADS_H

#include "cmd/stacks/modules.h"

enum { FRAMES_MAX = 128, CALL_ARGS = 6, NO_CALL = -1 };

struct thread {
    pid_t tid;
    pid_t own_tid; /* as the process sees it */
    char name[16];
    char state;    /* as in /proc: R, S, D, T, t, Z, X, I */
    char line[192]; /* of /proc/PID/task/TID/syscall */
    long call;     /* the system call that it waits in, or NO_CALL */
    uint64_t args[CALL_ARGS];
    bool spared;   /* not stopped, as its call would fail, or it should not be */
    struct stack_copy stack;
    uintptr_t pcs[FRAMES_MAX];
    int npcs;
    unsigned flags; /* UNWIND_TRUNCATED, UNWIND_STOPPED, UNWIND_GUESSED */
    int64_t symbols[FRAMES_MAX]; /* of the pcs, with the symbolizer */
};

/* Which threads may be stopped, if that is what it takes: all but those whose call would fail, none, all. */
enum stops { STOP_SAFE, STOP_NONE, STOP_ALL };

struct threads {
    VEC(struct thread) list; /* by TID */
    size_t stopped;          /* how many were */
    uint64_t pause_ns;       /* for how long, from the first stop to the last one let go */
    pid_t tracer;            /* another process that traces it: none of it could be stopped */
};

/* Looks at all threads. NULL, or why that was not possible. */
const char *threads_look(struct threads *ts, struct process *p, struct modules *ms, enum stops stops);
void threads_free(struct threads *ts);

/* The one of that number as the process sees it; NULL: there is none. */
const struct thread *threads_find(const struct threads *ts, pid_t own_tid);

/* Two equal ones of a thread that waits: it has not run in between. */
struct thread_moment {
    char call[192]; /* its line of /proc/PID/task/TID/syscall */
    char switches[64]; /* how often it has lost its processor */
};

/* False: it does not wait any more in the call that it was in when it was looked at. */
bool thread_moment(const struct process *p, const struct thread *t, struct thread_moment *moment);

#endif
