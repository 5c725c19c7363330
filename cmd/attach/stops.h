/* How a thread that is traced stops, and where. */
#ifndef THRACE_CMD_ATTACH_STOPS_H
#define THRACE_CMD_ATTACH_STOPS_H

#include "cmd/attach/traced.h"

/*
 * glibc's own, which are never blocked: whoever calls setuid waits until every thread has answered, with a lock that
 * loading takes.
 */
enum { SIGNAL_CANCEL = 32, SIGNAL_SETXID = 33 };

/* How long a thread may take to stop. */
enum { STOP_NS = 2000000000 };

/* NULL: it has stopped, with this status. Else why it has not, by clock_mono_ns. */
const char *stop_await(const struct tracee *t, int *status, uint64_t until);

/* Until it has stopped on its way out of the kernel, now that it runs. A signal that it was about to take it takes. */
const char *stop_interrupt(struct tracee *t, bool is_stopped);

/*
 * Up to the next system call's beginning or end. stop_is_late where it is not there by then: it is stopped in the middle
 * of what it does, and goes on with the next of these. A signal of a fault is its last, as others are blocked.
 */
extern const char stop_is_late[];
const char *stop_at_call(struct tracee *t, uint64_t until, struct user_regs_struct *regs);

/* From now on it also stops where it makes a thread, which is held as well then: t->made. False: it has ended. */
bool stop_also_at_clone(const struct tracee *t);

/* A signal that neither is blocked nor does anything when it comes to the thread. 0: there is none. */
int stop_idle_signal(const struct tracee *t);

/*
 * Without a stop at a system call up to where it has made a thread, or gets the signal `back`. stop_is_late: that takes
 * too long, and it was stopped where it was, having made a thread or not. NULL, or what went wrong.
 */
const char *stop_at_clone(struct tracee *t, int back);

/*
 * It is traced no more. False: it has ended. One that was killed meanwhile is ours to wait for: else it stays in the
 * process as long as we live, and the process does not end.
 */
bool stop_release(struct tracee *t);

/* Signals of a field of the thread's status; all of them if it cannot be read. */
uint64_t stop_signals(const struct tracee *t, const char *field);

/* The registers of a thread that is stopped. False: it has ended. */
bool stop_get_regs(const struct tracee *t, struct user_regs_struct *regs);
bool stop_set_regs(const struct tracee *t, const struct user_regs_struct *regs);

#endif
