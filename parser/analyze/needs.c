#include "parser/analyze/needs.h"

#include <stdlib.h>

enum { DEEPEST = 64, LOOKS = 8, MAIN = 1 };

struct need_wait {
    uint64_t number, before, waker; /* before: the thread's wait before; waker: the waker's last one; 0: none */
    bool woken;                     /* by another thread */
    int64_t begin, end;
    int64_t seen;    /* what it was needed for from here on is known: */
    uint64_t active; /* for so many ns somebody worked for its end */
    uint64_t most;   /* so many ns of it are summed up at most, */
    uint64_t summed; /* and so many are */
    uint64_t busy;   /* the same of all of it, but that nobody need have needed it */
    uint64_t id;     /* goroutine */
    uint32_t thread, place, object;
    enum wait_need kind;
};

void needs_init(struct needs *n)
{
    *n = (struct needs){.looks = NEEDS_KEPT, .glances = NEEDS_KEPT, .kept = calloc(NEEDS_KEPT, sizeof *n->kept)};
    n->failed = !n->kept;
}

void needs_free(struct needs *n)
{
    free(n->kept);
    VEC_FREE(&n->places.list);
    VEC_FREE(&n->objects.list);
    VEC_FREE(&n->threads);
}

static uint64_t between(int64_t from, int64_t to) { return to > from ? (uint64_t)to - (uint64_t)from : 0; }

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

void needs_appears(struct needs *n, uint32_t thread, uint64_t id, uint64_t maker)
{
    if (thread == n->threads.n && !n->failed && VEC_ROOM(&n->threads))
        n->threads.n++;
    n->failed |= thread >= n->threads.n;
    if (!n->failed)
        n->threads.v[thread] = (struct need_thread){.id = id, .wakers = {maker}, .turn = 1};
}

uint64_t needs_idle(const struct needs *n, uint32_t thread)
{
    const struct need_thread *t = &n->threads.v[thread];
    return t->waited > t->needed ? t->waited - t->needed : 0;
}

struct need_sum needs_of(const struct need_sums *sums, uint32_t number)
{
    return number < sums->list.n ? sums->list.v[number] : (struct need_sum){0};
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static void add(struct needs *n, struct need_sums *sums, uint32_t number, const struct need_sum *more)
{
    while (number >= sums->list.n) {
        if (!VEC_ROOM(&sums->list)) {
            n->failed = true;
            return;
        }
        sums->list.v[sums->list.n++] = (struct need_sum){0};
    }
    sums->list.v[number].count += more->count;
    sums->list.v[number].ns += more->ns;
    sums->list.v[number].busy += more->busy;
}

/* So much of the wait is known to have been needed. */
static void credit(struct needs *n, struct need_wait *w, uint64_t active)
{
    uint64_t sum = least(active, w->most);
    w->active = active > w->active ? active : w->active;
    if (sum <= w->summed)
        return;
    struct need_sum more = {.count = !w->summed, .ns = sum - w->summed};
    w->summed = sum;
    add(n, &n->places, w->place, &more);
    if (w->object)
        add(n, &n->objects, w->object - 1, &more);
    struct need_thread *t = &n->threads.v[w->thread];
    if (w->kind != WAIT_NEED_WORK && t->id == w->id)
        t->needed += more.ns;
}

/* ---- who was needed --------------------------------------------------------------------------------------------- */

static struct need_wait *wait_of(struct needs *n, uint64_t number)
{
    struct need_wait *w = &n->kept[number % NEEDS_KEPT];
    return number && w->number == number ? w : NULL;
}

static uint64_t active(struct needs *n, uint64_t number, int64_t from, int64_t to, unsigned depth);

/* For how much of the wait, from a time in it on, somebody worked for its end. */
static uint64_t worked(struct needs *n, struct need_wait *w, int64_t from, unsigned depth)
{
    uint64_t all = between(from, w->end), ns = 0;
    if (from >= w->seen)
        return least(w->active, all);
    if (w->kind == WAIT_NEED_TIME)
        ns = all;
    else if (w->woken && w->kind != WAIT_NEED_NOTHING)
        ns = active(n, w->waker, from, w->end, depth);
    credit(n, w, ns);
    w->seen = from;
    return ns;
}

/*
 * Of a time, how much a thread did not idle away; number: its last wait, which has ended then. What is not remembered
 * any more counts as work.
 */
static uint64_t active(struct needs *n, uint64_t number, int64_t from, int64_t to, unsigned depth)
{
    uint64_t idle = 0, all = between(from, to);
    struct need_wait *w;
    for (; depth < DEEPEST && n->looks && (w = wait_of(n, number)) && w->end > from; number = w->before) {
        int64_t begin = later(w->begin, from);
        n->looks--;
        idle += between(begin, w->end) - worked(n, w, begin, depth + 1);
    }
    return idle < all ? all - idle : 0;
}

/* How much of a wait its waker was not idle, by what is known of the waits that that one had meanwhile. */
static uint64_t busy(struct needs *n, const struct need_wait *w)
{
    uint64_t idle = 0, all = between(w->begin, w->end);
    const struct need_wait *other;
    if (w->kind == WAIT_NEED_WORK || w->kind == WAIT_NEED_TIME)
        return all;
    if (!w->woken || w->kind == WAIT_NEED_NOTHING)
        return 0;
    for (uint64_t number = w->waker; n->glances && (other = wait_of(n, number)) && other->end > w->begin;
         number = other->before) {
        uint64_t both = between(later(other->begin, w->begin), other->end);
        n->glances--;
        idle += both - least(other->busy, both);
    }
    return idle < all ? all - idle : 0;
}

static bool has_woken(const struct need_thread *t, uint64_t id)
{
    for (int i = 0; i < NEEDS_WAKERS; i++)
        if (t->wakers[i] == id)
            return true;
    return false;
}

void needs_ends(struct needs *n, const struct need_end *e)
{
    if (n->failed)
        return;
    struct need_thread *t = &n->threads.v[e->thread], *by = e->waker == NEEDS_NOBODY ? NULL : &n->threads.v[e->waker];
    uint64_t all = between(e->begin, e->end);
    struct need_wait *w = &n->kept[++n->n % NEEDS_KEPT];
    *w = (struct need_wait){.number = n->n, .before = t->last, .waker = by ? by->last : 0, .woken = by, .begin = e->begin,
                            .end = e->end, .seen = e->end, .most = e->counted, .id = t->id, .thread = e->thread, .place = e->place,
                            .object = e->object, .kind = e->kind};
    t->last = n->n;
    n->looks += LOOKS;
    n->glances += LOOKS;
    w->busy = busy(n, w);
    if (w->object && w->busy && w->most)
        add(n, &n->objects, w->object - 1, &(struct need_sum){.busy = least(w->busy, w->most)});
    if (e->kind == WAIT_NEED_WORK) {
        credit(n, w, all);
        w->seen = e->begin;
    } else {
        t->waited += e->counted;
    }
    if (!by)
        return;
    if (e->kind == WAIT_NEED_WORK)
        active(n, by->last, later(e->begin, e->since), e->end, 0);
    else if ((e->kind == WAIT_NEED_END && t->id == MAIN) || has_woken(by, t->id))
        worked(n, w, e->begin, 0);
    if (e->kind != WAIT_NEED_WORK) {
        t->wakers[t->turn] = by->id;
        t->turn = (t->turn + 1) % NEEDS_WAKERS;
    }
}
