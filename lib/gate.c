#include "lib/gate.h"

#include <linux/membarrier.h>

#include "lib/clock.h"

bool gate_register(void) { return !sys_failed(sys_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)); }

void gate_init_with_fences(struct gate *g)
{
    g->state = GATE_OPEN;
    g->fence = true;
}

/* Whoever sees it from now on is seen by the barrier that each advancer after this one has all threads pass. */
void gate_spare_fences(struct gate *g) { __atomic_store_n(&g->fence, false, __ATOMIC_RELAXED); }

void gate_init(struct gate *g)
{
    gate_init_with_fences(g);
    if (gate_register())
        gate_spare_fences(g);
}

bool gate_barrier(void)
{
    bool done = !sys_failed(sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
    full_fence();
    return done;
}

static bool set_for_all(struct gate *g, enum gate_state state)
{
    __atomic_store_n(&g->state, state, __ATOMIC_SEQ_CST);
    if (gate_has_fences(g) || gate_barrier()) {
        full_fence();
        return true;
    }
    __atomic_store_n(&g->fence, true, __ATOMIC_RELAXED);
    gate_open(g);
    return false;
}

bool gate_close(struct gate *g) { return set_for_all(g, GATE_CLOSED); }
bool gate_narrow(struct gate *g) { return set_for_all(g, GATE_NARROW); }

/* Since the barrier of gate_narrow nobody finds the gate open: who is inside has fenced, or came before the barrier. */
void gate_shut(struct gate *g)
{
    __atomic_store_n(&g->state, GATE_CLOSED, __ATOMIC_SEQ_CST);
    full_fence();
}

/*
 * Each woken writer wakes the next two. If the advancer woke all of them, the first ones would take its processor and
 * give it back only after all others had run.
 */
enum { WAKES = 2 };

static void let_in(struct gate *g, enum gate_state state)
{
    __atomic_store_n(&g->state, state, __ATOMIC_RELEASE);
    sys_futex_wake(&g->state, WAKES);
}

void gate_open(struct gate *g) { let_in(g, GATE_OPEN); }
void gate_ask(struct gate *g) { let_in(g, GATE_GIVES_WAY); }

static enum gate_state state_of(const struct gate *g) { return __atomic_load_n(&g->state, __ATOMIC_ACQUIRE); }

/*
 * Gives way before it sleeps: who sleeps goes on only when somebody who is awake already gets a processor and wakes it.
 * Where there are many busy threads, that takes turns of several of them, and the gate was closed for less than one.
 */
enum { SPINS = 50, YIELDS = 500 };

void gate_wait(struct gate *g)
{
    for (int tries = 0; tries < SPINS + YIELDS; tries++) {
        if (state_of(g) != GATE_CLOSED)
            return;
        if (tries < SPINS)
            cpu_relax();
        else
            sys_sched_yield();
    }
    const struct timespec ms = {0, 1000000};
    sys_futex_wait(&g->state, GATE_CLOSED, &ms);
    if (state_of(g) != GATE_CLOSED)
        sys_futex_wake(&g->state, WAKES);
}

static const struct timespec nap = {0, 10000};

bool gate_pass(struct gate *g, struct writer *w)
{
    enum gate_state state = state_of(g);
    if (state == GATE_CLOSED)
        return false;
    if (state == GATE_GIVES_WAY)
        sys_sched_yield();
    __atomic_store_n(&w->writing, 1, __ATOMIC_RELAXED);
    full_fence();
    bool held = __atomic_load_n(&w->held, __ATOMIC_ACQUIRE);
    if (state_of(g) != GATE_CLOSED && !held)
        return true;
    gate_leave(w);
    if (held) /* the advancer may have lost its processor to this very thread, a real-time one: a yield would keep it */
        sys_futex_wait(&w->held, 1, &nap);
    return false;
}

bool gate_hold(struct writer *w)
{
    __atomic_store_n(&w->held, 1, __ATOMIC_RELAXED);
    full_fence();
    if (!__atomic_load_n(&w->writing, __ATOMIC_ACQUIRE))
        return true;
    gate_let_go(w);
    return false;
}

void gate_let_go(struct writer *w) { __atomic_store_n(&w->held, 0, __ATOMIC_RELEASE); }

bool gate_await_writer(const struct writer *w, uint64_t until_ns)
{
    for (;;) {
        for (int spin = 0; spin < 50; spin++) {
            if (!__atomic_load_n(&w->writing, __ATOMIC_ACQUIRE))
                return true;
            cpu_relax();
        }
        if (clock_mono_ns() >= until_ns)
            return false;
        raw_syscall(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    }
}
