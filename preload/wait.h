/*
 * Waiting and waking. A waiter writes GoBlock itself; GoUnblock is written by the thread that releases, if it can be
 * known, because viewers draw the arrow from there. A waiter that nobody claimed when it comes back (timeout, spurious
 * wakeup, an object shared with another process, a release that was not seen) writes its own.
 */
#ifndef THRACE_PRELOAD_WAIT_H
#define THRACE_PRELOAD_WAIT_H

#include "preload/hook.h"
#include "preload/recorder.h"

/*
 * A wait or a system call, from the hook to the return of the real call. Declared with WAIT_SCOPE it ends on every way
 * out: return, cancellation, an exception thrown through it.
 */
struct wait {
    struct thread *t; /* NULL: nothing to end */
    void (*end)(struct wait *); /* NULL: the model says that the thread waits, or is in a system call */
    struct hook *call; /* for `end`: a system call … */
    uint64_t since;    /* … that began then */
    int error;         /* errno, if the call failed, and that is to be shown */
    bool own_errors;   /* a result of -1 says something else than that errno is set, or what is of no interest */
    int on;            /* the descriptor that the call is on, + 1, if that is to be asked about at its end */
};

void wait_end(struct wait *w);

/* How much more room an end needs that shows an error. */
enum { CALL_ERROR_ROOM = SCHED_TRANSITION_MAX + 96 };

/*
 * The thread runs, but the model says otherwise: a handler interrupted its wait or system call or left it by
 * siglongjmp, there was no room when it started, or its P was just being taken away when its system call ended. From
 * now on the model says so, too, if there is room.
 */
void thread_revive(struct thread *t);

/*
 * Notes where the thread waits, or is in a system call, for recordings that begin meanwhile. True: nothing is recorded
 * now, so that was all.
 */
bool wait_track(struct hook *h, struct wait *w, uint32_t status);
#define WAIT_SCOPE __attribute__((cleanup(wait_end))) struct wait

/* Enters the thread as a waiter for the object, before its second look at it. */
void wait_register(struct hook *h, const void *object, enum waiter_kind kind);

/* No waiter any more, without having waited: still in the hook, or out of it. */
void wait_forget(struct hook *h);
static inline void wait_cancel(struct hook *h)
{
    wait_forget(h);
    hook_leave(h);
}

/* How often a wait looks again when it was released each time before it began. */
enum { MAX_SECOND_LOOKS = 4 };

/*
 * The thread is about to wait: writes GoBlock. Also leaves the hook, since what follows is the real call. False, with
 * the hook still entered: the object was released since it registered, look again.
 */
bool wait_block(struct hook *h, struct wait *w, enum sched_reason reason);

/*
 * The calling thread released the object: writes GoUnblock for the waiter that came first, or for all of them. Says what
 * it found, and whether there was one.
 */
enum wait_found wake_one(struct hook *h, const void *object, enum waiter_kind kind);
bool wake_all(struct hook *h, const void *object, enum waiter_kind kind);

/* The registered thread found the mutex taken and will wait for it. */
void wait_for_owner(const pthread_mutex_t *m);

/*
 * Likewise for a mutex, which the calling thread is about to unlock: others may take it before the one that is woken.
 * True: that the unlock wakes somebody is noted, where such notes are taken.
 */
bool wake_next_owner(struct hook *h, const pthread_mutex_t *m);

#endif
