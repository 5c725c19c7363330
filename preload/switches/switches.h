/*
 * When threads lost a processor, and got one: the kernel says so of all threads of the process, without privileges.
 * This brings what it says into the spool; thrace finish makes of it what the hooks cannot see (docs/internals.md).
 */
#ifndef THRACE_PRELOAD_SWITCHES_SWITCHES_H
#define THRACE_PRELOAD_SWITCHES_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/clock.h"
#include "lib/options/options.h"

/*
 * Begins, if that is wanted, for the calling thread and those that it makes: so by the first one, before there are
 * others. Says so where that cannot be had.
 */
void switches_open(const struct options *options);

/*
 * The same for a program that has many threads already: the helper does it as soon as it runs, and undoes it at its end.
 * await waits for that, and says so where it cannot be had.
 */
void switches_want_of_all(const struct options *options);
void switches_open_of_all(void);
void switches_close_of_all(void);
void switches_await_of_all(void);

/* The helper has to read them. */
bool switches_wanted(void);

/* A session begins: what was before does not count. What both clocks showed then. Ranks before advance. */
void switches_begin(struct clock_pair start);

/* It has begun. Takes the advance lock. */
void switches_begun(void);

/* Writes what the kernel has noted and counted so far into the spool. Takes the advance lock. */
void switches_drain(void);

/*
 * The calling thread, which began then, is about to end. It waits until the helper knows what the kernel has counted of
 * it, if that does not take too long.
 */
void switches_thread_ends(uint64_t began_ns);

/* The helper's job. */
void switches_run(void);
uint64_t switches_due(void);

/* In the child of a fork. */
void switches_forget(void);

#endif
