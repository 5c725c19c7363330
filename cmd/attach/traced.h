/* What is known of a thread of another process that is traced. */
#ifndef THRACE_CMD_ATTACH_TRACED_H
#define THRACE_CMD_ATTACH_TRACED_H

#include <sys/user.h>

#include "cmd/attach/return_frame.h"
#include "cmd/stacks/process.h"
#include "lib/control.h"

struct tracee {
    const struct process *p;
    pid_t tid;
    struct user_regs_struct before;
    uint64_t mask;
    size_t registers_size;
    uint8_t registers[RETURN_VECTORS_MAX]; /* vector registers, as they were */
    uint64_t restorer;                     /* where handlers of signals return to, in its code */
    uint64_t memory;                       /* of the process: text, the stack for calls, and gifts; 0: none */
    uint64_t text, text_size, stack;       /* where those are; the stack ends there */
    uint64_t size;                         /* of that, as far as it is ours */
    uint64_t asked, since;                 /* when it was told to stop, and when it was stopped, by clock_mono_ns */
    struct attach_schedule schedule;       /* as it was */
    pid_t made;                            /* the thread that it has made meanwhile, as a worker is; 0: none */
    bool moved;                            /* it is not where it was */
    bool returns;                          /* but comes back by itself */
    bool ran_on;                           /* and may have come back already, and done other things */
    bool signalled;                        /* it took a signal on its way to where it was held */
    bool lost;                             /* it has ended, or crashed in a call */
};

/* What the functions return where the thread has ended; the process may go on. */
extern const char tracee_has_ended[];

#endif
