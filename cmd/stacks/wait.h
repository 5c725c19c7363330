/*
 * What a thread waits for, by the system call that it is in, the functions on its stack and the memory of the object:
 * glibc's locks say who holds them.
 */
#ifndef THRACE_CMD_STACKS_WAIT_H
#define THRACE_CMD_STACKS_WAIT_H

#include "cmd/stacks/threads.h"
#include "lib/objects.h"
#include "lib/symbolize/symbolize.h"

enum { WAIT_WORDS = 24, WAIT_WORDS_BEFORE = 4 };

struct wait {
    enum object_kind kind; /* in memory, or a thread; else it is only told */
    uint64_t address;      /* of the object in memory, and … */
    uint64_t futex;        /* … of the word in it that is waited for */
    pid_t other;           /* who holds it, or is joined, as the process sees it; 0: nobody can tell */
    bool is_limited;       /* ends by itself after a time */
    char object[512];      /* "mutex cache.lock (cache.c:12)"; "": it waits for nothing that is known */
    int64_t symbols[2];    /* what may be the object, with the symbolizer; -1: none */
    int64_t called;        /* the function that the program called, with the symbolizer; -1: it is not known */
    bool has_words;        /* … is what the memory was, from four words before the futex on, while the thread waited */
    int32_t words[WAIT_WORDS];
};

/*
 * Right after the look, before the symbolizer runs: takes what will have changed later, and asks for what may be the
 * object. False: memory is short.
 */
bool wait_ask(struct wait *w, const struct process *p, const struct modules *ms, const struct thread *t,
              struct symbolizer *symbolizer);

/* After it. The text lives in w. */
void wait_tell(struct wait *w, const struct process *p, const struct modules *ms, const struct threads *ts,
               const struct thread *t, const struct symbolizer *symbolizer);

/* A readers-writer lock has two words that are waited for; its address, of either. */
uint64_t wait_rwlock_of(uint64_t word);

/* Who holds the object now, or is joined; 0: nobody, or nobody can tell. */
pid_t wait_other(const struct wait *w, const struct process *p);

#endif
