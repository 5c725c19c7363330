/*
 * Threads that were there before the library was: they have records from then on, and take them over at their first
 * hook. Of one that ends before that, its end is seen later (end_expected_threads).
 */
#ifndef THRACE_PRELOAD_EXPECTED_H
#define THRACE_PRELOAD_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attach_wait;
struct thread;

/*
 * Makes records for all threads of the process but those of the library. Those that are there already, from an earlier
 * time, say what they do now. Of those that wait as they did when they were looked at from outside, the stack is known.
 * While nothing is hooked. In a thread of the library's own.
 */
void expect_threads(const struct attach_wait *waits, size_t n);

/*
 * Ends those that are gone, as if they had just ended. Outside of sections, in a thread of the library's own.
 */
void end_expected_threads(void);

/* The record is that of the process's first thread: where that has its stack, and that it is so. */
void first_thread_stack(struct thread *t);

/* Of the calling thread, which has none of its own yet; NULL: it is not expected. Async-signal-safe. */
struct thread *expected_thread(void);

/* The same, and it is its own from now on, though not by `self`, which the caller sets. */
struct thread *take_expected_thread(void);

/*
 * The same, in a hook with that stack pointer, for hooks of malloc, which make no thread known: `self` is the record
 * until it is given back, when the hook is over.
 */
struct thread *borrow_expected_thread(uintptr_t sp);
void give_back_expected_thread(struct thread *t);

/*
 * The calling thread, which has no record of its own, is forbidden to read clocks (PR_SET_TSC) since before the library
 * came: it stays out of the recording, from now on as THREAD_OFF. Async-signal-safe.
 */
bool clockless_stays_out(void);

#endif
