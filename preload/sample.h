/*
 * CPU samples: where a thread's CPU time goes, some 99 times in each second that it executes. Every recorded thread has
 * a timer on its own CPU clock (or, above what the kernel's tick delivers, a perf event on it) that sends it a real-time
 * signal; the handler writes a META_SAMPLE record with the interrupted stack into a chunk of the spool.
 *
 * The signal is the shim's own, and hidden: wrap_signal.c shows the program its own view of masks and dispositions, and
 * restart.c sees to it that no call returns EINTR because of a sample.
 */
#ifndef THRACE_PRELOAD_SAMPLE_H
#define THRACE_PRELOAD_SAMPLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/tracer.h"

enum { SAMPLE_HZ_MAX = 10000, SAMPLE_HZ_DEFAULT = 99 };

/* Once, by the only thread there is. hz 0: no samples. */
void sample_init(uint64_t hz);

/* A session begins: all threads are sampled. The caller holds the registry lock, and sample_is_idle. */
void sample_start(void);

/* No handler is in the middle of a sample of an earlier session, whose chunks are forgotten. */
bool sample_is_idle(void);

/* The calling thread begins and ends. Outside of a section. */
void sample_arm(struct thread *t);
void sample_disarm(struct thread *t);

/* Nothing is sampled any more. The caller holds the registry lock. */
void sample_stop(void);

/* What was sampled so far belongs to the generation that ends. The caller holds the registry lock. */
void sample_seal(void);

/* In the child of a fork, which has no timers. */
void sample_forget(void);

/* Adds up the CPU time of what is sampled, at most once a second. Takes the registry lock. */
void sample_account(void);

/* Around fork: its time in the kernel must not be interrupted over and over. */
void sample_pause(void);
void sample_resume(void);

/* --- between the files of the sampler ------------------------------------------------------------------------------ */

extern int sample_signal; /* 0: no sampling in this process */

/* The handler's part for signals that are not samples (wrap_signal.c). */
void signal_foreign(int sig, siginfo_t *info, void *context);

/* Installs the handler of the sampling signal, or finds none that is free: 0. */
int signal_take(void (*handler)(int, siginfo_t *, void *));

/*
 * The kernel's mask of the calling thread lets samples through from now on. What the program's says is what the kernel's
 * did, or what the thread inherited from its creator.
 */
void signal_unblock(bool inherited);
bool signal_blocked_for_child(void);

/* A copy of the set without our signal, or with it; the same where there is nothing to copy. */
const sigset_t *signal_without(const sigset_t *set, sigset_t *copy);
const sigset_t *signal_with(const sigset_t *set, sigset_t *copy);

/* While the program does nothing about SIGIO, it does no harm. */
void signal_guard_sigio(void);

/*
 * perf events, which only the helper can keep: its descriptors are its own. Threads ask for one; the helper, in its loop,
 * opens them by sample_perf_serve and falls back to a timer where it may not. sample_perf_end: it ends.
 */
void sample_perf_serve(void);
bool sample_perf_wanted(void);
bool sample_perf_ask(struct thread *t);

/* The thread ends, or its sampling does. The caller holds the registry lock. */
void sample_perf_forget(struct thread *t);

/* What the perf events count: ns of CPU time. */
uint64_t sample_period_ns(void);

/* A timer for any thread of the process. */
bool sample_timer_start(struct thread *t);
void sample_timer_stop(struct thread *t);

#endif
