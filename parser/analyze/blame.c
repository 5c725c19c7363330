#include "parser/analyze/blame.h"

#include <string.h>

/* How far a chain is followed; how many stretches are looked at for each that there is, on the whole. */
enum { DEEPEST = 256, LOOKS = 32 };
_Static_assert(BLAME_OBJECTS < 1 << 13, "the number of an object fits into a deed's key");

void blame_init(struct blame *b, struct spans *spans)
{
    *b = (struct blame){.spans = spans, .looks = CRITICAL_MAX};
    stat_groups_init(&b->waits, true);
    blame_sums_init(&b->sums);
}

void blame_free(struct blame *b)
{
    critical_free(&b->critical);
    stat_groups_free(&b->waits);
    blame_sums_free(&b->sums);
    idmap_free(&b->index);
    VEC_FREE(&b->objects);
    VEC_FREE(&b->threads);
}

bool blame_is_fine(const struct blame *b)
{
    return !b->failed && !b->critical.failed && !b->waits.failed && !b->sums.failed;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

void blame_end(struct blame *b)
{
    stat_groups_settle(&b->waits);
    blame_sums_end(&b->sums);
}

/* ---- stretches -------------------------------------------------------------------------------------------------- */

/* The thread's stretch up to now is kept, unless nobody will ask. by: the event that it makes now, if any. */
static struct critical_step *keep(struct blame *b, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct blame_thread *t = &b->threads.v[thread];
    const struct span_thread *span = &b->spans->live.v[thread];
    uint32_t what = span->doing;
    if (!b->nwaiting) {
        t->way = (struct critical_end){0, now};
        return NULL;
    }
    if (span->state == GOTRACE_STATE_RUNNING)
        what = t->sampled ? t->sampled
               : by       ? stat_text_stack(&b->spans->texts, gotrace_event_stack(by), STAT_PLACE)
                          : 0;
    struct critical_step *s = critical_add(&b->critical, &t->way, span, what, now);
    b->looks += LOOKS;
    if (s)
        s->sampled = span->state == GOTRACE_STATE_RUNNING && t->sampled;
    return s;
}

void blame_sample(struct blame *b, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(b->spans, gotrace_event_goroutine(ev));
    if (!b->nwaiting || b->failed || thread == SPANS_NOBODY ||
        b->spans->live.v[thread].state != GOTRACE_STATE_RUNNING)
        return;
    b->threads.v[thread].sampled = stat_text_stack(&b->spans->texts, gotrace_event_stack(ev), STAT_SAMPLED);
    keep(b, thread, gotrace_event_time(ev), NULL);
}

void blame_appears(struct blame *b, uint32_t thread, uint32_t maker, int64_t now)
{
    if (thread == b->threads.n && !b->failed && VEC_ROOM(&b->threads))
        b->threads.v[b->threads.n++] = (struct blame_thread){.object = 0};
    b->failed |= thread >= b->threads.n;
    if (b->failed)
        return;
    b->threads.v[thread] = (struct blame_thread){.way.since = now};
    if (maker == SPANS_NOBODY || !b->nwaiting)
        return;
    keep(b, maker, now, NULL);
    b->threads.v[thread].way = b->threads.v[maker].way;
}

/* ---- who waits -------------------------------------------------------------------------------------------------- */

static uint32_t object_number(struct blame *b, const struct stat_object *is, bool full)
{
    uint64_t key = (uint64_t)is->text << 1 | full;
    uint32_t known = idmap_get(&b->index, key);
    if (known)
        return known - 1;
    bool others = b->objects.n == BLAME_OBJECTS - 1;
    if (b->objects.n == BLAME_OBJECTS)
        return BLAME_OBJECTS - 1;
    if (!VEC_ROOM(&b->objects) || (!others && !idmap_add(&b->index, key, (uint32_t)b->objects.n + 1))) {
        b->failed = true;
        return 0;
    }
    b->objects.v[b->objects.n] = (struct blame_object){.is = *is, .full = full, .released = INT64_MIN};
    if (others)
        b->objects.v[b->objects.n].is.text = b->objects.v[b->objects.n].is.name = 0;
    return (uint32_t)b->objects.n++;
}

/* Most begin later than all others: what began before the trace may be seen late. */
static void link_waiter(struct blame *b, struct blame_object *o, uint32_t thread)
{
    struct blame_thread *all = b->threads.v, *t = &all[thread];
    uint32_t before = o->last;
    while (before && all[before - 1].begin > t->begin)
        before = all[before - 1].previous;
    t->previous = before;
    t->next = before ? all[before - 1].next : o->first;
    *(before ? &all[before - 1].next : &o->first) = thread + 1;
    *(t->next ? &all[t->next - 1].previous : &o->last) = thread + 1;
    o->nwaiting++;
    b->nwaiting++;
}

static void unlink_waiter(struct blame *b, struct blame_object *o, struct blame_thread *t)
{
    *(t->previous ? &b->threads.v[t->previous - 1].next : &o->first) = t->next;
    *(t->next ? &b->threads.v[t->next - 1].previous : &o->last) = t->previous;
    t->previous = t->next = 0;
    o->nwaiting--;
    b->nwaiting--;
}

/* Time that nobody is known to be the owner. */
static void charge_nobody(struct blame *b, uint32_t object, int64_t from, int64_t to, const struct gotrace_event *by)
{
    if (to > from && spans_part(b->spans, &from, &to))
        blame_add_owner(&b->sums, object, spans_outsider(b->spans, by), 0, (uint64_t)to - (uint64_t)from);
}

void blame_begins(struct blame *b, uint32_t thread)
{
    const struct span_thread *span = &b->spans->live.v[thread];
    if (b->failed)
        return;
    struct blame_thread *t = &b->threads.v[thread];
    t->sampled = 0;
    if (!span->object.kind)
        return;
    bool full = !strcmp(stat_text_of(&b->spans->texts, span->reason), "chan send");
    uint32_t number = object_number(b, &span->object, full);
    if (b->failed)
        return;
    struct blame_object *o = &b->objects.v[number];
    t->object = number + 1;
    t->begin = span->since;
    t->counts = span->counts && t->begin < b->spans->to;
    if (!t->counts)
        return;
    charge_nobody(b, number, t->begin, o->released, NULL);
    link_waiter(b, o, thread);
}

/* ---- who is to blame -------------------------------------------------------------------------------------------- */

/* Goes back in time, from a release. */
struct walk {
    struct blame *b;
    uint32_t object, name; /* whose owner it is */
    uint32_t waiter;       /* the last that had begun to wait: place + 1 */
    uint64_t nwaiting;     /* how many had */
    uint64_t total;
};

/* What all that waited between the times waited in sum. `to` is where the last call began. */
static uint64_t weigh(struct walk *w, int64_t from, int64_t to)
{
    uint64_t ns = 0;
    for (; w->waiter && w->b->threads.v[w->waiter - 1].begin > from; w->nwaiting--) {
        const struct blame_thread *t = &w->b->threads.v[w->waiter - 1];
        ns += w->nwaiting * ((uint64_t)to - (uint64_t)t->begin);
        to = t->begin;
        w->waiter = t->previous;
    }
    return ns + w->nwaiting * ((uint64_t)to - (uint64_t)from);
}

static void charge(struct walk *w, int64_t from, int64_t to, const struct blame_deed *d)
{
    uint64_t ns = to > from ? weigh(w, from, to) : 0;
    if (!ns)
        return;
    w->total += ns;
    blame_add_deed(&w->b->sums, w->object, w->name, d, ns);
}

static void charge_unknown(struct walk *w, int64_t from, int64_t to, uint32_t chain)
{
    charge(w, from, to, &(struct blame_deed){.chain = chain, .state = GOTRACE_STATE_UNDETERMINED});
}

static uint32_t name_of(struct blame *b, uint32_t name)
{
    return name ? name : stat_literal(&b->spans->texts, "a thread without name");
}

static void follow(struct walk *w, uint64_t at, int64_t from, int64_t to, uint32_t chain, unsigned depth);

/* One that waits for what somebody waits for already, who is in the chain, was the next owner of that. */
static uint32_t chain_to(struct walk *w, uint32_t chain, uint32_t object, uint32_t name)
{
    const struct blame_chain *last = chain ? &w->b->sums.chains.v[chain - 1] : NULL;
    return blame_chain_on(&w->b->sums, last && last->object == object ? last->before : chain, object, name);
}

static void take_step(struct walk *w, const struct critical_step *s, int64_t from, int64_t to, uint32_t chain,
                      unsigned depth)
{
    struct blame *b = w->b;
    const struct critical_step *waker = s->object && depth < DEEPEST ? critical_step_of(&b->critical, s->waker) : NULL;
    if (waker) {
        follow(w, s->waker, from, to, chain_to(w, chain, s->object, name_of(b, waker->name)), depth + 1);
        return;
    }
    if (s->object)
        chain = chain_to(w, chain, s->object, stat_empty(&b->spans->texts));
    charge(w, from, to,
           &(struct blame_deed){.chain = chain, .what = s->what, .state = s->state, .sampled = s->sampled});
}

/* What was done from the step on, back to a time. */
static void follow(struct walk *w, uint64_t at, int64_t from, int64_t to, uint32_t chain, unsigned depth)
{
    struct blame *b = w->b;
    const struct critical_step *s;
    uint64_t thread = GOTRACE_NONE;
    for (; to > from && b->looks && (s = critical_step_of(&b->critical, at)); at = s->before) {
        b->looks--;
        if (s->end < to)
            charge_unknown(w, later(s->end, from), to, chain);
        to = s->end < to ? later(s->end, from) : to;
        if (thread != GOTRACE_NONE && s->thread != thread)
            chain = blame_chain_on(&b->sums, chain, 0, name_of(b, s->name));
        thread = s->thread;
        int64_t begin = later(s->begin, from);
        if (begin < to)
            take_step(w, s, begin, to, chain, depth);
        to = begin < to ? begin : to;
    }
    charge_unknown(w, from, to, chain);
}

/* What the owner did while waits that count went on, until `to`, before which all of them began. */
static void charge_owner(struct blame *b, uint32_t number, uint32_t owner, int64_t to)
{
    const struct blame_object *o = &b->objects.v[number];
    const struct span_thread *span = &b->spans->live.v[owner];
    struct walk w = {.b = b, .object = number, .name = name_of(b, span->name), .waiter = o->last,
                     .nwaiting = o->nwaiting};
    int64_t from = later(later(o->released, b->threads.v[o->first - 1].begin), b->spans->from);
    if (from > to || (from == to && to == b->spans->to))
        return;
    blame_expect_owner(&b->sums, number, w.name);
    follow(&w, b->threads.v[owner].way.before, from, to, 0, 0);
    blame_add_owner(&b->sums, number, w.name, span->id, w.total);
}

static void blame_owner(struct blame *b, uint32_t number, uint32_t owner, int64_t now)
{
    struct blame_object *o = &b->objects.v[number];
    if (o->first)
        charge_owner(b, number, owner, earlier(now, b->spans->to));
    o->released = now;
    o->was_ended = true;
}

void blame_ends(struct blame *b, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    if (b->failed)
        return;
    const struct span_thread *span = &b->spans->live.v[thread];
    uint32_t waker = spans_waker(b->spans, thread, by);
    if (waker != SPANS_NOBODY)
        keep(b, waker, now, by);
    struct blame_thread *t = &b->threads.v[thread];
    struct critical_step *s = keep(b, thread, now, by);
    if (!t->object)
        return;
    if (s) {
        s->object = (uint16_t)t->object;
        s->waker = waker == SPANS_NOBODY ? 0 : b->threads.v[waker].way.before;
    }
    uint32_t number = t->object - 1;
    if (waker != SPANS_NOBODY)
        blame_owner(b, number, waker, now);
    else if (t->counts)
        charge_nobody(b, number, later(t->begin, b->objects.v[number].released), now, by);
    uint64_t ns;
    if (spans_counts(b->spans, span, now, &ns))
        stat_groups_add_late(&b->waits, number, 1, ns);
    if (t->counts)
        unlink_waiter(b, &b->objects.v[number], t);
    t->object = 0;
}
