/* Where the time of threads went: of the longest ones each, of all by name. Memory is bounded. */
#ifndef THRACE_PARSER_ANALYZE_STAT_THREADS_H
#define THRACE_PARSER_ANALYZE_STAT_THREADS_H

#include "gotrace/reader.h"
#include "parser/analyze/migrations.h"
#include "parser/idmap.h"
#include "parser/vec.h"

enum { STAT_NO_CALL = UINT32_MAX };

struct stat_thread {
    uint64_t id, tid;                  /* goroutine; the system's thread, or GOTRACE_NONE if it is not one */
    uint32_t name;                     /* text; 0: not known */
    uint64_t n;                        /* how many threads these are the sums of */
    uint64_t time[GOTRACE_STATE_IDLE]; /* ns, by state */
    uint64_t idle;                     /* ns of waiting */
    uint64_t queued, longest_queued;   /* how often it could run and did not; ns */
    uint64_t delayed;                  /* ns in which it had no processor, by the kernel's own account */
    bool delay_unknown;
    struct migrations_of moved;        /* of several, the CPUs of the one that was on most */
    uint64_t blocks, samples;          /* how often it began to wait; of the CPU */
    int64_t sampled;                   /* when it was the last time */
    bool counts;                       /* it has a stretch that does */
    uint32_t woken_for;                /* what it waited for until it could run: number of the object + 1 */
    bool woke_itself;
    uint32_t call;                     /* the group of the system call that it has come from, or STAT_NO_CALL */
};

struct stat_threads {
    size_t rows;                    /* so many are kept apart */
    VEC(struct stat_thread) apart;  /* the ones that ran longest */
    struct stat_thread others;      /* the rest of them */
    VEC(struct stat_thread) names;  /* by name */
    struct idmap index;             /* name to its place in names + 1 */
    struct stat_thread other_names; /* those of late names */
    bool failed;                    /* memory is short */
};

void stat_threads_free(struct stat_threads *t);

/* Adds a thread, or several, to a sum. */
void stat_thread_sum(struct stat_thread *sum, const struct stat_thread *t);

/* One has ended. */
void stat_threads_add(struct stat_threads *t, const struct stat_thread *thread);

/* All have: sorts both, the one that ran longest first. */
void stat_threads_end(struct stat_threads *t);

/* ns that all were in the state. */
uint64_t stat_threads_time(const struct stat_threads *t, enum gotrace_state state);

#endif
