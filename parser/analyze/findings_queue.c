/*
 * How many threads execute, and how many would. Where the kernel says who has a processor, those without one are
 * runnable; else they look like executing. Short times without a processor are what a wake-up takes. Long ones have
 * their reason in the program if as many of its threads execute as there are processors, and outside of it if not.
 */
#include "parser/analyze/findings_waits.h"

enum { US = 1000 };

static uint64_t wanted(const struct findings *f) { return f->nrunning + f->nqueued; }

static bool is_crowd(const struct findings *f)
{
    return f->ncpu && wanted(f) >= LIMIT_CROWD * f->ncpu && wanted(f) > f->ncpu + 1;
}

static void pass(struct findings *f, int64_t now)
{
    uint64_t ns = now > f->at ? (uint64_t)now - (uint64_t)f->at : 0;
    f->at = now;
    if (!ns)
        return;
    if (is_crowd(f)) {
        f->crowded += ns;
        f->crowd += ns * wanted(f);
    }
    f->executed += ns * f->nrunning;
}

void findings_run_begins(struct findings *f, int64_t now)
{
    pass(f, now);
    f->nrunning++;
}

void findings_run_ends(struct findings *f, int64_t now)
{
    pass(f, now);
    f->nrunning--;
}

void findings_queue_begins(struct findings *f, uint32_t thread)
{
    if (!f->by_kernel)
        return;
    pass(f, f->spans->live.v[thread].since);
    f->nqueued++;
    f->threads.v[thread].queued = true;
    f->threads.v[thread].executed = f->executed;
}

/* Times of several threads take wall time once. They come in the order in which they end. */
static void note_denied(struct finding_denied *d, int64_t since, int64_t now)
{
    uint64_t ns = (uint64_t)now - (uint64_t)since;
    d->longest = ns > d->longest ? ns : d->longest;
    if (!d->wall || since >= d->until) {
        d->before = d->wall ? d->until : INT64_MIN;
        d->from = since;
        d->wall += ns;
    } else {
        int64_t from = since > d->before ? since : d->before;
        d->wall += (uint64_t)now - (uint64_t)d->until;
        d->wall += from < d->from ? (uint64_t)d->from - (uint64_t)from : 0;
        d->from = from < d->from ? from : d->from;
    }
    d->until = now;
}

void findings_queue_ends(struct findings *f, uint32_t thread, int64_t now)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    if (!f->threads.v[thread].queued)
        return;
    pass(f, now);
    f->threads.v[thread].queued = false;
    f->nqueued--;
    if (now - span->since < LIMIT_DENIED * US)
        return;
    uint64_t ns = (uint64_t)now - (uint64_t)span->since, executed = f->executed - f->threads.v[thread].executed;
    bool fewer = 2 * executed < (2 * f->ncpu - 1) * ns; /* half a thread less than there are processors */
    if (!f->ncpu || !fewer)
        return;
    note_denied(&f->denials, span->since, now);
    stat_groups_add(&f->denied, finding_key(0, span->name, 0), ns);
}
