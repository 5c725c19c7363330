/* What libc_words.h has, where libc is glibc. */
#ifndef THRACE_PRELOAD_GLIBC_WORDS_H
#define THRACE_PRELOAD_GLIBC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/attributes.h"
#include "preload/real.h"

/* Words that libc does not have at all are not missed. */
enum { WORDS_NOT_THERE = 0 };

/* --- mutexes ------------------------------------------------------------------------------------------------------ */

enum { MUTEX_ROBUST = 0x10, MUTEX_INHERITS = 0x20, MUTEX_CEILING = 0x40 };
enum { MUTEX_CEILING_SHIFT = 19, MUTEX_TYPE = 3 };

static inline int mutex_kind(const pthread_mutex_t *m) { return __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED); }

static inline uint32_t mutex_word(const pthread_mutex_t *m)
{
    return (uint32_t)__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED);
}

/*
 * Whether the unlock will ask the kernel to wake a thread. It does so when somebody found the mutex taken since it was
 * last taken; who takes it before a woken thread gets there wipes that out.
 */
static inline bool mutex_unlock_will_wake(const pthread_mutex_t *m)
{
    int kind = mutex_kind(m);
    uint32_t word = mutex_word(m);
    if (kind & MUTEX_CEILING)
        return (word & ((1u << MUTEX_CEILING_SHIFT) - 1)) > 1;
    return kind & (MUTEX_ROBUST | MUTEX_INHERITS) ? word >> 31 : word > 1;
}

/* By its owner: the mutex was taken again, or will be held after one unlock. */
static inline bool mutex_is_nested(const pthread_mutex_t *m)
{
    return unlikely((m->__data.__kind & MUTEX_TYPE) == PTHREAD_MUTEX_RECURSIVE) && m->__data.__count > 1;
}

static inline int mutex_owner(const pthread_mutex_t *m) { return m->__data.__owner; }

/* --- rwlocks ------------------------------------------------------------------------------------------------------ */

/*
 * By who holds it. glibc since 2.25: bit 0 is the phase, set when a writer holds the lock; bits 3 and up count the
 * readers.
 */
static inline bool rwlock_is_held_by_writer(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) & 1;
}

static inline bool rwlock_is_held_by_several(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) >> 3 > 1;
}

static inline int rwlock_writer(const pthread_rwlock_t *l) { return l->__data.__cur_writer; }

/* --- streams: without their lock ---------------------------------------------------------------------------------- */

enum { STREAM_LINE_BUFFERED = 0x200, STREAM_UNBUFFERED = 2 };

static inline size_t stream_readable(const FILE *f)
{
    return f->_IO_read_end > f->_IO_read_ptr ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

static inline const void *stream_next(const FILE *f) { return f->_IO_read_ptr; }

static inline bool stream_has_room(const FILE *f, size_t n)
{
    return !(f->_flags & (STREAM_LINE_BUFFERED | STREAM_UNBUFFERED)) && f->_IO_write_ptr < f->_IO_write_end &&
           (size_t)(f->_IO_write_end - f->_IO_write_ptr) > n;
}

static inline size_t stream_pending(const FILE *f)
{
    return f->_IO_write_ptr > f->_IO_write_base ? (size_t)(f->_IO_write_ptr - f->_IO_write_base) : 0;
}

static inline int stream_descriptor(const FILE *f) { return f->_fileno; }
static inline bool stream_is_line_buffered(const FILE *f) { return f->_flags & STREAM_LINE_BUFFERED; }

#endif
