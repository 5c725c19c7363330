#include "lib/gate.h"

#include <limits.h>
#include <linux/membarrier.h>

#include "lib/clock.h"

void gate_init(struct gate *g)
{
    g->closed = 0;
    g->fence = sys_failed(sys_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
}

bool gate_close(struct gate *g)
{
    __atomic_store_n(&g->closed, 1, __ATOMIC_SEQ_CST);
    if (g->fence || !sys_failed(sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return true;
    }
    g->fence = true;
    gate_open(g);
    return false;
}

void gate_open(struct gate *g)
{
    __atomic_store_n(&g->closed, 0, __ATOMIC_RELEASE);
    sys_futex_wake(&g->closed, INT_MAX);
}

void gate_wait(struct gate *g)
{
    for (int spin = 0; spin < 200; spin++) {
        if (!__atomic_load_n(&g->closed, __ATOMIC_ACQUIRE))
            return;
        cpu_relax();
    }
    const struct timespec ms = {0, 1000000};
    sys_futex_wait(&g->closed, 1, &ms);
}

bool gate_await_writer(const struct writer *w, uint64_t max_ns)
{
    if (!__atomic_load_n(&w->writing, __ATOMIC_ACQUIRE))
        return true;
    uint64_t until = clock_mono_ns() + max_ns;
    do {
        for (int spin = 0; spin < 50; spin++) {
            cpu_relax();
            if (!__atomic_load_n(&w->writing, __ATOMIC_ACQUIRE))
                return true;
        }
        sys_sched_yield();
    } while (clock_mono_ns() < until);
    return !__atomic_load_n(&w->writing, __ATOMIC_ACQUIRE);
}
