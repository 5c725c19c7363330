/*
 * What threads do to mutexes and conditions, noted where the kernel notes switches and does not say who wakes whom
 * (recorder.notes_locks): thrace finish can tell from both who woke a thread. A mutex whose waiters are all in our
 * books is noted by who unlocks it; libc takes one again for a condition without us, so that is expected as well.
 */
#ifndef THRACE_PRELOAD_LOCK_NOTES_H
#define THRACE_PRELOAD_LOCK_NOTES_H

#include "lib/switch_kind.h"
#include "preload/hook.h"

/*
 * The calling thread will wait for a condition, give up the mutex for that, which it may have noted already, and take
 * it again; and has done so.
 */
void lock_note_will_retake(struct thread *t, const void *mutex, bool unlock_is_noted);
static inline void lock_note_retaken(struct thread *t)
{
    if (unlikely(t->retakes)) {
        waitq_unexpect(&recorder.waits, t->retakes);
        t->retakes = NULL;
    }
}

/* For what the hook waits from then on. Inside a section with WAIT_STACK_RECORDS_MAX extra. */
void lock_note_wait(const struct hook *h, uint64_t time);

/* The calling thread is about to unlock or to signal it. Outside of a section. */
bool lock_note_release_now(struct hook *h, const void *object, enum lock_note note);
static inline bool lock_note_release(struct hook *h, const void *object, enum lock_note note)
{
    return unlikely(recorder.notes_locks) && lock_note_release_now(h, object, note);
}

#endif
