/*
 * What our stacks are compared with: libunwind's, taken from the same registers.
 */
#ifndef THRACE_TESTS_UNWIND_ORACLE_H
#define THRACE_TESTS_UNWIND_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "lib/unwind/unwind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything counted since the last oracle_report. */
struct oracle_counts {
    unsigned long stacks, frames, stopped, guessed, truncated, oracle_short, wrong;
};
extern struct oracle_counts oracle_counts;

/* Bounds of a second stack that is known, while a coroutine or a handler runs on it. */
extern uintptr_t oracle_alt_lo, oracle_alt_hi;

/* Takes the snapshot of modules; again after dlopen. */
void oracle_init(void);

/* Bounds of the calling thread's stack; once per thread. */
void oracle_thread(void);

/* Compares the stack of the caller, taken in every way there is. */
void oracle_here(void);

/* Compares the stack of an interrupted context. */
void oracle_context(const ucontext_t *);

#ifdef __cplusplus
}
#endif

#endif
