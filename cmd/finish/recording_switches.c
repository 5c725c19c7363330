#include "config.h"

#include "cmd/finish/recording_switches.h"

#include <stdlib.h>

#include "lib/meta.h"
#include "lib/switch_kind.h"

bool recording_read_switches(struct recording *r, struct cursor *c)
{
    uint64_t ticks = 0;
    uint16_t cpu = (uint16_t)get_int(c);
    for (uint64_t n = get_int(c); n >= 2 && c->p; n -= 2) {
        ticks += (uint64_t)zigzag_decode(get_int(c));
        uint64_t what = get_int(c);
        struct thread_switch s = {.time = (int64_t)ticks, .cpu = cpu, .kind = what & ((1 << SWITCH_KIND_BITS) - 1)};
        s.thread = (uint32_t)(what >> SWITCH_KIND_BITS);
        if (s.kind == SWITCHES_LOST)
            r->lost_switches += what >> SWITCH_KIND_BITS;
        if (!VEC_ROOM(&r->switches))
            return false;
        r->switches.v[r->switches.n++] = s;
    }
    return true;
}

bool recording_read_wakings(struct recording *r, struct cursor *c)
{
    uint64_t ticks = 0;
    uint16_t cpu = (uint16_t)get_int(c);
    for (uint64_t n = get_int(c); n >= 3 && c->p; n -= 3) {
        ticks += (uint64_t)zigzag_decode(get_int(c));
        struct thread_switch s = {.time = (int64_t)ticks, .cpu = cpu, .kind = SWITCH_WAKING};
        s.thread = (uint32_t)get_int(c);
        uint64_t who = get_int(c);
        s.context = who & ((1 << WAKING_CONTEXT_BITS) - 1);
        s.waker = (uint32_t)(who >> WAKING_CONTEXT_BITS);
        if (s.context == WAKINGS_LOST) {
            r->lost_wakings += s.thread;
            continue;
        }
        if (!VEC_ROOM(&r->switches))
            return false;
        r->switches.v[r->switches.n++] = s;
    }
    return true;
}

bool recording_read_waker(struct recording *r, struct cursor *c)
{
    struct waker_name w = {.thread = (uint32_t)get_int(c)};
    const uint8_t *text = get_text(c, &w.len);
    w.text = (const char *)text;
    if (!text)
        return true;
    if (!VEC_ROOM(&r->wakers))
        return false;
    r->wakers.v[r->wakers.n++] = w;
    return true;
}

bool recording_read_delays(struct recording *r, struct cursor *c)
{
    struct thread_delay d = {.time = (int64_t)get_int(c)};
    uint64_t kind = get_int(c);
    d.begins = kind == DELAYS_BEGIN;
    d.ends = kind == DELAYS_LAST;
    for (uint64_t n = get_int(c); n >= 2 && c->p; n -= 2) {
        d.thread = (uint32_t)get_int(c);
        d.ns = get_int(c);
        if (!VEC_ROOM(&r->delays))
            return false;
        r->delays.v[r->delays.n++] = d;
    }
    return true;
}

/* At the same time on two CPUs: who leaves one makes room for who comes. */
static int by_time(const void *a, const void *b)
{
    const struct thread_switch *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->kind == SWITCH_IN) - (y->kind == SWITCH_IN);
}

static int by_time_said(const void *a, const void *b)
{
    const struct thread_delay *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

void recording_sort_switches(struct recording *r)
{
    uint64_t ns = 1000000000 / r->time.hz;
    for (size_t i = 0; i < r->switches.n; i++)
        r->switches.v[i].time = (int64_t)(trace_time_of(&r->time, (uint64_t)r->switches.v[i].time) * ns);
    if (r->switches.n)
        qsort(r->switches.v, r->switches.n, sizeof *r->switches.v, by_time);
    if (r->wakers.n)
        qsort(r->wakers.v, r->wakers.n, sizeof *r->wakers.v, waker_name_compare);
    for (size_t i = 0; i < r->delays.n; i++)
        r->delays.v[i].time = (int64_t)(trace_time_of(&r->time, (uint64_t)r->delays.v[i].time) * ns);
    if (r->delays.n)
        qsort(r->delays.v, r->delays.n, sizeof *r->delays.v, by_time_said);
}
