/*
 * What the library reads of the state that libc keeps for itself, in the program's locks and streams. It is libc's own
 * affair how that looks, and of whatever stands between libc and us. So all of it is tried when the library begins, on
 * objects of ours; what rests on a word that is not as it is read here is switched off.
 */
#ifndef THRACE_PRELOAD_LIBC_WORDS_H
#define THRACE_PRELOAD_LIBC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/attributes.h"
#include "preload/real.h"

enum libc_word {
#define THRACE_LIBC_WORD(id, name, missing) WORD_##id,
#include "preload/libc_words.def"
#undef THRACE_LIBC_WORD
    NLIBC_WORDS
};

/* A bit for each word that was tried, and for each that is not as it is read here. */
extern uint32_t tried_words, distrusted_words;

static inline bool is_trusted(enum libc_word word)
{
    return likely(!(__atomic_load_n(&distrusted_words, __ATOMIC_RELAXED) >> word & 1));
}

/* A trial's result. True: it is the first that failed. */
static inline bool word_was_tried(enum libc_word word, bool as_expected)
{
    uint32_t bit = UINT32_C(1) << word;
    __atomic_fetch_or(&tried_words, bit, __ATOMIC_RELAXED);
    return !as_expected && !(__atomic_fetch_or(&distrusted_words, bit, __ATOMIC_RELAXED) & bit);
}

/*
 * Once, before anything is hooked: tries all words but those of stacks. Calls what `real` has, allocates nothing and
 * waits for nothing; some microseconds.
 */
void libc_words_try(void);

/* One line of what there is no record of, if that is any of `used`; verbose: one of all trials in front of it. */
void libc_words_say(uint32_t used, bool verbose);

/* The stack of the calling thread, from which this is called, has to be there. False: it is not known where it is. */
bool stack_is_here(enum libc_word word, uintptr_t lo, uintptr_t hi);

/* --- mutexes ------------------------------------------------------------------------------------------------------ */

/*
 * Whether the unlock will ask the kernel to wake a thread. It does so when somebody found the mutex taken since it was
 * last taken; who takes it before a woken thread gets there wipes that out.
 */
static inline bool mutex_unlock_will_wake(const pthread_mutex_t *m)
{
    enum { ROBUST_OR_PI = 0x30, CEILING = 0x40, CEILING_SHIFT = 19 };
    int kind = __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED);
    uint32_t word = (uint32_t)__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED);
    if (kind & CEILING)
        return (word & ((1u << CEILING_SHIFT) - 1)) > 1;
    return kind & ROBUST_OR_PI ? word >> 31 : word > 1;
}

/* By its owner: the mutex was taken again, or will be held after one unlock. */
static inline bool mutex_is_nested(const pthread_mutex_t *m)
{
    enum { TYPE = 3 };
    return unlikely((m->__data.__kind & TYPE) == PTHREAD_MUTEX_RECURSIVE_NP) && m->__data.__count > 1;
}

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

/* --- once --------------------------------------------------------------------------------------------------------- */

/* Of a pthread_once_t or a once_flag: its routine has run. */
static inline bool once_is_done(const void *once)
{
    enum { DONE = 2 };
    return __atomic_load_n((const int *)once, __ATOMIC_ACQUIRE) == DONE;
}

/* --- streams: without their lock ---------------------------------------------------------------------------------- */

enum { STREAM_LINE_BUFFERED = 0x200, STREAM_UNBUFFERED = 2 };

static inline size_t stream_readable(const FILE *f)
{
    return f->_IO_read_end > f->_IO_read_ptr ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

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

#endif
