/*
 * Procs between threads (lib/sched_proc.h, lib/sched.c): a thread in a system call keeps its P, a thread that needs one
 * may take it away. Each of THREADS threads starts, calls and stops as it likes on one P. One of them may be torn out
 * of a transition, at any place, and then recovers.
 *
 * Shown, for what is committed at any moment, which is what a kill leaves: the P's sequence numbers have no gap and no
 * double; who ends a call as "blocked" had its P stolen before, who ends it otherwise had not; the ProcSteal names who
 * was in the call; no two hold the P. And no claim outlives its thread's recovery.
 *
 * holds: TORN=0
 * holds: TORN=1
 * breaks: TORN=0 PLAIN_RECLAIM           who comes back looks at the word, then stores its own
 * breaks: TORN=0 PLAIN_CLAIM             so does the thief
 * breaks: TORN=0 SETTLE_FIRST            the thief stores its name before it commits
 * breaks: TORN=0 WITHOUT_G               words do not say whose they are
 * breaks: TORN=0 LOOK_FIRST              the thief reads the P's sequence number and M before its claim
 * breaks: TORN=0 MARK_FIRST              the word says "in a call" before that is committed
 * breaks: TORN=1 WITHOUT_NOTE            the thief does not note its claim
 * breaks: TORN=1 NOTE_LATE               or only behind it
 * breaks: TORN=1 UNCLAIM_FIRST           recovery takes back the claim before it looks at what is committed
 * breaks: TORN=1 WITHOUT_RESTART         recovery does not settle what is committed
 * breaks: TORN=1 WITHOUT_SEQ             nor a system call's sequence number
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef STEPS
#define STEPS 5 /* transitions in all */
#endif

#define HELD 1
#define IN_CALL 2
#define CLAIMED 3
#ifdef WITHOUT_G
#define WORD(kind, g) (kind)
#else
#define WORD(kind, g) (((g) + 1) * 4 + (kind))
#endif
#define KIND(word) ((word) & 3)

mtype = { STOPPED, RUNNING, CALL };

/* The P, as the code has it. */
byte word, seq, m;
bool busy;

/* Each thread's committed state, and its notes. */
mtype status[THREADS] = STOPPED;
byte proc_seq[THREADS], claim_word[THREADS];
bool has_taken[THREADS];

/* What is committed, as a reader sees it. */
#define NOBODY 255
byte last_seq, holder = NOBODY;
bool stolen[THREADS];
byte steps, tears, ended;

#define may_be_torn :: tears < TORN -> tears++; goto torn
#define or_torn if may_be_torn :: skip fi

inline commit_call()
{
    d_step {
        assert(holder == me && proc_seq[me] + 1 == last_seq + 1);
        last_seq++;
        proc_seq[me]++;
        status[me] = CALL
    }
}

inline settle()
{
    seq = proc_seq[me];
    m = me;
    word = WORD(HELD, me)
}

inline begin_call()
{
#ifdef MARK_FIRST
    word = WORD(IN_CALL, me);
#endif
    commit_call();
    or_torn;
    seq = proc_seq[me];
    or_torn;
    word = WORD(IN_CALL, me)
}

inline end_kept()
{
    d_step { assert(holder == me && !stolen[me]); status[me] = RUNNING }
}

/* Its P is gone: what is written next ends the call as blocked. */
inline end_blocked()
{
    d_step { assert(stolen[me]); stolen[me] = false; status[me] = STOPPED }
}

inline end_call()
{
#ifdef PLAIN_RECLAIM
    seen = word;
    if
    :: seen == WORD(IN_CALL, me) -> word = WORD(HELD, me); end_kept()
#else
    d_step {
        seen = word;
        if
        :: seen == WORD(IN_CALL, me) -> word = WORD(HELD, me)
        :: else
        fi
    }
    or_torn;
    if
    :: seen == WORD(IN_CALL, me) -> end_kept()
#endif
    :: else ->
        if
        :: seen == WORD(HELD, me) -> end_kept()
        :: else ->
            if
            :: KIND(seen) == CLAIMED -> skip /* tries again later */
            :: else -> end_blocked()
            fi
        fi
    fi
}

inline stop()
{
    d_step { assert(holder == me); holder = NOBODY; status[me] = STOPPED }
    /* Torn out here, the P is lost for the recording: whether it was given back already cannot be told. */
    or_torn;
    busy = false
}

inline commit_start(events)
{
    d_step {
        assert(first == last_seq + 1);
        last_seq = last_seq + events;
        proc_seq[me] = last_seq;
        holder = me;
        status[me] = RUNNING;
        has_taken[me] = false
    }
}

inline start_free()
{
    busy = true; /* with the look at it, one step */
    has_taken[me] = true;
    or_torn;
    d_step { first = seq + 1; assert(holder == NOBODY) }
    commit_start(1);
    or_torn;
    settle()
}

inline commit_steal()
{
    d_step {
        assert(holder == victim && status[victim] == CALL);
        stolen[victim] = true;
        assert(first == last_seq + 1);
        last_seq = last_seq + 2;
        proc_seq[me] = last_seq;
        holder = me;
        status[me] = RUNNING
    }
}

inline steal()
{
    seen = word;
    if
    :: KIND(seen) == IN_CALL ->
#ifdef LOOK_FIRST
        first = seq + 1;
        victim = m;
#endif
#if !defined(WITHOUT_NOTE) && !defined(NOTE_LATE)
        claim_word[me] = seen;
        or_torn;
#endif
#ifdef PLAIN_CLAIM
        if
        :: word == seen -> word = WORD(CLAIMED, me)
        :: else -> seen = 0
        fi;
#else
        d_step {
            if
            :: word == seen -> word = WORD(CLAIMED, me)
            :: else -> seen = 0
            fi
        }
#endif
        if
        :: seen ->
            or_torn;
#ifdef NOTE_LATE
            claim_word[me] = seen;
            or_torn;
#endif
#ifdef SETTLE_FIRST
            word = WORD(HELD, me);
#endif
#ifndef LOOK_FIRST
            first = seq + 1;
            victim = m;
#endif
            commit_steal();
            or_torn;
            settle();
            or_torn
        :: else
        fi;
        claim_word[me] = 0
    :: else
    fi
}

inline unclaim()
{
    d_step { /* nobody else changes a claimed word */
        if
        :: claim_word[me] && word == WORD(CLAIMED, me) -> word = claim_word[me]
        :: else
        fi
    }
    claim_word[me] = 0
}

inline recover()
{
#ifdef UNCLAIM_FIRST
    unclaim();
#endif
#ifndef WITHOUT_RESTART
    if
    :: status[me] == RUNNING -> settle()
    :: else
    fi;
#endif
#ifndef UNCLAIM_FIRST
    unclaim();
#endif
    if
    :: has_taken[me] -> has_taken[me] = false; busy = false
    :: else
    fi;
    if
    :: status[me] == CALL && word == WORD(HELD, me) ->
#ifndef WITHOUT_SEQ
        seq = proc_seq[me]
#endif
    :: else
    fi
}

proctype thread(byte me)
{
    byte seen, first, victim;
    do
    :: atomic { steps < STEPS && status[me] == RUNNING -> steps++ }; begin_call()
    :: atomic { steps < STEPS && status[me] == RUNNING -> steps++ }; stop()
    :: atomic { status[me] == CALL && KIND(word) != CLAIMED }; end_call()
    :: atomic { steps < STEPS && status[me] == STOPPED && !busy -> steps++; busy = true }; start_free()
    :: atomic { steps < STEPS && status[me] == STOPPED && KIND(word) == IN_CALL -> steps++ }; steal()
    :: status[me] != CALL -> break
    od;
    goto out;
torn:
    skip;
    recover();
    seen = 0; first = 0; victim = 0;
    do
    :: status[me] == CALL && KIND(word) != CLAIMED -> end_call()
    :: status[me] == RUNNING && steps < STEPS -> steps++; begin_call()
    :: status[me] == RUNNING && steps < STEPS -> steps++; stop()
    :: status[me] != CALL -> break
    od;
out:
    skip;
    d_step { assert(word != WORD(CLAIMED, me) || claim_word[me]); ended++ }
}

init {
    atomic {
        byte i;
        do
        :: i < THREADS -> run thread(i); i++
        :: else -> break
        od
    }
    ended == THREADS
}
