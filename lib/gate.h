/*
 * The writer gate lets one thread change the generation under all the others, while a writer pays two plain stores and
 * a load.
 *
 * A writer raises its flag, then looks at the gate; the advancer closes the gate, then looks at the flags. Each side
 * must see the other's store (Dekker). The advancer buys that order for both with membarrier(2), which interrupts every
 * running thread of the process; so the writer needs a compiler barrier only. Without membarrier (old kernel, seccomp)
 * the writer pays a fence.
 */
#ifndef THRACE_LIB_GATE_H
#define THRACE_LIB_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rawsys.h"

struct gate {
    uint32_t closed; /* futex word: writers that find it 1 sleep on it */
    bool fence;      /* writers must fence: the kernel has no membarrier for us */
};

/* One per thread; only that thread sets and clears it. */
struct writer {
    uint32_t writing;
};

void gate_init(struct gate *g);

/* Waits until the gate is open: some microseconds by giving way, then asleep, a millisecond at most; then try again. */
void gate_wait(struct gate *g);

/* Returns false, with the flag down, when the gate is closed. Cost: 1 ns. */
static inline bool gate_enter(struct gate *g, struct writer *w)
{
    __atomic_store_n(&w->writing, 1, __ATOMIC_RELAXED);
    if (__builtin_expect(g->fence, 0))
        full_fence();
    else
        compiler_barrier();
    if (__builtin_expect(__atomic_load_n(&g->closed, __ATOMIC_ACQUIRE), 0)) {
        __atomic_store_n(&w->writing, 0, __ATOMIC_RELEASE);
        return false;
    }
    return true;
}

/* Everything that the thread wrote inside is visible to an advancer that sees the flag down. */
static inline void gate_leave(struct writer *w) { __atomic_store_n(&w->writing, 0, __ATOMIC_RELEASE); }

/*
 * For the advancer, one at a time: after gate_close, a writer whose flag is down stays out until gate_open. Returns
 * false, with the gate open, when membarrier is refused for the first time (a seccomp filter came later). Writers fence
 * from then on, but one that is already inside did not; the next attempt is sound.
 */
bool gate_close(struct gate *g);

/* Every running thread of the process passes a full barrier. False: the kernel refuses. */
bool gate_barrier(void);
void gate_open(struct gate *g);

/*
 * True once the flag is down; false when it is still up at until_ns on CLOCK_MONOTONIC: its thread was descheduled
 * inside and did not get a processor. Sleeps in between, so that the threads that compete for its processor reach the
 * gate and sleep, too. A yield would put it behind all of them.
 */
bool gate_await_writer(const struct writer *w, uint64_t until_ns);

#endif
