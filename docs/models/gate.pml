/*
 * The writer gate (lib/gate.h, lib/gate.c): one thread changes the generation under all others.
 *
 * Shown: while the advancer works, no writer is inside; it sees all that a writer wrote inside, and a writer that comes
 * in sees all that it wrote. No thread waits for ever. With NARROW the gate lets writers in that fence, before it
 * closes, and maybe once more after it was closed. With HOLD the advancer meanwhile keeps a writer out for a moment,
 * and changes what is that one's own.
 *
 * holds: MEMBARRIER
 * holds: FENCES                        the kernel has no membarrier: writers pay a fence
 * holds: REFUSED                       a seccomp filter refuses it from now on: writers fence from then on
 * holds: LATE                          registered for membarrier late: writers fence until the advancer says so
 * holds: MEMBARRIER NARROW
 * holds: LATE NARROW
 * holds: FENCES NARROW
 * holds: REFUSED NARROW
 * holds: MEMBARRIER NARROW HOLD
 * holds: FENCES NARROW HOLD
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
 * breaks: MEMBARRIER NARROW HOLD HOLD_LATE   the advancer does not fence between holding a writer and its look
 * breaks: MEMBARRIER NARROW HOLD HOLD_BLIND  or does not look
 * breaks: MEMBARRIER NARROW HOLD LET_GO_RELAXED
 * breaks: MEMBARRIER NARROW HOLD COMES_IN    the writer does not look whether it is held
 * breaks: MEMBARRIER NARROW HOLD PASS_LATE
 * breaks: MEMBARRIER NARROW HOLD NO_BARRIER
 * breaks: LATE NO_BARRIER
 * breaks: REFUSED STAYS_CLOSED           what was refused counts as a barrier
 * breaks: REFUSED AT_ONCE                the next attempt comes while a writer that did not fence comes in.
 *                                        Nothing but time forbids that: here some 100 ns, there a system call and more
 */
#ifdef HOLD
#define WRITERS 1 /* the others have nothing to do with it */
#else
#define WRITERS 2
#endif
#define ROUNDS 2

#define CLOSED 0
#define GENERATION 1
#define WRITING(w) (2 + (w))
#define WRITTEN(w) (2 + WRITERS + (w))
#define FENCE (2 + 2 * WRITERS)
#define HELD (3 + 2 * WRITERS)
#define WORKED (4 + 2 * WRITERS) /* what is its own */
#define PLACES (5 + 2 * WRITERS)
#define THREADS (WRITERS + 1)
#define ROOM 4
#include "memory.pml"

/* What is so, and not what any thread sees. */
bool inside[WRITERS], entering[WRITERS], working, holding;
byte wrote[WRITERS], generation, worked, ended;

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
#ifdef LATE
    load(FENCE, seen); /* here: whether they are spared */
    if
    :: !seen -> fence()
    :: else
    fi;
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
    closed = closed == 1;
#if defined(HOLD) && !defined(COMES_IN)
    load(HELD, seen);
    if
    :: seen -> closed = 1; held_up = true
    :: else
    fi
#endif
}

proctype writer(byte me)
{
    byte closed, seen, rounds, k;
    bool held_up;
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
            if
            :: held_up -> held_up = false; memory[HELD] == 0
            :: else -> memory[CLOSED] != 1 /* gate_wait */
            fi
        :: else ->
            d_step { inside[me] = true; assert(!working && !holding) }
            load(GENERATION, seen);
            assert(seen == generation);
#ifdef HOLD
            load(WORKED, seen);
            assert(seen == worked);
            seen = generation;
#endif
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
#if (defined(MEMBARRIER) || defined(LATE)) && !defined(NO_BARRIER)
    if
    :: spared ->
        w = 0;
        do
        :: w < WRITERS -> carry_out_all(w); w++ /* one after the other: the kernel interrupts all, but not at once */
        :: else -> break
        od;
        w = 0
    :: else
    fi;
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

inline hold()
{
    store(HELD, 1);
#ifndef HOLD_LATE
    fence();
#endif
#ifdef HOLD_BLIND
    writing = 0;
#else
    load(WRITING(0), writing);
#endif
    if
    :: !writing ->
        d_step { holding = true; assert(!inside[0]) }
        load(WRITTEN(0), seen);
        assert(seen == wrote[0]);
        store(WORKED, worked + 1);
        d_step { worked++; assert(!inside[0]); holding = false }
    :: else
    fi;
#ifdef LET_GO_RELAXED
    store(HELD, 0)
#else
    store_release(HELD, 0)
#endif
}

inline close()
{
#ifdef NARROW
    store(CLOSED, NOT_YET);
#ifndef SHUT_EARLY
    barrier_in_every_thread();
#endif
#ifdef HOLD
    hold();
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
    bool again, spared;
#ifndef LATE
    spared = true;
#endif
#ifdef REFUSED
    is_refused();
#endif
    do
    :: rounds < ROUNDS ->
#ifdef LATE
        if
        :: true
        :: !spared -> store(FENCE, 1); spared = true
        fi;
#endif
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
#if WRITERS > 1
        run writer(1);
#endif
        run advancer(WRITERS)
    }
    ended == WRITERS + 1
}
