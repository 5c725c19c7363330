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

#ifdef __GLIBC__
#include "preload/glibc_words.h"
#else
#include "preload/musl_words.h"
#endif

/* --- once --------------------------------------------------------------------------------------------------------- */

/* Of a pthread_once_t or a once_flag: its routine has run. */
static inline bool once_is_done(const void *once)
{
    enum { DONE = 2 };
    return __atomic_load_n((const int *)once, __ATOMIC_ACQUIRE) == DONE;
}

#endif
