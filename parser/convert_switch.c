#include "parser/convert_switch.h"

#include <string.h>

#include "lib/wire/events.h"

enum { CREATED = 0 }; /* the sequence number that stands for the creation, blocked */

void switches_begin(struct switches *s)
{
    s->steps.n = 0;
}

static bool add(struct switches *s, uint64_t goroutine, uint64_t seq, int shift)
{
    if (!VEC_ROOM(&s->steps))
        return false;
    s->steps.v[s->steps.n++] = (struct switch_step){.goroutine = goroutine, .seq = seq, .shift = (int8_t)shift};
    return true;
}

bool switches_see(struct switches *s, uint8_t id, const uint64_t *args)
{
    switch (id) {
    case EV_GoSwitch:
    case EV_GoSwitchDestroy:
        return add(s, args[0], args[1], 1);
    case EV_GoUnblock: /* counts only as the first step of one created blocked */
        return args[1] != 1 || add(s, args[0], args[1], 0);
    case EV_GoCreateBlocked:
        return add(s, args[0], CREATED, 0);
    default:
        return true;
    }
}

static int by_goroutine(const void *a, const void *b)
{
    const struct switch_step *x = a, *y = b;
    if (x->goroutine != y->goroutine)
        return x->goroutine < y->goroutine ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void switches_sort(struct switches *s)
{
    if (!s->steps.n)
        return;
    qsort(s->steps.v, s->steps.n, sizeof *s->steps.v, by_goroutine);
    for (size_t i = 0; i < s->steps.n; i++) {
        struct switch_step *step = &s->steps.v[i];
        const struct switch_step *before = i && step[-1].goroutine == step->goroutine ? &step[-1] : NULL;
        bool waits = before ? before->seq == CREATED : idmap_get(&s->created_blocked_of, step->goroutine) != 0;
        step->first = step->seq == CREATED + 1 && waits;
        if (step->first)
            step->shift--;
        step->before = before ? before->before + before->shift : 0;
    }
}

/* The goroutine's last step up to seq, or NULL. */
static const struct switch_step *last_step(const struct switches *s, uint64_t goroutine, uint64_t seq)
{
    const struct switch_step key = {.goroutine = goroutine, .seq = seq};
    size_t lo = 0, hi = s->steps.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (by_goroutine(&s->steps.v[mid], &key) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && s->steps.v[lo - 1].goroutine == goroutine ? &s->steps.v[lo - 1] : NULL;
}

uint64_t switches_seq(const struct switches *s, uint64_t goroutine, uint64_t seq, bool *first)
{
    const struct switch_step *step = last_step(s, goroutine, seq);
    *first = step && step->seq == seq && step->first;
    if (!step)
        return seq;
    return seq + (uint64_t)step->before + (step->seq == seq ? 0 : (uint64_t)(int64_t)step->shift);
}

bool switches_created_blocked(const struct switches *s, uint64_t goroutine)
{
    return idmap_get(&s->created_blocked_of, goroutine);
}

static void remove_created_blocked(struct switches *s, uint64_t goroutine)
{
    uint32_t at = idmap_get(&s->created_blocked_of, goroutine);
    if (!at)
        return;
    uint64_t last = s->created_blocked.v[--s->created_blocked.n];
    idmap_remove(&s->created_blocked_of, goroutine);
    if (last == goroutine)
        return;
    idmap_remove(&s->created_blocked_of, last);
    s->created_blocked.v[at - 1] = last;
    idmap_add(&s->created_blocked_of, last, at);
}

bool switches_end(struct switches *s)
{
    for (size_t i = 0; i < s->steps.n; i++) {
        const struct switch_step *step = &s->steps.v[i];
        if (step->first) {
            remove_created_blocked(s, step->goroutine);
        } else if (step->seq == CREATED && !idmap_get(&s->created_blocked_of, step->goroutine)) {
            if (!VEC_ROOM(&s->created_blocked) ||
                !idmap_add(&s->created_blocked_of, step->goroutine, (uint32_t)s->created_blocked.n + 1))
                return false;
            s->created_blocked.v[s->created_blocked.n++] = step->goroutine;
        }
    }
    return true;
}

void switches_free(struct switches *s)
{
    VEC_FREE(&s->steps);
    VEC_FREE(&s->created_blocked);
    idmap_free(&s->created_blocked_of);
}
