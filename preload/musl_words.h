/* What libc_words.h has, where libc is musl. Its headers have arrays for the words of locks, and nothing of streams. */
#ifndef THRACE_PRELOAD_MUSL_WORDS_H
#define THRACE_PRELOAD_MUSL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/attributes.h"
#include "preload/real.h"

/* A mutex of the ordinary kind does not say who has it, and the memory of a stream is nobody's business. */
enum { WORDS_NOT_THERE = 1 << WORD_OWNER | 1 << WORD_STREAM };

/* --- mutexes: kind, word, number of waiters, … , how often it was taken again ------------------------------------- */

enum { MUTEX_ROBUST = 4, MUTEX_INHERITS = 8, MUTEX_CEILING = 0 /* there are none */ };
enum { MUTEX_TYPE = 3 };

static inline int mutex_kind(const pthread_mutex_t *m) { return __atomic_load_n(&m->__u.__i[0], __ATOMIC_RELAXED); }

static inline uint32_t mutex_word(const pthread_mutex_t *m)
{
    return (uint32_t)__atomic_load_n(&m->__u.__i[1], __ATOMIC_RELAXED);
}

/* Whether the unlock will ask the kernel to wake a thread: one waits, or has set the highest bit and gone away. */
static inline bool mutex_unlock_will_wake(const pthread_mutex_t *m)
{
    return mutex_word(m) >> 31 || __atomic_load_n(&m->__u.__i[2], __ATOMIC_RELAXED);
}

/* By its owner: the mutex was taken again, or will be held after one unlock. */
static inline bool mutex_is_nested(const pthread_mutex_t *m)
{
    return unlikely((m->__u.__i[0] & MUTEX_TYPE) == PTHREAD_MUTEX_RECURSIVE) && m->__u.__i[5] > 0;
}

static inline int mutex_owner(const pthread_mutex_t *m)
{
    (void)m;
    return -1;
}

/* --- rwlocks: how many read, or all bits for a writer ------------------------------------------------------------- */

enum { RWLOCK_HOLDERS = 0x7fffffff };

static inline int rwlock_holders(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__u.__i[0], __ATOMIC_RELAXED) & RWLOCK_HOLDERS;
}

static inline bool rwlock_is_held_by_writer(const pthread_rwlock_t *l) { return rwlock_holders(l) == RWLOCK_HOLDERS; }

static inline bool rwlock_is_held_by_several(const pthread_rwlock_t *l)
{
    return rwlock_holders(l) > 1 && !rwlock_is_held_by_writer(l);
}

static inline int rwlock_writer(const pthread_rwlock_t *l)
{
    (void)l;
    return -1;
}

/* --- streams: nothing is known ------------------------------------------------------------------------------------ */

static inline size_t stream_readable(const FILE *f) { return f ? 0 : 0; }
static inline const void *stream_next(const FILE *f) { return f; }
static inline bool stream_has_room(const FILE *f, size_t n) { return !f && n; }
static inline size_t stream_pending(const FILE *f) { return f ? 0 : 0; }
static inline int stream_descriptor(const FILE *f) { return f ? -1 : -1; }
static inline bool stream_is_line_buffered(const FILE *f) { return !f; }

#endif
