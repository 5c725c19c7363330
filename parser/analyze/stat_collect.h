/* Where the time of a trace's goroutines went: by state, by wait, by system call, by goroutine. */
#ifndef THRACE_PARSER_ANALYZE_STAT_COLLECT_H
#define THRACE_PARSER_ANALYZE_STAT_COLLECT_H

#include "parser/analyze/blame.h"
#include "parser/analyze/consumer.h"
#include "parser/analyze/cpu.h"
#include "parser/analyze/findings.h"
#include "parser/analyze/lock_stats.h"
#include "parser/analyze/migrations.h"
#include "parser/analyze/needs.h"
#include "parser/analyze/run_queue.h"
#include "parser/analyze/spans.h"
#include "parser/analyze/stat_groups.h"
#include "parser/analyze/stat_threads.h"

/* Of a group of waits: what its rows have in common, and what its key does not say. */
struct stat_wait {
    uint32_t place, object; /* texts; object: of the last one of the group, 0: none */
    enum wait_need need;
};

/* Of a group of system calls: what its key does not say. */
struct stat_call {
    uint32_t function; /* text: the innermost */
    bool on_object;    /* the stack begins with what it was on */
};

/* What the trace says of memory, as far as it does. */
struct stat_heap {
    uint64_t times;     /* how often */
    uint64_t end, most; /* bytes in use at the end, and at most */
    int64_t at;         /* when it was that */
    uint64_t goal;      /* the most that was a goal, or that the process held */
    uint64_t allocated, freed; /* events of objects */
};

struct stat {
    struct spans spans;
    struct stat_groups states;   /* by stat_key(state, reason) */
    struct stat_groups waits;    /* by stat_key(reason, stack) */
    struct stat_groups wakers;   /* by stat_waker_key(); the time is that of the waits that they ended */
    struct stat_groups syscalls; /* by stat_key(place, stack) */
    struct stat_groups errors;   /* failed calls, by stat_key(number of the group of calls, text of the errno) */
    struct blame blame;          /* by object */
    struct findings findings;    /* of the whole trace */
    struct lock_stats locks;
    struct migrations migrations;
    struct run_queue run_queue;
    struct needs needs;          /* places are groups of waits */
    struct cpu cpu;
    struct stat_heap heap;
    VEC(struct stat_wait) kinds;  /* of the groups of waits, by their numbers */
    VEC(struct stat_call) calls;  /* of the groups of system calls, likewise */
    VEC(struct stat_thread) sums; /* of goroutines that exist, by their place in spans.live */
    struct stat_threads threads;
    uint64_t idlers;              /* how many goroutines were idle for a time */
    uint64_t procs;               /* processors, by the first word about it; 0: there is none */
    uint64_t hz;                  /* samples in a second of CPU time; 0: the usual number */
    bool is_gos;                  /* a Go program left the trace */
    bool waker_stacks;            /* wakers' texts are stacks, not places */
    uint64_t ncounted;            /* stretches that count */
    int version;
    bool failed; /* memory is short */
};

static inline uint64_t stat_key(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

/* Who ends a wait: texts of a goroutine's name and of its place. Both are "" for what happens on no goroutine. */
static inline uint64_t stat_waker_key(uint32_t wait, uint32_t name, uint32_t stack)
{
    _Static_assert(STAT_NTEXTS <= 1 << 16, "a text fits into 16 bits");
    return (uint64_t)wait << 32 | name << 16 | stack;
}
#define STAT_WAKER_WAIT (UINT64_MAX << 32)
static inline uint32_t stat_waker_wait(uint64_t key) { return (uint32_t)(key >> 32); }
static inline uint32_t stat_waker_name(uint64_t key) { return key >> 16 & 0xffff; }
static inline uint32_t stat_waker_stack(uint64_t key) { return key & 0xffff; }

/* rows goroutines, those that ran longest, are kept apart. */
void stat_init(struct stat *s, size_t rows);
void stat_free(struct stat *s);

/* Sums the events up; at the end it ends every stretch, and sorts the goroutines. False: memory is short. */
extern const struct event_consumer stat_consumer;

#endif
