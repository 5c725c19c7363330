/* Who has moved from CPU to CPU, and how often. Threads are told by their goroutines, as the system gives numbers again. */
#ifndef THRACE_PARSER_REWRITE_SWITCHES_MOVES_H
#define THRACE_PARSER_REWRITE_SWITCHES_MOVES_H

#include "parser/idmap.h"
#include "parser/rewrite/thread_switch.h"
#include "parser/vec.h"

struct rewriter;

enum { MOVES_CPUS = 1024 };

/* Of a goroutine that was on several CPUs. */
struct thread_moves {
    uint64_t go, migrations;
    uint32_t cpus;
};

/* A thread of the system's. */
struct moves_thread {
    uint64_t go; /* on it now, or ID_NONE */
    uint64_t migrations;
    uint64_t cpus[MOVES_CPUS / 64]; /* a bit for each that it was on */
    uint32_t at;                    /* CPU + 1; 0: it is not known */
};

struct moves {
    struct idmap thread_of; /* index + 1 */
    VEC(struct moves_thread) threads;
    VEC(struct thread_moves) list;
    uint64_t lost; /* switches that are missing */
};

/* Each returns false where there is no memory. */
bool moves_switch(struct moves *m, const struct thread_switch *s);
bool moves_begin(struct moves *m, uint64_t thread, uint64_t go);
bool moves_leave(struct moves *m, uint64_t thread); /* the goroutine has ended, and maybe the thread */
bool moves_end(struct moves *m);                    /* all have */

/*
 * Says it in strings that no event refers to: in each generation that there were switches, and in the first one, of
 * those that have moved, how often. False: the rewriter says why.
 */
bool moves_write(const struct moves *m, struct rewriter *w);

void moves_free(struct moves *m);

#endif
