/* What the sampler needs of the wrappers that hide its signals. */
#ifndef THRACE_PRELOAD_SAMPLER_WRAP_SIGNAL_H
#define THRACE_PRELOAD_SAMPLER_WRAP_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The handler's part for signals that are not samples. */
void signal_foreign(int sig, siginfo_t *info, void *context);

/* Installs the handler of the sampling signal, or finds none that is free: 0. */
int signal_take(void (*handler)(int, siginfo_t *, void *));

/* The same for SIGTRAP, afterwards: false when somebody else uses it. */
bool signal_take_trap(void);

/* From now on our handlers run on the signal stacks of threads that have one. */
void signal_to_their_stacks(void);
int signal_stack_flag(void); /* SA_ONSTACK then, else 0 */

/* The set of our signals, as the kernel has it. */
extern uint64_t signals_reserved;

/*
 * The kernel's mask of the calling thread lets samples through from now on. What the program's says is what the
 * kernel's did, or what the thread inherited from its creator: a set of our signals.
 */
void signal_unblock(uint64_t inherited);
uint64_t signal_blocked_for_child(void);

/* A copy of the set without our signals, or with them; the same where there is nothing to copy. */
const sigset_t *signal_without(const sigset_t *set, sigset_t *copy);
const sigset_t *signal_with(const sigset_t *set, sigset_t *copy);

/* While the program does nothing about SIGIO, it does no harm. */
void signal_guard_sigio(void);

#endif
