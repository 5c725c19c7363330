#include "preload/lock_notes.h"

#include "lib/meta.h"
#include "preload/libc_words.h"
#include "preload/section.h"

/* What is noted already may be expected longer than it is noted. */
void lock_note_will_retake(struct thread *t, const void *mutex, bool unlock_is_noted)
{
    if (likely(!recorder.notes_locks) || t->retakes)
        return;
    t->unlock_is_noted = unlock_is_noted;
    waitq_expect(&recorder.waits, mutex);
    t->retakes = mutex;
}

static void put(struct thread *t, uint64_t address, enum lock_note note, uint64_t time)
{
    uint8_t buf[LOCK_NOTE_MAX];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_LOCK_NOTE);
    meta_int(&r, t->sched.m);
    meta_int(&r, time);
    meta_int(&r, address);
    meta_int(&r, note);
    chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
}

/* Somebody may have queued for the mutex since it was found without waiters: this is as late as one can look. */
static void note_unlock(struct thread *t, const pthread_mutex_t *m, uint64_t time)
{
    if (!t->unlock_is_noted && is_trusted(WORD_MUTEX) && mutex_unlock_will_wake(m) && !mutex_is_nested(m))
        put(t, (uintptr_t)m, MUTEX_IS_UNLOCKED, time);
}

void lock_note_wait(const struct hook *h, uint64_t time)
{
    struct thread *t = h->t;
    if (h->object.kind == OBJECT_MUTEX) {
        put(t, h->object.address, MUTEX_IS_AWAITED, time);
    } else if (h->object.kind == OBJECT_COND && t->retakes) {
        note_unlock(t, t->retakes, time);
        put(t, (uintptr_t)t->retakes, MUTEX_IS_AWAITED, time);
        put(t, h->object.address, COND_IS_AWAITED, time);
    }
}

bool lock_note_release_now(struct hook *h, const void *object, enum lock_note note)
{
    if (!section_enter(h->t, LOCK_NOTE_MAX, LOST_WAKEUP))
        return false;
    put(h->t, (uintptr_t)object, note, now());
    section_leave(h->t);
    return true;
}
