#include "lib/gate.h"

#include <linux/membarrier.h>

#include "lib/clock.h"

void gate_init(struct gate *g)
{
    g->closed = 0;
    g->fence = sys_failed(sys_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
}

bool gate_barrier(void)
{
    bool done = !sys_failed(sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
    full_fence();
    return done;
}

bool gate_close(struct gate *g)
{
    __atomic_store_n(&g->closed, 1, __ATOMIC_SEQ_CST);
    if (g->fence || gate_barrier()) {
        full_fence();
        return true;
    }
    g->fence = true;
    gate_open(g);
    return false;
}

/*
 * Each woken writer wakes the next two. If the advancer woke all of them, the first ones would take its processor and
 * give it back only after all others had run.
 */
enum { WAKES = 2 };

void gate_open(struct gate *g)
{
    __atomic_store_n(&g->closed, 0, __ATOMIC_RELEASE);
    sys_futex_wake(&g->closed, WAKES);
}

/*
 * Gives way before it sleeps: who sleeps goes on only when somebody who is awake already gets a processor and wakes it.
 * Where there are many busy threads, that takes turns of several of them, and the gate was closed for less than one.
 */
enum { SPINS = 50, YIELDS = 500 };

void gate_wait(struct gate *g)
{
    for (int tries = 0; tries < SPINS + YIELDS; tries++) {
        if (!__atomic_load_n(&g->closed, __ATOMIC_ACQUIRE))
            return;
        if (tries < SPINS)
            cpu_relax();
        else
            sys_sched_yield();
    }
    const struct timespec ms = {0, 1000000};
    sys_futex_wait(&g->closed, 1, &ms);
    if (!__atomic_load_n(&g->closed, __ATOMIC_ACQUIRE))
        sys_futex_wake(&g->closed, WAKES);
}

bool gate_await_writer(const struct writer *w, uint64_t until_ns)
{
    static const struct timespec moment = {0, 10000};
    for (;;) {
        for (int spin = 0; spin < 50; spin++) {
            if (!__atomic_load_n(&w->writing, __ATOMIC_ACQUIRE))
                return true;
            cpu_relax();
        }
        if (clock_mono_ns() >= until_ns)
            return false;
        raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    }
}
