/*
 * The end of a recording and the next one (preload/session/stop.c, start.c, spool_detach in lib/spool_mapped.c):
 * threads write while it stops, and one of them may have lost its processor in the middle of an event, for as long as
 * it likes. Then `thrace finish` reads the file, while the process goes on.
 *
 * Shown: when the file says that it has ended, it does not change any more, and has every event that was committed in
 * it, once. A thread that comes out late writes to no later recording. Whoever is in a section finds the recording
 * open, or was in it when that stopped.
 *
 * holds: WRITERS=2
 * breaks: WRITERS=1 STATE_FIRST      the file says that it has ended before the memory is exchanged
 * breaks: WRITERS=1 HEADER_FIRST     the header's memory is exchanged before it says so
 * breaks: WRITERS=1 SEAL_INSIDE      the chunk of a thread that is still inside is taken away, too
 * breaks: WRITERS=1 START_AT_ONCE    the next recording does not wait for those inside
 * breaks: WRITERS=1 KEEP_CHUNKS      and lets them have the chunks that they were left with
 * breaks: WRITERS=1 LOOK_OUTSIDE     a thread looks whether anything is recorded before it enters its section
 */
#ifndef EVENTS
#define EVENTS 2 /* of each writer */
#endif

mtype = { OLD_FILE, NO_FILE, NEW_FILE };
mtype chunks = OLD_FILE, header = OLD_FILE; /* what is mapped where the spool is */
bool says_ended; /* the old file's header */

/* Of each writer's chunk: in the old file, and what the drainer put into its log. */
byte used[WRITERS], in_log[WRITERS];
bool sealed[WRITERS];

/* The threads. */
bool recording = true, closed, section[WRITERS], has_chunk[WRITERS];
byte committed[WRITERS]; /* in the old file */
bool between; /* two recordings */
bool was_inside[WRITERS]; /* when that began */
bool restarted, has_read;

/* A store to the chunk: to whatever memory is there. */
inline commit_event()
{
    d_step {
        if
        :: chunks == OLD_FILE ->
            assert(!has_read); /* nothing changes any more */
            used[me]++;
            committed[me]++
        :: chunks == NO_FILE -> skip
        :: chunks == NEW_FILE -> assert(!stale)
        fi
    }
}

proctype writer(byte me)
{
    byte events;
    bool stale, seen; /* stale: its chunk is one of the old file */
    do
    :: events < EVENTS ->
        events++;
#ifdef LOOK_OUTSIDE
        seen = recording;
#endif
        /* gate.pml shows that this is one step for all others. */
        atomic { !closed; section[me] = true }
#ifndef LOOK_OUTSIDE
        seen = recording;
#endif
        if
        :: seen ->
            assert(!between || was_inside[me]);
            if
            :: !has_chunk[me] -> d_step { has_chunk[me] = true; stale = chunks == OLD_FILE }
            :: else
            fi;
            commit_event()
        :: else
        fi;
        d_step { section[me] = false; was_inside[me] = false }
    :: break
    od
}

/* What is out goes to the drainer. */
inline seal(i)
{
    d_step {
        if
        :: has_chunk[i] -> sealed[i] = true; has_chunk[i] = false
        :: else
        fi
    }
}

inline seal_those_out()
{
    i = 0;
    do
    :: i < WRITERS ->
        if
#ifdef SEAL_INSIDE
        :: section[i] -> was_inside[i] = true; seal(i)
        :: !section[i] -> seal(i)
#else
        :: !section[i] -> seal(i)
        :: section[i] -> was_inside[i] = true /* it has waited for long enough */
#endif
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

inline drain()
{
    i = 0;
    do
    :: i < WRITERS ->
        if
        :: sealed[i] -> d_step { in_log[i] = used[i] }
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

inline say_ended()
{
    d_step {
        if
        :: header == OLD_FILE -> says_ended = true
        :: else
        fi
    }
}

active proctype session()
{
    byte i;
    recording = false;
    closed = true;
    seal_those_out();
    between = true;
    closed = false;
    drain();
#ifdef STATE_FIRST
    say_ended();
#endif
#ifdef HEADER_FIRST
    header = NO_FILE;
#endif
    chunks = NO_FILE;
    say_ended();
    header = NO_FILE;
    /* The next one. */
#ifndef START_AT_ONCE
    do
    :: i < WRITERS -> !section[i]; i++ /* else it says EBUSY, and is tried again */
    :: else -> break
    od;
    i = 0;
#endif
    closed = true;
#ifndef START_AT_ONCE
    do
    :: i < WRITERS -> !section[i]; i++
    :: else -> break
    od;
    i = 0;
#endif
#ifndef KEEP_CHUNKS
    d_step {
        do
        :: i < WRITERS -> has_chunk[i] = false; i++
        :: else -> break
        od;
        i = 0
    }
#endif
    d_step { chunks = NEW_FILE; header = NEW_FILE; recording = true; between = false; restarted = true }
    closed = false
}

/* `thrace finish`: the log, and what chunks of the pool have. */
active proctype finish()
{
    byte i;
    restarted || says_ended;
    assert(says_ended);
    d_step {
        do
        :: i < WRITERS ->
            if
            :: sealed[i] -> assert(in_log[i] == committed[i])
            :: else -> assert(used[i] == committed[i])
            fi;
            i++
        :: else -> break
        od;
        has_read = true
    }
}

init {
    atomic {
        byte i;
        do
        :: i < WRITERS -> run writer(i); i++
        :: else -> break
        od
    }
}
