/*
 * What the programs with a disease compute with. Work is measured in CPU time, so that it is as much on a machine that is
 * busy with something else.
 */
#ifndef THRACE_TESTS_DISEASES_WORK_H
#define THRACE_TESTS_DISEASES_WORK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

#ifndef CHECK
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            exit(99);                                                                                                  \
        }                                                                                                              \
    } while (0)
#endif

/* CPU time of the calling thread, in us. */
static inline int64_t cpu_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Keeps the compiler from computing only once what it could compute again. */
static inline void computed(void) { __asm__ volatile("" ::: "memory"); }

/* Does what follows until that much CPU time is used; most of the time is to be its own. */
#define FOR_CPU_US(us)                                                                                                 \
    for (int64_t until_ = cpu_us() + (us); cpu_us() < until_;)                                                         \
        for (int part_ = 0; part_ < 64; part_++, computed())

/* FNV-1a: something to compute. */
#define MIX(hash, byte) ((hash) = ((hash) ^ (byte)) * UINT64_C(0x100000001b3))
#define FIRST_HASH UINT64_C(0xcbf29ce484222325)

/*
 * Threads that take turns at something. Who has it does its work only when somebody else wants it, and who had it waits
 * until the next one has it: as if each had a processor of its own, on a busy machine, too.
 */
struct line {
    int members, demand, turns;
};

static inline int line_value(const int *value) { return __atomic_load_n(value, __ATOMIC_SEQ_CST); }
static inline void line_add(int *value, int n) { __atomic_add_fetch(value, n, __ATOMIC_SEQ_CST); }

static inline void line_wait(void)
{
    for (int i = 0; i < 10000; i++)
        computed();
    sched_yield();
}

static inline void line_stand(struct line *l) { line_add(&l->demand, 1); }

static inline void line_have_turn(struct line *l)
{
    line_add(&l->turns, 1);
    while (line_value(&l->demand) < 2 && line_value(&l->members) > 1)
        line_wait();
}

static inline void line_leave(struct line *l)
{
    int turn = line_value(&l->turns);
    line_add(&l->demand, -1);
    while (line_value(&l->demand) > 0 && line_value(&l->turns) == turn)
        line_wait();
}

#endif
