/*
 * The wakeup claim (lib/waitq.h, preload/wait.c, carry_wakeup in preload/statuses.c): who writes that a thread woke?
 * The thread that released what it waits for does, if it can claim the waiter; else the waiter says so itself. Two
 * waiting threads share one slot in turn, two threads release, and the generation changes now and then.
 *
 * Shown, of each generation: a G's sequence numbers have no gap and no double; it is made runnable only when it waits;
 * a thread never goes on with a number that nobody wrote, or will write in the section that it is in.
 *
 * holds: WAITERS=1 RELEASERS=2 WAITS=2
 * holds: WAITERS=2 RELEASERS=1 WAITS=1
 * breaks: WAITERS=1 RELEASERS=2 PLAIN_CLAIM       the releaser looks at the slot, then stores
 * breaks: WAITERS=1 RELEASERS=1 PLAIN_WITHDRAW    so does the waiter that takes its slot back
 * breaks: WAITERS=1 RELEASERS=1 WITHOUT_TICKET    a slot's word is the same at the next wait
 * breaks: WAITERS=1 RELEASERS=1 INTENT_LATE       the releaser reads the waiter's number behind its claim
 * breaks: WAITERS=1 RELEASERS=1 WITHOUT_CARRY     a new generation leaves claimed slots as they are
 * breaks: WAITERS=1 RELEASERS=1 WITHOUT_RUNNABLE  and says that these threads wait
 * breaks: WAITERS=1 RELEASERS=1 CLAIM_OUTSIDE     the claim is made before the section is entered
 * breaks: WAITERS=1 RELEASERS=1 BLOCKED_FIRST     the slot says "blocked" before GoBlock is committed
 */
#ifndef WAITS
#define WAITS 3
#endif
#ifndef RELEASES
#define RELEASES 3
#endif
#ifndef GENERATIONS
#define GENERATIONS 2
#endif
#define THREADS (WAITERS + RELEASERS)

#define FREE 0
#define REGISTERED 1
#define EARLY 2
#define BLOCKED 3
#define CLAIMED 4
#define WOKEN 5
#define STATE(word) ((word) & 7)
#define OWNER(word) (((word) >> 3) & 1)
#define WITH(word, state) (((word) & 248) | (state))

byte slot;    /* the word: state, waiter, ticket */
byte tickets;
bool section[THREADS]; /* gate.pml shows that the generation changes only when all are down */

/* Each waiter's committed state. */
bool is_waiting[WAITERS];
byte g_seq[WAITERS];
bool has_slot[WAITERS];

/*
 * What the trace says in the open generation: which sequence numbers it has of each G, in how many waits it was. A
 * reader puts the events of several threads in order by these numbers.
 */
int numbers[WAITERS];
bool began_runnable[WAITERS];
byte waits_begun[WAITERS];
byte generation, releases, ended;

#if THREADS > 2
#define all_out (!section[0] && !section[1] && !section[2])
#else
#define all_out (!section[0] && !section[1])
#endif
#define enter section[me] = true
#define leave section[me] = false

inline move(from, to)
{
    d_step {
        moved = (slot == from);
        if
        :: moved -> slot = WITH(from, to)
        :: else
        fi
    }
}

inline has_number(g, number)
{
    assert(number > 0 && !(numbers[g] & (1 << (number - 1))));
    numbers[g] = numbers[g] | (1 << (number - 1))
}

/* Numbers alternate: an unblock, the start that follows it, the unblock of the next wait. */
inline write_unblock(g, number)
{
    d_step {
        assert((number & 1) != began_runnable[g]);
        assert((number + 1 - began_runnable[g]) / 2 <= waits_begun[g]);
        has_number(g, number)
    }
}

inline write_start(g, number)
{
    d_step {
        assert(is_waiting[g] && (number & 1) == began_runnable[g]);
        has_number(g, number);
        is_waiting[g] = false;
        g_seq[g] = number
    }
}

inline write_block(g)
{
    d_step {
        assert(!is_waiting[g]);
        is_waiting[g] = true;
        waits_begun[g]++
    }
}

proctype waiter(byte me)
{
    byte word, waits;
    bool moved, blocked;
    do
    :: waits < WAITS && slot == FREE ->
        waits++;
        atomic {
            if
            :: slot == FREE -> slot = tickets * 16 + me * 8 + REGISTERED; has_slot[me] = true
            :: else -> goto again
            fi;
#ifndef WITHOUT_TICKET
            tickets = (tickets + 1) % 8
#endif
        }
        enter;
        word = slot;
        if
        :: STATE(word) == EARLY -> slot = FREE; has_slot[me] = false; leave; goto again
        :: else
        fi;
#ifdef BLOCKED_FIRST
        move(WITH(word, REGISTERED), BLOCKED);
        write_block(me);
#else
        write_block(me);
        move(WITH(word, REGISTERED), BLOCKED);
#endif
        leave;
        /* The real wait: it may end at any time. */
        enter;
        do
        :: word = slot;
            if
            :: STATE(word) == CLAIMED || STATE(word) == WOKEN -> break
            :: else ->
#ifdef PLAIN_WITHDRAW
                slot = WITH(word, EARLY); break
#else
                move(word, EARLY);
                if
                :: moved -> break
                :: else
                fi
#endif
            fi
        od;
        slot = FREE;
        has_slot[me] = false;
        if
        :: STATE(word) == CLAIMED -> write_start(me, g_seq[me] + 2)
        :: STATE(word) == WOKEN -> write_start(me, g_seq[me] + 1)
        :: else ->
            write_unblock(me, g_seq[me] + 1);
            write_start(me, g_seq[me] + 2)
        fi;
        leave;
again:
        word = 0; moved = false
    :: waits < WAITS && slot != FREE && !has_slot[me] -> waits++ /* no slot: nobody can claim it */
    :: waits == WAITS -> break
    od;
    ended++
}

proctype releaser(byte me)
{
    byte word, number, g;
    bool moved;
    do
    :: d_step { releases < RELEASES -> releases++ }
#ifndef CLAIM_OUTSIDE
        enter;
#endif
        word = slot;
        if
        :: STATE(word) == BLOCKED ->
            g = OWNER(word);
            number = g_seq[g] + 1;
#ifdef PLAIN_CLAIM
            moved = (slot == word);
            if
            :: moved -> slot = WITH(word, CLAIMED)
            :: else
            fi;
#else
            move(word, CLAIMED);
#endif
#ifdef INTENT_LATE
            number = g_seq[g] + 1;
#endif
#ifdef CLAIM_OUTSIDE
            enter;
#endif
            if
            :: moved -> write_unblock(g, number)
            :: else
            fi
        :: STATE(word) == REGISTERED -> move(word, EARLY)
        :: else
        fi;
        leave;
        word = 0; number = 0; g = 0; moved = false
    :: releases == RELEASES -> break
    od;
    ended++
}

/* All numbers up to the last one are there. Then the status: Runnable, if an unblock was written. */
inline status_of(i)
{
    assert((numbers[i] & (numbers[i] + 1)) == 0);
    woken = false;
    if
    :: has_slot[i] && STATE(slot) == CLAIMED ->
#ifndef WITHOUT_CARRY
        slot = WITH(slot, WOKEN);
#endif
        woken = true
    :: has_slot[i] && STATE(slot) == WOKEN -> woken = true
    :: else
    fi;
#ifdef WITHOUT_RUNNABLE
    woken = false;
#endif
    g_seq[i] = 0;
    numbers[i] = 0;
    began_runnable[i] = is_waiting[i] && woken;
    waits_begun[i] = is_waiting[i] && !woken;
    woken = false
}

proctype advancer()
{
    bool woken;
    do
    :: generation < GENERATIONS ->
        atomic {
            all_out -> d_step {
                status_of(0);
#if WAITERS > 1
                status_of(1);
#endif
                generation++
            }
        }
    :: break
    od;
    ended++
}

init {
    byte j;
    atomic {
        byte i;
        do
        :: i < WAITERS -> run waiter(i); i++
        :: else -> break
        od;
        do
        :: i < THREADS -> run releaser(i); i++
        :: else -> break
        od;
        run advancer()
    }
    ended == THREADS + 1;
    d_step {
        do
        :: j < WAITERS -> assert((numbers[j] & (numbers[j] + 1)) == 0); j++
        :: else -> break
        od
    }
}
