/*
 * CPU samples: where a thread's CPU time goes, some 99 times in each second that it executes. Every recorded thread has
 * a timer on its own CPU clock that sends it a real-time signal; above what the kernel's tick delivers also a perf
 * event on that clock, which sends it a SIGTRAP. The handler writes a META_SAMPLE record with the interrupted stack
 * into a chunk of the spool.
 *
 * The signals are the library's own, and hidden: wrap_signal.c shows the program its own view of masks and dispositions,
 * and retry.c sees to it that no call returns EINTR because of a sample.
 */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Once, by the only thread there is. hz 0: no samples. */
void sample_init(uint64_t hz);

/* Somebody at this address makes a thread, which may be one whose stacks are small. */
void sample_thread_from(const void *caller);

/* Threads have perf events, which the helper opens. */
bool sample_perf_wanted(void);

/* A session begins: all threads are sampled. The caller holds the registry lock, and sample_is_idle. */
void sample_start(void);

/* Nothing is sampled any more, but by handlers that have begun to. The caller holds the registry lock. */
void sample_stop(void);

/* In the child of a fork, which has no timers. */
void sample_forget(void);

/* Around fork: its time in the kernel must not be interrupted over and over. */
void sample_pause(void);
void sample_resume(void);

#endif
