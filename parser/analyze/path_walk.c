#include "parser/analyze/path_walk.h"

/* A thread that the path comes to later waited from then on. */
struct waiter {
    uint32_t object;
    int64_t since;
    uint64_t own;  /* the record before that */
    uint64_t rank; /* how many the path has left before */
};

struct walk {
    struct path_collect *c;
    const struct path_watcher *watcher;
    void *arg;
    int64_t from;
    VEC(struct waiter) waiters; /* by when they began; one for each thread at most */
    VEC(struct waiter) inner;   /* those that are not hidden by a later one, the last on top */
    uint64_t nleft;             /* how many it has left by their wakers */
    struct path_piece now;      /* is not over: what comes before it may be the same */
    bool any, failed;
};

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static void flush(struct walk *w)
{
    if (w->any)
        w->watcher->piece(w->arg, &w->now);
    w->any = false;
}

/* Those that had not begun to wait by then are none any more. */
static void forget(struct walk *w, int64_t now)
{
    while (w->waiters.n && w->waiters.v[w->waiters.n - 1].since >= now)
        w->waiters.n--;
    while (w->inner.n && w->inner.v[w->inner.n - 1].since >= now)
        w->inner.n--;
}

static void hide(struct walk *w, const struct waiter *by)
{
    while (w->inner.n && w->inner.v[w->inner.n - 1].since >= by->since)
        w->inner.n--;
    w->inner.v[w->inner.n++] = *by;
}

static void push(struct walk *w, const struct path_record *woken, const struct path_record *wait)
{
    struct waiter waiter = {woken->object, wait->end, wait->before, w->nleft++};
    if (!VEC_ROOM(&w->waiters) || !VEC_ROOM(&w->inner)) {
        w->failed = true;
        return;
    }
    size_t at = w->waiters.n++;
    for (; at && w->waiters.v[at - 1].since > waiter.since; at--)
        w->waiters.v[at] = w->waiters.v[at - 1];
    w->waiters.v[at] = waiter;
    hide(w, &waiter);
}

static int by_rank(const void *a, const void *b)
{
    const struct waiter *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The path is at a waiter again; those behind that have waited for what it was to do. */
static void forget_behind(struct walk *w, uint64_t rank)
{
    struct waiter *v = w->waiters.v;
    size_t n = 0;
    for (size_t i = 0; i < w->waiters.n; i++)
        if (v[i].rank < rank)
            v[n++] = v[i];
    w->waiters.n = n;
    while (w->inner.cap < n)
        if (!vec_grow((void **)&w->inner.v, &w->inner.cap, sizeof *w->inner.v)) {
            w->failed = true;
            return;
        }
    for (size_t i = 0; i < n; i++)
        w->inner.v[i] = v[i];
    if (n)
        qsort(w->inner.v, n, sizeof *v, by_rank);
    w->inner.n = 0;
    for (size_t i = 0; i < n; i++) {
        struct waiter next = w->inner.v[i];
        hide(w, &next);
    }
}

/* Somebody waited for the object, or, if it is 0, for what the last waiter waited for. */
static void charge(struct walk *w, uint32_t object, int64_t begin, int64_t end)
{
    while (end > begin) {
        forget(w, end);
        const struct waiter *last = w->inner.n ? &w->inner.v[w->inner.n - 1] : NULL;
        int64_t since = object || !last ? begin : later(last->since, begin);
        uint32_t what = object ? object : last ? last->object : 0;
        w->watcher->waited(w->arg, what, (uint64_t)end - (uint64_t)since);
        end = since;
    }
}

static bool goes_on(const struct path_piece *a, const struct path_piece *b)
{
    return a->thread == b->thread && a->state == b->state && a->reason == b->reason && a->what == b->what &&
           a->object == b->object && a->sampled == b->sampled;
}

static void take(struct walk *w, const struct path_piece *p, uint32_t object)
{
    if (p->end <= p->begin)
        return;
    charge(w, object, p->begin, p->end);
    if (w->any && goes_on(&w->now, p)) {
        w->now.begin = p->begin;
        return;
    }
    flush(w);
    w->now = *p;
    w->any = true;
}

static void take_unknown(struct walk *w, const char *why, int64_t begin, int64_t end, uint32_t thread)
{
    take(w,
         &(struct path_piece){.begin = begin,
                              .end = end,
                              .thread = thread,
                              .what = (uint16_t)stat_literal(&w->c->spans.texts, why),
                              .reason = (uint16_t)stat_literal(&w->c->spans.texts, ""),
                              .other = PATH_NOBODY},
         0);
}

static struct path_piece piece_of(const struct path_record *r, int64_t begin, int64_t end)
{
    return (struct path_piece){.begin = begin,
                               .end = end,
                               .thread = r->thread,
                               .reason = r->reason,
                               .what = r->what,
                               .object = (uint16_t)r->object,
                               .state = r->state,
                               .sampled = r->sampled,
                               .other = PATH_NOBODY};
}

/* The wait goes on: who ends it, and where it was, is not known then. */
static struct path_piece unended(struct walk *w, const struct path_record *r, int64_t begin, int64_t end)
{
    uint16_t none = (uint16_t)stat_literal(&w->c->spans.texts, "");
    return (struct path_piece){.begin = begin,
                               .end = end,
                               .thread = r->thread,
                               .reason = none,
                               .what = none,
                               .object = (uint16_t)r->object,
                               .state = GOTRACE_STATE_WAITING,
                               .other = PATH_NOBODY};
}

/* What the thread is doing when all ends, but has not done yet. */
static int64_t begin_with(struct walk *w, const struct path_end *end)
{
    if (end->end < end->to)
        take_unknown(w, "(after its end)", later(end->end, end->from), end->to, end->thread);
    if (!end->next)
        return end->end;
    struct path_record last = path_log_get(&w->c->log, end->last), next = path_log_get(&w->c->log, end->next);
    int64_t begin = later(last.end, w->from);
    struct path_piece p =
        next.kind == PATH_STEP ? piece_of(&next, begin, end->to) : unended(w, &next, begin, end->to);
    take(w, &p, 0);
    return last.end;
}

/*
 * What comes from outside does not come because somebody has begun to wait for it. While others wait as well, it is
 * what decides; before that it is what the last of them did. False: nobody did.
 */
static bool goes_back(struct walk *w, const struct path_record *r, int64_t begin, int64_t now, struct waiter *to)
{
    forget(w, now);
    if (!r->outside || !w->waiters.n || w->waiters.v[w->waiters.n - 1].since <= begin)
        return false;
    *to = w->waiters.v[w->waiters.n - 1];
    return to->since > w->from;
}

static void follow(struct walk *w, uint64_t number, int64_t now)
{
    struct path_log *log = &w->c->log;
    struct path_record r = path_log_get(log, number), before, wait;
    struct path_record link = {.kind = PATH_STEP}; /* what the next piece leads to */
    struct waiter back;
    for (; now > w->from && !log->error && !w->failed; r = before) {
        if (!r.before) {
            take_unknown(w, "(before its first event)", w->from, now, r.thread);
            return;
        }
        if (r.kind == PATH_WOKEN) {
            wait = path_log_get(log, number - 1);
            push(w, &r, &wait);
        }
        number = r.before;
        before = path_log_get(log, number);
        if (r.kind != PATH_STEP) {
            link = r;
            continue;
        }
        bool goes = goes_back(w, &r, before.end, now, &back);
        struct path_piece p = piece_of(&r, goes ? back.since : later(before.end, w->from), now);
        if (link.kind != PATH_STEP) {
            p.other = link.thread;
            p.wakes = (uint16_t)link.object;
            p.made = link.kind == PATH_MADE;
            link.kind = PATH_STEP;
        }
        /* Once it is woken it still waits, for a processor or for its turn. */
        bool waits = r.state == GOTRACE_STATE_RUNNABLE && before.kind == PATH_WOKEN;
        take(w, &p, waits ? before.object : 0);
        now = p.begin;
        if (goes) {
            forget_behind(w, back.rank);
            number = back.own;
            before = path_log_get(log, number);
        }
    }
}

bool path_walk(struct path_collect *c, const struct path_end *end, const struct path_watcher *watcher, void *arg)
{
    struct walk w = {.c = c, .watcher = watcher, .arg = arg, .from = end->from};
    if (end->thread == PATH_NOBODY || !end->last)
        take_unknown(&w, "(no thread)", end->from, end->to, PATH_NOBODY);
    else
        follow(&w, end->last, begin_with(&w, end));
    flush(&w);
    VEC_FREE(&w.waiters);
    VEC_FREE(&w.inner);
    c->failed |= w.failed;
    return !c->failed && !c->log.error;
}
