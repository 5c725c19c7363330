/*
 * Instructions of the program that were moved elsewhere, to make room for a jump, and what stands between them: who is
 * interrupted there is, for all who look, still where the instructions were.
 */
#ifndef THRACE_PRELOAD_MOVED_H
#define THRACE_PRELOAD_MOVED_H

#include <stdint.h>

#include "lib/unwind/regs.h"

/*
 * From this address on, up to the next that is added, it is as at pc with the stack pointer so many bytes higher; pc 0:
 * nothing was moved to there. Before moved_publish, while no other thread runs. What finds no room is not known.
 */
void moved_add(uintptr_t at, uintptr_t pc, uintptr_t stack);
void moved_publish(void);

/* Puts an exact pc, and the stack pointer, back to where they would be. Async-signal-safe. */
void moved_back_slow(struct unwind_regs *);
extern uint32_t moved_places;
static inline void moved_back(struct unwind_regs *regs)
{
    if (__builtin_expect(moved_places, 0))
        moved_back_slow(regs);
}

#endif
