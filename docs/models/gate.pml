/*
 * The writer gate (lib/gate.h, lib/gate.c): one thread changes the generation under all others.
 *
 * Shown: while the advancer works, no writer is inside; it sees all that a writer wrote inside, and a writer that comes
 * in sees all that it wrote. No thread waits for ever. With NARROW the gate lets writers in that fence, before it
 * closes, and maybe once more after it was closed.
 *
 * holds: MEMBARRIER
 * holds: FENCES                        the kernel has no membarrier: writers pay a fence
 * holds: REFUSED                       a seccomp filter refuses it from now on: writers fence from then on
 * holds: MEMBARRIER NARROW
 * holds: FENCES NARROW
 * holds: REFUSED NARROW
 * breaks: MEMBARRIER NO_BARRIER          the advancer passes a fence and interrupts nobody
 * breaks: FENCES NO_FENCE                writers pay nothing, and there is no membarrier
 * breaks: MEMBARRIER NO_LOOK             the advancer does not wait for flags
 * breaks: MEMBARRIER LEAVE_RELAXED       the flag goes down without release
 * breaks: MEMBARRIER OPEN_RELAXED        the gate opens without release
 * breaks: MEMBARRIER FLAG_AFTER_LOOK     a writer looks at the gate first, then raises its flag
 * breaks: MEMBARRIER NARROW NO_BARRIER
 * breaks: MEMBARRIER NARROW NO_LOOK
 * breaks: MEMBARRIER NARROW OPEN_RELAXED
 * breaks: MEMBARRIER NARROW SHUT_EARLY   the gate is shut without having been narrow for all
 * breaks: MEMBARRIER NARROW SHUT_LATE    the advancer does not fence before it looks at flags
 * breaks: MEMBARRIER NARROW PASS_LATE    a writer that comes in by the narrow gate does not fence
 * breaks: REFUSED STAYS_CLOSED           what was refused counts as a barrier
 * breaks: REFUSED AT_ONCE                the next attempt comes while a writer that did not fence comes in.
 *                                        Nothing but time forbids that: here some 100 ns, there a system call and more
 */
#define WRITERS 2
#define ROUNDS 2

#define CLOSED 0
#define GENERATION 1
#define WRITING(w) (2 + (w))
#define WRITTEN(w) (2 + WRITERS + (w))
#define FENCE (2 + 2 * WRITERS)
#define PLACES (3 + 2 * WRITERS)
#define THREADS (WRITERS + 1)
#define ROOM 4
#include "memory.pml"

/* What is so, and not what any thread sees. */
bool inside[WRITERS], entering[WRITERS], working;
byte wrote[WRITERS], generation, ended;

inline leave(place)
{
#ifdef LEAVE_RELAXED
    store(place, 0)
#else
    store_release(place, 0)
#endif
}

#define NOT_YET 2 /* of CLOSED: the gate is narrow */

inline raise_flag()
{
    store(WRITING(me), 1);
#ifdef REFUSED
    load(FENCE, seen);
    if
    :: seen -> fence()
    :: else
    fi
#endif
#if defined(FENCES) && !defined(NO_FENCE)
    fence()
#endif
}

/* gate_pass: closed says whether it is. */
inline pass_narrow()
{
    leave(WRITING(me));
    load(CLOSED, closed);
    if
    :: closed != 1 ->
        store(WRITING(me), 1);
#ifndef PASS_LATE
        fence();
#endif
        load(CLOSED, closed)
    :: else
    fi;
    closed = closed == 1
}

proctype writer(byte me)
{
    byte closed, seen, rounds, k;
    do
    :: rounds < ROUNDS ->
#ifdef FLAG_AFTER_LOOK
        load(CLOSED, closed);
        raise_flag();
#else
        entering[me] = true;
        raise_flag();
        load(CLOSED, closed);
        entering[me] = false;
#endif
        if
        :: closed == NOT_YET -> pass_narrow()
        :: else
        fi;
        if
        :: closed ->
            leave(WRITING(me));
            memory[CLOSED] != 1 /* gate_wait */
        :: else ->
            d_step { inside[me] = true; assert(!working) }
            load(GENERATION, seen);
            assert(seen == generation);
            store(WRITTEN(me), rounds + 1);
            d_step { wrote[me] = rounds + 1; assert(seen == generation); inside[me] = false }
            leave(WRITING(me));
            rounds++
        fi
    :: else -> break
    od;
    ended++
}

inline barrier_in_every_thread()
{
    fence();
#if defined(MEMBARRIER) && !defined(NO_BARRIER)
    w = 0;
    do
    :: w < WRITERS -> carry_out_all(w); w++ /* one after the other: the kernel interrupts all, but not at once */
    :: else -> break
    od;
    w = 0;
#endif
    fence()
}

inline open()
{
#ifdef OPEN_RELAXED
    store(CLOSED, 0)
#else
    store_release(CLOSED, 0)
#endif
}

/* The first attempt, and the only one that finds writers which do not fence. */
inline is_refused()
{
#ifdef NARROW
    store(CLOSED, NOT_YET);
#else
    store(CLOSED, 1);
#endif
    store(FENCE, 1);
#ifndef STAYS_CLOSED
    open();
#ifndef AT_ONCE
    fence();
    !entering[0] && waiting[0] == 0;
    !entering[1] && waiting[1] == 0
#endif
#endif
}

inline shut()
{
    store(CLOSED, 1);
#ifndef SHUT_LATE
    fence()
#endif
}

inline close()
{
#ifdef NARROW
    store(CLOSED, NOT_YET);
#ifndef SHUT_EARLY
    barrier_in_every_thread();
#endif
    shut();
    if
    :: true
    :: !again -> /* gate_ask */
        again = true;
        store_release(CLOSED, NOT_YET);
        shut()
    fi
#else
    store(CLOSED, 1);
    barrier_in_every_thread()
#endif
}

proctype advancer(byte me)
{
    byte writing, seen, rounds, w, k;
    bool again;
#ifdef REFUSED
    is_refused();
#endif
    do
    :: rounds < ROUNDS ->
        close();
        do
        :: w < WRITERS ->
#ifndef NO_LOOK
            do
            :: load(WRITING(w), writing);
                if
                :: !writing -> break
                :: else -> memory[WRITING(w)] == 0
                fi
            od;
#endif
            load(WRITTEN(w), seen);
            assert(seen == wrote[w]);
            w++
        :: else -> break
        od;
        w = 0;
        d_step {
            working = true;
            do
            :: w < WRITERS -> assert(!inside[w]); w++
            :: else -> break
            od;
            w = 0
        }
        store(GENERATION, generation + 1);
        d_step { generation++; working = false }
        open();
        rounds++
    :: else -> break
    od;
    ended++
}

init {
    atomic {
        run writer(0);
        run writer(1);
        run advancer(WRITERS)
    }
    ended == WRITERS + 1
}
