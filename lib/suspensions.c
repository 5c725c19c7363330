#include "lib/suspensions.h"

void suspensions_note(struct suspensions *s, struct clock_pair before, struct clock_pair after)
{
    if (s->n == SUSPENSIONS_MAX) {
        s->v[SUSPENSIONS_MAX - 1].after = after;
        return;
    }
    s->v[s->n].before = before;
    s->v[s->n].after = after;
    __atomic_store_n(&s->n, s->n + 1, __ATOMIC_RELEASE);
}

static uint32_t count(const struct suspensions *s) { return s->n < SUSPENSIONS_MAX ? s->n : SUSPENSIONS_MAX; }

static bool is_between(struct clock_pair x, struct clock_pair low, struct clock_pair high)
{
    return x.ticks >= low.ticks && x.ticks <= high.ticks && x.mono_ns >= low.mono_ns && x.mono_ns <= high.mono_ns;
}

/* The first reading moves on by what is left out. */
uint64_t suspensions_frequency(const struct suspensions *s, const struct trace_clock *c, struct clock_pair first,
                               struct clock_pair last)
{
    struct clock_pair low = first;
    for (uint32_t i = 0; i < count(s); i++) {
        const struct clock_pair before = s->v[i].before, after = s->v[i].after;
        if (!is_between(before, low, last) || !is_between(after, before, last))
            continue;
        first.ticks += after.ticks - before.ticks;
        first.mono_ns += after.mono_ns - before.mono_ns;
        low = after;
    }
    return clock_frequency(c, first, last);
}

uint64_t suspensions_before(const struct suspensions *s, uint64_t ticks, uint64_t hz)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count(s) && s->v[i].after.ticks <= ticks && hz; i++) {
        unsigned __int128 all = (unsigned __int128)(s->v[i].after.ticks - s->v[i].before.ticks) * 1000000000u / hz;
        uint64_t awake = s->v[i].after.mono_ns - s->v[i].before.mono_ns;
        sum += all > awake && all - awake < UINT64_MAX / 2 ? (uint64_t)(all - awake) : 0;
    }
    return sum;
}
