/*
 * Trace time. With an invariant counter (x86 TSC, aarch64 CNTVCT) a tick is the counter shifted right, so that the
 * usual distance between events is one varint byte; otherwise it is CLOCK_MONOTONIC. The ticks count from the start of
 * the recording, first tick 1. What a tick is worth is worked out when the trace is finished, from pairs of counter
 * and CLOCK_MONOTONIC that the recording leaves behind: never from a claim of the CPU about its own frequency.
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

/* What one reading of both clocks says; two of them give the length of a tick. */
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
 * A thread may forbid itself the counter (PR_SET_TSC), its children inherit that, and the vDSO reads the counter, too:
 * then the kernel has to be asked.
 */
extern bool clock_is_forbidden __attribute__((visibility("hidden")));

/* No reading of this clock, or of the other one, touches the counter from now on. What it tells is of no use. */
void clock_forbid(struct trace_clock *c);

/* Whether the calling thread may read the counter. */
bool clock_may_count(void);

/* Not a cancellation point, async-signal-safe, does not touch errno: the clock exists. */
static inline uint64_t clock_mono_ns(void)
{
    struct timespec ts;
    if (__builtin_expect(clock_is_forbidden, 0))
        raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&ts, 0, 0, 0, 0);
    else
        clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_ticks(const struct trace_clock *c)
{
    uint64_t now = __builtin_expect(c->source == CLOCK_SOURCE_COUNTER, 1) ? clock_counter() : clock_mono_ns();
    return ((now - c->origin) >> c->shift) + 1;
}

/*
 * Bits by which a counter of so many MHz is shifted: a tick is 12 to 25 ns long then, or one count if that is longer.
 */
uint32_t clock_shift(uint64_t mhz);

/* Chooses the source and starts it at tick 1. */
void clock_start(struct trace_clock *c);

/*
 * About so many ns, for thresholds that may be wrong by half: what a count is worth is not known before the end, and a
 * counter of 3 GHz (aarch64: what its register says) stands in for it.
 */
uint64_t clock_roughly(const struct trace_clock *c, uint64_t ns);

struct clock_pair clock_read_pair(const struct trace_clock *c);

/* Ticks per second from two readings; 0 when they are too close to say (under 1 ms). */
uint64_t clock_frequency(const struct trace_clock *c, struct clock_pair first, struct clock_pair last);

#endif
