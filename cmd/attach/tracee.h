/*
 * A thread of another process that is held, and made to call functions there. It calls them on a stack of their own,
 * with the program's signals blocked; afterwards it is where it was, in the middle of a system call if it was in one,
 * and nothing of it has changed. All other threads go on meanwhile.
 */
#ifndef THRACE_CMD_ATTACH_TRACEE_H
#define THRACE_CMD_ATTACH_TRACEE_H

#include "cmd/attach/traced.h"

enum { TRACEE_STACK = 1 << 20, TRACEE_TEXT = 64 << 10 };

/* Holds the thread. NULL, or why not. What it is in the middle of is in `before`. */
const char *tracee_hold(struct tracee *t, const struct process *p, pid_t tid);

/* Where it is, and what of it is to be as it was when it is let go. False: it has ended. */
bool tracee_remember(struct tracee *t);

/*
 * The kernel has just arranged that its call goes on, and it has not come to that yet. That moment bears no call of
 * ours: who comes back to it from a handler finds that there is nothing to go on with, and the call fails.
 */
bool tracee_is_between(const struct tracee *t);

/* Its call, if it is in one: as is needed where it comes back by itself. False: how that began nobody knows any more. */
bool tracee_can_begin_again(const struct tracee *t);

/* Prepares it for calls, and for a gift of so many bytes. restorer: where libc has tracee_restorer. NULL, or why not. */
enum { TRACEE_RESTORER = 9 };
extern const uint8_t tracee_restorer[TRACEE_RESTORER];
const char *tracee_prepare(struct tracee *t, uint64_t restorer, size_t gift);

/* The same for one short function without gifts: on its own stack, if there is room. */
const char *tracee_prepare_briefly(struct tracee *t, uint64_t restorer);

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

/* Has it call a function that makes a thread, which is held as well then: t->made. NULL, or what went wrong. */
extern const char tracee_no_thread[];
const char *tracee_make_thread(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS]);

/* Puts everything back, and lets it go. False: it had ended. */
bool tracee_let_go(struct tracee *t);

#endif
