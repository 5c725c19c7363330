/* A thread of another process: what the kernel says of it, and a copy of its stack. */
#ifndef THRACE_CMD_STACKS_THREAD_H
#define THRACE_CMD_STACKS_THREAD_H

#include <sys/user.h>

#include "cmd/stacks/modules.h"

enum { FRAMES_MAX = 128, CALL_ARGS = 6, NO_CALL = -1 };

struct thread {
    pid_t tid;
    pid_t own_tid; /* as the process sees it */
    char name[16];
    char state;    /* as in /proc: R, S, D, T, t, Z, X, I */
    int signal;    /* that it took and that ended the process, 0: none */
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

/* Two equal ones of a thread that waits: it has not run in between. */
struct thread_moment {
    char call[192]; /* its line of /proc/PID/task/TID/syscall */
    char switches[64]; /* how often it has lost its processor */
};

/* What the kernel says of a thread at one moment. */
struct thread_seen {
    char name[16], state;
    pid_t own_tid;
    pid_t tracer; /* 0: nobody traces it */
    struct thread_moment moment;
};

/* False: the thread has ended. */
bool thread_see(const struct process *p, pid_t tid, struct thread_seen *seen);

/* False: it does not wait any more in the call that it was in when it was looked at. */
bool thread_moment(const struct process *p, const struct thread *t, struct thread_moment *moment);

/* Its line of /proc/PID/task/TID/syscall, without the newline; "" if the kernel does not tell. */
void thread_line(const struct process *p, pid_t tid, char *into, size_t size);

/*
 * Takes the call, its arguments, and of the registers the stack pointer and the pc from the line. False: the thread
 * runs, or nothing is told.
 */
bool thread_take_line(struct thread *t, const char *line);

void thread_take_registers(struct unwind_regs *to, const struct user_regs_struct *from);

/*
 * The call that a signal, or a stop, has taken a thread with these registers out of, and its arguments; NO_CALL. The
 * kernel for aarch64 tells nobody of it.
 */
long thread_interrupted_call(const struct process *p, const struct user_regs_struct *r, uint64_t args[CALL_ARGS]);

/* Copies the stack that its registers point into; without a mapping there is no copy. False: memory is short. */
bool thread_copy_stack(struct process *p, struct stack_copy *s);

#endif
