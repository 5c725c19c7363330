/*
 * What our stacks are compared with: libunwind's, taken from the same registers. Where the two differ libgcc's unwinder
 * decides; libunwind 1.6 mistakes rules that take the return address or the stack pointer from a register.
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

/* Everything counted since it was last cleared. */
struct oracle_counts {
    unsigned long stacks, frames, stopped, guessed, truncated;
    unsigned long oracle_short; /* libunwind has fewer frames, because it failed or its array was full */
    unsigned long oracle_wrong; /* libunwind has others, and libgcc's unwinder has ours */
    unsigned long wrong;
};
extern struct oracle_counts oracle_counts;

/* Bounds of a second stack that is known, that of coroutines or handlers. Handlers read them: kill() is a leaf. */
extern volatile uintptr_t oracle_alt_lo, oracle_alt_hi;

/* Leave a frame out of every stack of ours, without complaints. */
extern bool oracle_lie;

/* Takes the snapshot of modules. */
void oracle_init(void);

/* Bounds of the calling thread's stack, and its memory: once per thread. */
void oracle_thread(void);
void oracle_thread_end(void);

/* Compares the stack of the caller, taken in every way there is. */
void oracle_here(void);

/* Compares the stack of an interrupted context. */
void oracle_context(const ucontext_t *);

/*
 * Compares stacks of the caller among each other, while oracle_disturb, in a handler, captures with the same cache:
 * libunwind itself cannot be single-stepped.
 */
void oracle_disturbed(void);
void oracle_disturb(const ucontext_t *);

#ifdef __cplusplus
}
#endif

#endif
