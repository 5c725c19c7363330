/*
 * A thread of another process that is held, and made to call functions there. It calls them on a stack of their own,
 * with the program's signals blocked; afterwards it is where it was, in the middle of a system call if it was in one,
 * and nothing of it has changed. All other threads go on meanwhile.
 */
#ifndef THRACE_CMD_ATTACH_TRACEE_H
#define THRACE_CMD_ATTACH_TRACEE_H

#include <sys/user.h>

#include "cmd/attach/return_frame.h"
#include "cmd/stacks/process.h"
#include "lib/control.h"

enum { TRACEE_STACK = 1 << 20, TRACEE_TEXT = 64 << 10 };

struct tracee {
    const struct process *p;
    pid_t tid;
    struct user_regs_struct before;
    uint64_t mask;
    size_t registers_size;
    uint8_t registers[RETURN_VECTORS_MAX]; /* vector registers, as they were */
    uint64_t restorer;                     /* where handlers of signals return to, in its code */
    uint64_t memory;                       /* of the process: text, the stack for calls, and gifts; 0: none */
    uint64_t size;                         /* of that, as far as it is ours */
    uint64_t since;                        /* when it was stopped, by clock_mono_ns */
    struct attach_schedule schedule;       /* as it was */
    bool moved;                            /* it is not where it was */
    bool signalled;                        /* it took a signal on its way to where it was held */
    bool lost;                             /* it has ended, or crashed in a call */
};

/* What the functions return where the thread has ended; the process may go on. */
extern const char tracee_has_ended[];

/* Holds the thread. NULL, or why not. What it is in the middle of is in `before`. */
const char *tracee_hold(struct tracee *t, const struct process *p, pid_t tid);

/* Prepares it for calls, and for a gift of so many bytes. restorer: where libc has tracee_restorer. NULL, or why not. */
enum { TRACEE_RESTORER = 9 };
extern const uint8_t tracee_restorer[TRACEE_RESTORER];
const char *tracee_prepare(struct tracee *t, uint64_t restorer, size_t gift);

/* Puts text to where calls find it. Returns its address in the process; 0: there is no room, or it has ended. */
uint64_t tracee_put(struct tracee *t, size_t at, const void *text, size_t size);

/* Writes to the memory of the process. False: it has ended, or nothing is there. */
bool tracee_write(const struct tracee *t, uint64_t address, const void *from, size_t size);

/* Puts what stays when it is let go, once: whole pages, which are the process's. Returns where; 0: there is nothing. */
uint64_t tracee_give(struct tracee *t, const void *from, size_t size);

/* Calls the function with up to six arguments. NULL, or what went wrong. */
enum { TRACEE_ARGS = 6 };
const char *tracee_call(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS], uint64_t *result);

/*
 * The same for what may take its time, and without a result. If the command is killed meanwhile, the thread comes
 * back by itself afterwards. Each second that it takes, may_leave (NULL: never) says of the thread, as it is then,
 * whether it can be taken out of the middle: it has done nothing so far but to wait. tracee_was_left: it was;
 * tracee_let_go puts it back.
 */
typedef bool tracee_may_leave(const struct tracee *t, const struct user_regs_struct *now);
extern const char tracee_was_left[];
const char *tracee_run(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS],
                       tracee_may_leave *may_leave);

/* Puts everything back, and lets it go. False: it had ended. */
bool tracee_let_go(struct tracee *t);

#endif
