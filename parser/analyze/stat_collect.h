/* Where the time of a trace's goroutines went: by state, by wait, by system call, by goroutine. */
#ifndef THRACE_PARSER_ANALYZE_STAT_COLLECT_H
#define THRACE_PARSER_ANALYZE_STAT_COLLECT_H

#include "parser/analyze/blame.h"
#include "parser/analyze/consumer.h"
#include "parser/analyze/spans.h"
#include "parser/analyze/stat_groups.h"

struct stat_thread {
    uint64_t id;
    uint32_t name;                          /* text */
    uint64_t time[GOTRACE_STATE_IDLE];            /* ns, by state */
    uint64_t blocks;                        /* how often it began to wait */
    bool counts;                            /* it has a stretch that does */
};

struct stat {
    size_t rows; /* how many goroutines are kept apart */
    struct spans spans;
    struct stat_groups states;   /* by stat_key(state, reason) */
    struct stat_groups waits;    /* by stat_key(reason, stack) */
    struct stat_groups wakers;   /* by stat_waker_key(); the time is that of the waits that they ended */
    struct stat_groups syscalls; /* by function */
    struct blame blame;          /* by object */
    VEC(struct stat_thread) sums; /* of goroutines that exist, by their place in spans.live */
    VEC(struct stat_thread) ended;
    struct stat_thread others; /* of the goroutines that are not kept apart */
    uint64_t nothers;
    uint64_t ncounted; /* stretches that count */
    int version; /* of the trace: 1.NN */
    bool failed; /* memory is short */
};

static inline uint64_t stat_key(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

/* Who ends a wait: texts of a goroutine's name and of its stack. Both are "" for what happens on no goroutine. */
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
