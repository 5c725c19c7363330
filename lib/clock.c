#include "lib/clock.h"

#include <sys/prctl.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* CPUID 0x80000007, EDX bit 8: the TSC runs at one rate in every P-, C- and T-state. */
static bool counter_is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}
#else
static bool counter_is_invariant(void) { return true; }
#endif

bool clock_is_forbidden;

void clock_forbid(struct trace_clock *c)
{
    clock_is_forbidden = true;
    c->source = CLOCK_SOURCE_MONOTONIC;
}

/* Where the kernel has no PR_GET_TSC the call fails, and the counter cannot be forbidden. */
bool clock_may_count(void)
{
    int state = PR_TSC_ENABLE;
    raw_syscall(SYS_prctl, PR_GET_TSC, (long)&state, 0, 0, 0, 0);
    return state == PR_TSC_ENABLE;
}

static uint64_t likely_counter_mhz(void)
{
#if defined(__aarch64__)
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz / 1000000;
#else
    return 3000;
#endif
}

uint32_t clock_shift(uint64_t mhz)
{
    enum { MAX_TICK_NS = 25 };
    uint32_t shift = 0;
    while ((UINT64_C(2000) << shift) <= MAX_TICK_NS * mhz)
        shift++;
    return shift;
}

void clock_start(struct trace_clock *c)
{
    c->source = counter_is_invariant() ? CLOCK_SOURCE_COUNTER : CLOCK_SOURCE_MONOTONIC;
    c->shift = c->source == CLOCK_SOURCE_COUNTER ? clock_shift(likely_counter_mhz()) : 0;
    c->origin = c->source == CLOCK_SOURCE_COUNTER ? clock_counter() : clock_mono_ns();
}

uint64_t clock_roughly(const struct trace_clock *c, uint64_t ns)
{
    uint64_t counts = c->source == CLOCK_SOURCE_COUNTER ? ns * likely_counter_mhz() / 1000 : ns;
    return counts >> c->shift;
}

/* The tightest of a few tries: a preemption between the two reads shows as a wide bracket. */
struct clock_pair clock_read_pair(const struct trace_clock *c)
{
    struct clock_pair best = {0, 0};
    uint64_t width = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = clock_ticks(c);
        uint64_t mono = clock_mono_ns();
        uint64_t after = clock_ticks(c);
        if (after - before < width) {
            width = after - before;
            best = (struct clock_pair){before + (after - before) / 2, mono};
        }
    }
    return best;
}

/* The least of a few tries: a preemption between the two readings makes it more. */
int64_t clock_suspended_ns(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        uint64_t mono = clock_mono_ns();
        int64_t ns = (int64_t)(clock_ns(CLOCK_BOOTTIME) - mono);
        least = ns < least ? ns : least;
    }
    return least;
}

struct clock_pair clock_read_all(const struct trace_clock *c, int64_t *suspended_ns)
{
    struct clock_pair now;
    int64_t before_ns;
    do {
        before_ns = *suspended_ns;
        now = clock_read_pair(c);
        *suspended_ns = clock_suspended_ns();
    } while (clock_was_suspended(before_ns, *suspended_ns));
    return now;
}

uint64_t clock_frequency(const struct trace_clock *c, struct clock_pair first, struct clock_pair last)
{
    if (c->source == CLOCK_SOURCE_MONOTONIC)
        return 1000000000;
    if (last.mono_ns < first.mono_ns || last.mono_ns - first.mono_ns < 1000000 || last.ticks <= first.ticks)
        return 0;
    unsigned __int128 hz = (unsigned __int128)(last.ticks - first.ticks) * 1000000000u;
    return (uint64_t)(hz / (last.mono_ns - first.mono_ns));
}
