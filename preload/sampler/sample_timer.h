/* The timers of threads, and how much CPU time is sampled. */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_TIMER_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_TIMER_H

#include "preload/thread.h"

/* The calling thread begins and ends. Outside of a section. */
void sample_arm(struct thread *t);
void sample_disarm(struct thread *t);

/* A session begins and ends: all threads. The caller holds the registry lock. */
void sample_arm_all(void);
void sample_disarm_all(void);

/* Adds up the CPU time of what is sampled: a system call for each thread. Takes the registry lock. */
void sample_account(void);

/* In the child of a fork, which has neither a timer nor an event. */
void sample_forget_timer(void);

#endif
