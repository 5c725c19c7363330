/*
 * CPU samples: where a thread's CPU time goes, some 99 times in each second that it executes. Every recorded thread has
 * a timer on its own CPU clock that sends it a real-time signal; above what the kernel's tick delivers also a perf
 * event on that clock, which sends it a SIGTRAP. The handler writes a META_SAMPLE record with the interrupted stack
 * into a chunk of the spool.
 *
 * The signals are the shim's own, and hidden: wrap_signal.c shows the program its own view of masks and dispositions,
 * and restart.c sees to it that no call returns EINTR because of a sample.
 */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/tracer.h"

/* Once, by the only thread there is. hz 0: no samples. */
void sample_init(uint64_t hz);

/* Somebody at this address makes a thread, which may be one whose stacks are small. */
void sample_thread_from(const void *caller);

/* A session begins: all threads are sampled. The caller holds the registry lock, and sample_is_idle. */
void sample_start(void);

/* No handler is in the middle of a sample of an earlier session, whose chunks are forgotten. */
bool sample_is_idle(void);

/* Whether a handler is in a slot, and may capture a stack. */
bool sample_any_in_slots(void);

/* The calling thread begins and ends. Outside of a section. */
void sample_arm(struct thread *t);
void sample_disarm(struct thread *t);

/* Nothing is sampled any more, but by handlers that have begun to. The caller holds the registry lock. */
void sample_stop(void);

/*
 * What was sampled so far belongs to the generation, or the recording, that ends. Returns how many handlers are in the
 * middle of a sample; they keep their chunks. The caller holds the registry lock.
 */
uint32_t sample_seal(void);

/* In the child of a fork, which has no timers. */
void sample_forget(void);

/* Adds up the CPU time of what is sampled, unless that was done lately. Takes the registry lock. */
void sample_account(uint64_t at_most_every_ns);

/* Around fork: its time in the kernel must not be interrupted over and over. */
void sample_pause(void);
void sample_resume(void);

/* --- between the files of the sampler ----------------------------------------------------------------------------- */

extern int sample_signal; /* of the timers; 0: no sampling in this process */

/* The handler's part for signals that are not samples (wrap_signal.c). */
void signal_foreign(int sig, siginfo_t *info, void *context);

/* Installs the handler of the sampling signal, or finds none that is free: 0. */
int signal_take(void (*handler)(int, siginfo_t *, void *));

/* The same for SIGTRAP, afterwards: false when somebody else uses it. */
bool signal_take_trap(void);

/* From now on our handlers run on the signal stacks of threads that have one. */
void signal_to_their_stacks(void);
int signal_stack_flag(void); /* SA_ONSTACK then, else 0 */

/* The set of our signals, as the kernel has it. */
extern uint64_t signal_hidden;

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

/*
 * perf events, which only the helper can keep: its descriptors are its own. Threads ask for one; the helper, in its
 * loop, opens them by sample_perf_serve.
 */
void sample_perf_serve(void);
bool sample_perf_wanted(void);
void sample_perf_ask(struct thread *t);

/* The calling thread waits until it has its event, or a little while. */
void sample_perf_await(struct thread *t);

/* The thread ends, or its sampling does. The caller holds the registry lock. */
void sample_perf_forget(struct thread *t);

/* Counts a thread for which there is no event. */
void sample_by_timer_only(const struct thread *t);

/* By what is_from_perf knows a SIGTRAP of ours; 0: events send the timers' signal instead. */
uint64_t sample_trap_mark(void);

/* What the timers and perf events count: ns of CPU time. */
uint64_t sample_period_ns(void);
uint64_t sample_hz(void);
uint64_t sample_tick_hz(void);

/*
 * The handler's part where a thread has both a timer and an event: for how many samples a signal stands, none to many
 * (sample_kernel.c). `periods` of the thread's CPU time are over since the timer's last signal.
 */
uint64_t sample_user_time(struct thread *t);
uint64_t sample_kernel_time(struct thread *t, uint64_t periods, const void *context);

/* So many periods have no sample. */
void sample_missed(uint64_t periods);

#endif
