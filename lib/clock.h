/*
 * Trace time. With an invariant counter (x86 TSC, aarch64 CNTVCT) a tick is the counter shifted right, so that the
 * usual distance between events is one varint byte; otherwise it is CLOCK_MONOTONIC. The ticks count from the start of
 * the recording, first tick 1. The length of a tick is worked out when the trace is finished, from pairs of counter and
 * CLOCK_MONOTONIC that the recording leaves behind, never from the CPU's claim about its own frequency.
 *
 * Cost: 10 ns for the counter, 24 ns for the vDSO.
 */
#ifndef THRACE_LIB_CLOCK_H
#define THRACE_LIB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/rawsys.h"

enum clock_source { CLOCK_SOURCE_MONOTONIC, CLOCK_SOURCE_COUNTER };

struct trace_clock {
    uint64_t origin; /* counts, or ns of CLOCK_MONOTONIC, at tick 1 */
    uint32_t source; /* enum clock_source */
    uint32_t shift;
};

/* One reading of both clocks. Two of them give the length of a tick. */
struct clock_pair {
    uint64_t ticks;
    uint64_t mono_ns;
};

static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#endif
}

/*
 * A thread may give up the counter (PR_SET_TSC); its children inherit that. The vDSO reads the counter, too, so the
 * time then comes from a system call.
 */
extern bool clock_is_forbidden __attribute__((visibility("hidden")));

/* From now on neither clock reads the counter. The ticks of this one mean nothing any more. */
void clock_forbid(struct trace_clock *c);

/* Whether the calling thread may read the counter. */
bool clock_may_count(void);

/* Not a cancellation point, async-signal-safe, does not touch errno: the clock exists. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec ts;
    if (__builtin_expect(clock_is_forbidden, 0))
        raw_syscall(SYS_clock_gettime, clock, (long)&ts, 0, 0, 0, 0);
    else
        clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_mono_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static inline uint64_t clock_ticks_at(const struct trace_clock *c, uint64_t now)
{
    return ((now - c->origin) >> c->shift) + 1;
}

static inline uint64_t clock_ticks(const struct trace_clock *c)
{
    bool counts = __builtin_expect(c->source == CLOCK_SOURCE_COUNTER, 1);
    return clock_ticks_at(c, counts ? clock_counter() : clock_mono_ns());
}

/* Bits by which a counter of that frequency is shifted: a tick is then 12 to 25 ns, or one count if that is longer. */
uint32_t clock_shift(uint64_t mhz);

/* Chooses the source and starts it at tick 1. */
void clock_start(struct trace_clock *c);

/*
 * The ticks in about that many ns, for thresholds that may be wrong by half: the length of a count is not known before
 * the end, so a counter of 3 GHz (aarch64: what its register says) is assumed.
 */
uint64_t clock_roughly(const struct trace_clock *c, uint64_t ns);

struct clock_pair clock_read_pair(const struct trace_clock *c);

/* How long the machine has been suspended, in ns, but for a number that stays the same. */
int64_t clock_suspended_ns(void);

/*
 * Both clocks, and that, of which suspended_ns has an earlier reading; the machine was not suspended between the
 * readings.
 */
struct clock_pair clock_read_all(const struct trace_clock *c, int64_t *suspended_ns);

/* Two such times tell that it was in between; a preemption in the middle of a reading does not. */
static inline bool clock_was_suspended(int64_t before_ns, int64_t after_ns)
{
    return after_ns > before_ns && after_ns - before_ns > 10000000;
}

/* Ticks per second from two readings; 0 when they are too close to say (under 1 ms). */
uint64_t clock_frequency(const struct trace_clock *c, struct clock_pair first, struct clock_pair last);

#endif
