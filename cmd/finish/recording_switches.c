#include "config.h"

#include "cmd/finish/recording_switches.h"

#include <stdlib.h>

#include "lib/meta.h"
#include "lib/switch_kind.h"
#include "parser/idmap.h"

static bool add(struct recording *r, struct thread_switch s)
{
    if (!VEC_ROOM(&r->switches))
        return false;
    r->switches.v[r->switches.n++] = s;
    return true;
}

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
        if (!add(r, s))
            return false;
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
        if (s.context == WAKINGS_LOST)
            r->lost_wakings += s.thread;
        else if (!add(r, s))
            return false;
    }
    return true;
}

bool recording_read_lock_note(struct recording *r, struct cursor *c)
{
    struct thread_switch s = {.thread = (uint32_t)get_int(c), .kind = SWITCH_LOCK_NOTE};
    s.time = (int64_t)get_int(c);
    uint64_t address = get_int(c), note = get_int(c);
    uint32_t number = idmap_get(&r->locks_noted, address);
    if (!address || note >= LOCK_NOTES)
        return true;
    if (!number && !idmap_add(&r->locks_noted, address, number = ++r->nlocks_noted))
        return false;
    s.context = (uint8_t)note;
    s.waker = number;
    return add(r, s);
}

bool recording_read_asleep(struct recording *r, struct cursor *c)
{
    int64_t ticks = (int64_t)get_int(c);
    r->asleep_ticks = ticks > r->asleep_ticks ? ticks : r->asleep_ticks;
    for (uint64_t n = get_int(c); n && c->p; n--) {
        if (!VEC_ROOM(&r->asleep))
            return false;
        r->asleep.v[r->asleep.n++] = (uint32_t)get_int(c);
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

/*
 * At the same time: what a thread notes is before what it does; a wait's condition is noted after its mutex; and on two
 * CPUs who leaves one makes room for who comes.
 */
static int rank(const struct thread_switch *s)
{
    return s->kind == SWITCH_LOCK_NOTE ? s->context - LOCK_NOTES : s->kind == SWITCH_IN;
}

static int by_time(const void *a, const void *b)
{
    const struct thread_switch *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return rank(x) - rank(y);
}

static int by_time_said(const void *a, const void *b)
{
    const struct thread_delay *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static int64_t ns_of(const struct recording *r, uint64_t ticks)
{
    return (int64_t)(trace_time_of(&r->time, ticks) * (1000000000 / r->time.hz));
}

static void sort_by_time(struct recording *r)
{
    if (r->switches.n)
        qsort(r->switches.v, r->switches.n, sizeof *r->switches.v, by_time);
}

void recording_sort_switches(struct recording *r)
{
    for (size_t i = 0; i < r->switches.n; i++)
        r->switches.v[i].time = ns_of(r, (uint64_t)r->switches.v[i].time);
    sort_by_time(r);
    if (r->wakers.n)
        qsort(r->wakers.v, r->wakers.n, sizeof *r->wakers.v, waker_name_compare);
    for (size_t i = 0; i < r->delays.n; i++)
        r->delays.v[i].time = ns_of(r, (uint64_t)r->delays.v[i].time);
    if (r->delays.n)
        qsort(r->delays.v, r->delays.n, sizeof *r->delays.v, by_time_said);
}

/* --- what threads did when the recording began -------------------------------------------------------------------- */

struct before {
    struct thread_switch was;
    int64_t came; /* when it must have got the processor that it lost first of all; 0: that is noted */
};

struct begin {
    struct idmap index; /* by thread: + 1 */
    VEC(struct before) of_thread;
    int64_t first, looked; /* looked: INT64_MAX if it was not */
    int64_t *last;         /* by CPU: when a thread came or left */
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool was_asleep(const struct recording *r, uint32_t thread)
{
    return bsearch(&thread, r->asleep.v, r->asleep.n, sizeof *r->asleep.v, by_number);
}

/*
 * A thread that first of all gets a processor had none; and waited for one, unless it slept. One that first of all
 * loses it cannot have had it while another did: the kernel began to note the switches of one thread after the other.
 */
static struct before before_first(const struct recording *r, const struct begin *b, const struct thread_switch *s)
{
    bool noted = s->kind == SWITCH_IN;
    int64_t came = noted ? s->time : b->last[s->cpu];
    struct thread_switch was = {.time = b->first, .thread = s->thread, .kind = SWITCH_IN, .at_begin = true};
    if (came > b->first)
        was.kind = came > b->looked && was_asleep(r, s->thread) ? SWITCH_BLOCKS : SWITCH_PREEMPTED;
    if (came > b->looked)
        was.time = b->looked;
    return (struct before){was, noted ? 0 : came};
}

static bool take_begin(const struct recording *r, struct begin *b, const struct thread_switch *s)
{
    if (s->kind >= SWITCH_WAKING || s->kind == SWITCHES_LOST)
        return true;
    uint32_t at = idmap_get(&b->index, s->thread);
    if (!at && (!VEC_ROOM(&b->of_thread) || !idmap_add(&b->index, s->thread, (uint32_t)b->of_thread.n + 1)))
        return false;
    if (!at)
        b->of_thread.v[b->of_thread.n++] = before_first(r, b, s);
    if (s->time <= b->first) {
        struct before *before = &b->of_thread.v[at ? at - 1 : b->of_thread.n - 1];
        *before = (struct before){*s, 0};
        before->was.time = b->first;
        before->was.at_begin = true;
    }
    b->last[s->cpu] = s->time;
    return true;
}

/* Who had no processor when it was looked most likely had none before either, when nobody noted switches yet. */
static bool add_all(struct recording *r, const struct begin *b)
{
    for (size_t i = 0; i < b->of_thread.n; i++) {
        const struct before *before = &b->of_thread.v[i];
        struct thread_switch was = before->was, in = was;
        if (was.kind == SWITCH_IN)
            continue;
        if (was.time > b->first && !add(r, was))
            return false;
        was.time = b->first;
        in.kind = SWITCH_IN;
        in.time = before->came;
        if (!add(r, was) || (in.time && !add(r, in)))
            return false;
    }
    sort_by_time(r);
    return true;
}

bool recording_add_begin(struct recording *r)
{
    struct begin b = {.first = ns_of(r, r->first_time), .looked = INT64_MAX};
    b.last = calloc(UINT16_MAX + 1, sizeof *b.last);
    bool ok = b.last;
    if (r->asleep_ticks)
        b.looked = ns_of(r, (uint64_t)r->asleep_ticks);
    if (b.looked < b.first)
        b.looked = b.first;
    if (r->asleep.n)
        qsort(r->asleep.v, r->asleep.n, sizeof *r->asleep.v, by_number);
    for (size_t i = 0; i < r->switches.n && ok; i++)
        ok = take_begin(r, &b, &r->switches.v[i]);
    ok = ok && add_all(r, &b);
    idmap_free(&b.index);
    VEC_FREE(&b.of_thread);
    free(b.last);
    return ok;
}
