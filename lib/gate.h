/*
 * The writer gate lets one thread change the generation under all the others, while a writer pays two plain stores and
 * a load.
 *
 * A writer raises its flag, then looks at the gate; the advancer closes the gate, then looks at the flags. Each side
 * must see the other's store (Dekker). The advancer buys that order for both with membarrier(2), which interrupts every
 * running thread of the process; so the writer needs a compiler barrier only. Without membarrier (old kernel, seccomp)
 * the writer pays a fence.
 *
 * Before it closes, the gate can be narrow: writers still come in, but each pays a fence. That is what membarrier was
 * for, so a narrow gate closes by a store and a fence, at the moment that suits the advancer.
 */
#ifndef THRACE_LIB_GATE_H
#define THRACE_LIB_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rawsys.h"

enum gate_state {
    GATE_OPEN,
    GATE_CLOSED,
    GATE_NARROW,    /* writers fence */
    GATE_GIVES_WAY, /* they fence, and are asked to give way to others before they come in */
};

struct gate {
    uint32_t state; /* enum gate_state; a futex word: at GATE_CLOSED writers sleep on it */
    bool fence;     /* writers must fence: the kernel has no membarrier for us, or not yet */
};

/* One per thread. */
struct writer {
    uint32_t writing; /* only the thread sets and clears it */
    uint32_t held;    /* and this one the advancer, while the gate is narrow */
};

void gate_init(struct gate *g);

/*
 * The same for a process that has threads: the kernel would not be done before each processor has passed through its
 * scheduler, which takes tens of milliseconds, and a minute where its own threads do not get a processor. So writers
 * fence until somebody who has the time has had it done (gate_register; false: it refuses), and an advancer says so.
 */
void gate_init_with_fences(struct gate *g);
bool gate_register(void);
void gate_spare_fences(struct gate *g);

/* Whether writers fence. It may change at any time, unless the caller is the advancer. */
static inline bool gate_has_fences(const struct gate *g) { return __atomic_load_n(&g->fence, __ATOMIC_RELAXED); }

/* Waits until the gate is not closed: some microseconds by giving way, then asleep, a millisecond at most; try again. */
void gate_wait(struct gate *g);

/*
 * For a writer that gate_enter has refused. It comes in by the narrow gate; where it is asked to, after it has given way
 * to others on its processor. False, with the flag down: the gate is closed, or the writer is held.
 */
bool gate_pass(struct gate *g, struct writer *w);

/* Returns false, with the flag down, when the gate is not open. Cost: 1 ns. */
static inline bool gate_enter(struct gate *g, struct writer *w)
{
    __atomic_store_n(&w->writing, 1, __ATOMIC_RELAXED);
    if (__builtin_expect(gate_has_fences(g), 0))
        full_fence();
    else
        compiler_barrier();
    if (__builtin_expect(__atomic_load_n(&g->state, __ATOMIC_ACQUIRE), 0)) {
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

/*
 * The same in two steps, of which the first holds nobody up: the gate is narrow until it is shut or opened. gate_ask
 * asks writers to give way; a gate that was shut it makes narrow again. gate_narrow returns what gate_close does.
 */
bool gate_narrow(struct gate *g);
void gate_ask(struct gate *g);
void gate_shut(struct gate *g);

/*
 * While the gate is narrow. True: that one writer is outside, and stays there until it is let go, which is to be soon.
 * All that it wrote inside is visible, and it will see all that the advancer wrote.
 */
bool gate_hold(struct writer *w);
void gate_let_go(struct writer *w);

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
