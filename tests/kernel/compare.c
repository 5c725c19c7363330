/*
 * A sleep of the kernel's goes from the thread's switch-out to its switch-in, so the time in which it was awake already
 * but had to wait for a CPU belongs to it: the thread cannot write in it that it is back. A wait of the trace goes from
 * the event before the call to the GoStart after it. What lies between the two begins, and the two ends, is time in
 * which the thread executes, unless its CPU is taken from it or the call sleeps more than once; that time is left out,
 * by the kernel's own account. by_clock has the figures with what was taken from it.
 */
#include "tests/kernel/compare.h"

#include <inttypes.h>
#include <string.h>

static struct call *call_of(struct comparison *c, const char *name)
{
    for (size_t i = 0; i < c->ncalls; i++)
        if (!strcmp(c->calls[i].name, name))
            return &c->calls[i];
    if (c->ncalls == CALLS)
        return call_of(c, "(others)");
    bool last = c->ncalls == CALLS - 1;
    struct call *call = &c->calls[c->ncalls++];
    snprintf(call->name, sizeof call->name, "%s", last ? "(others)" : name);
    return call;
}

static int64_t shared(int64_t begin, int64_t end, const struct away *a)
{
    return (end < a->end ? end : a->end) - (begin > a->begin ? begin : a->begin);
}

static int64_t overlap(const struct wait *w, const struct away *a) { return shared(w->begin, w->end, a); }

static bool is_asleep(const struct away *a) { return a->state == 'S' || a->state == 'D'; }

static bool slept_in(const struct wait *w, const struct away *a) { return is_asleep(a) && overlap(w, a) > SKEW_NS; }

/* However short it is: who wakes a thread at once wakes it as well. */
static bool dozed_in(const struct wait *w, const struct away *a)
{
    return is_asleep(a) && (overlap(w, a) > SKEW_NS || overlap(w, a) * 2 > a->end - a->begin);
}

static bool is_long(int64_t begin, int64_t end) { return end != NEVER && end - begin > LONG_NS; }

/* ---- one sleep ------------------------------------------------------------------------------------------------- */

/* Of the time in which the switch happened, what is nearest. */
static int64_t in_switch(int64_t from, int64_t to, int64_t time)
{
    return time <= from || to == NEVER ? from : time < to ? time : to;
}

static int64_t begin_at(const struct away *a, int64_t time) { return in_switch(a->begin, a->out, time); }

static int64_t end_at(const struct away *a, int64_t time) { return in_switch(a->end, a->in, time); }

static int64_t apart(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* A wait or a stop, by the clock. */
static bool in_place_by_clock(const struct comparison *c, int64_t begin, int64_t end, const struct away *first,
                              const struct away *last)
{
    return apart(begin, begin_at(first, begin)) <= c->near_ns && apart(end, end_at(last, end)) <= c->near_ns;
}

/* early is the earlier of the two if all is well, with nothing but execution up to late. */
static bool near(const struct comparison *c, const struct kernel_thread *k, int64_t early, int64_t late)
{
    return (early > late ? early - late : kernel_executed(k, early, late)) <= c->near_ns;
}

/* Sleeps of one call taken together, by the clock, with the time that the thread was without a CPU. */
static bool near_by_clock(const struct comparison *c, const struct kernel_thread *k, const struct wait *w)
{
    const struct away *first = NULL, *last = NULL;
    for (size_t i = kernel_away_after(k, w->begin); i < k->aways.n && k->aways.v[i].begin < w->end; i++) {
        if (slept_in(w, &k->aways.v[i])) {
            first = first ? first : &k->aways.v[i];
            last = &k->aways.v[i];
        }
    }
    return first && in_place_by_clock(c, w->begin, w->end, first, last);
}

static enum verdict judge(const struct comparison *c, const struct kernel_thread *k, const struct wait *w,
                          const struct away *a)
{
    /* A system call does other things, too, before it sleeps and after: all of the sleep has to lie within. */
    int64_t begin = begin_at(a, w->begin), end = end_at(a, w->end);
    if (!near(c, k, w->syscall && w->begin < begin ? begin : w->begin, begin))
        return BEGINS_ELSEWHERE;
    return near(c, k, end, w->syscall && w->end > end ? end : w->end) ? AGREES : ENDS_ELSEWHERE;
}

static void tell(FILE *out, const struct trace_thread *t, const struct away *a, const struct wait *w, const char *what)
{
    if (!out)
        return;
    fprintf(out, "thread %" PRIu64 " was away (%c) from %" PRId64 " for %" PRId64 " us: %s", t->tid, a->state, a->begin,
            (a->end - a->begin) / 1000, what);
    if (w)
        fprintf(out, " (%s, %" PRId64 " us before, %" PRId64 " us after)", w->call, (a->begin - w->begin) / 1000,
                w->end == NEVER ? -1 : (w->end - a->end) / 1000);
    fputc('\n', out);
}

static void count_sleep(struct comparison *c, const struct trace_thread *t, const struct kernel_thread *k,
                        const struct away *a, size_t first, FILE *verbose)
{
    const struct wait *w = NULL;
    size_t n = 0;
    for (size_t i = first; i < t->waits.n && t->waits.v[i].begin < a->end; i++) {
        if (overlap(&t->waits.v[i], a) > SKEW_NS) {
            w = w ? w : &t->waits.v[i];
            n++;
        }
    }
    if (!w && a->state == 'D') {
        c->faults++;
        return;
    }
    enum verdict v = !w ? MISSING : n > 1 ? TWICE : judge(c, k, w, a);
    struct call *call = call_of(c, w ? w->call : "(not in the trace)");
    call->sleeps++;
    call->off += v != AGREES;
    if (w && w->syscall) {
        c->in_calls.n++;
        c->in_calls.good += v == AGREES;
    } else {
        c->sleeps.n++;
        c->by_clock.n++;
        c->sleeps.good += v == AGREES;
        bool by_clock = w && n == 1 && near_by_clock(c, k, w);
        c->by_clock.good += by_clock;
        if (w && by_clock != (v == AGREES))
            tell(verbose, t, a, w, by_clock ? "agrees by the clock" : "does not agree by the clock");
    }
    switch (v) {
    case AGREES: return;
    case MISSING: c->missing++; return tell(verbose, t, a, w, "the trace does not know");
    case TWICE: c->twice++; return tell(verbose, t, a, w, "the trace has it twice");
    case BEGINS_ELSEWHERE: c->begins_off++; return tell(verbose, t, a, w, "begins elsewhere");
    case ENDS_ELSEWHERE: c->ends_off++; return tell(verbose, t, a, w, "ends elsewhere");
    }
}

/* ---- one CPU that was taken away -------------------------------------------------------------------------------- */

static const struct stop *stop_of(const struct trace_thread *t, const struct away *a, size_t first)
{
    for (size_t i = first; i < t->stops.n && t->stops.v[i].begin < a->end; i++)
        if (shared(t->stops.v[i].begin, t->stops.v[i].end, a) > SKEW_NS)
            return &t->stops.v[i];
    return NULL;
}

/* wait, stop: the first of the thread's that may be about it. */
static void count_stop(struct comparison *c, const struct trace_thread *t, const struct away *a, size_t wait,
                       size_t stop, FILE *verbose)
{
    const struct stop *s = stop_of(t, a, stop);
    for (size_t i = wait; !s && i < t->waits.n && t->waits.v[i].begin < a->end; i++) {
        if (overlap(&t->waits.v[i], a) > SKEW_NS) {
            c->stops_in_calls++;
            return;
        }
    }
    bool good = s && in_place_by_clock(c, s->begin, s->end, a, a);
    c->stops.n++;
    c->stops.good += good;
    c->stops_missing += !s;
    if (!good)
        tell(verbose, t, a, NULL, s ? "the trace's stop is elsewhere" : "the trace has it running");
}

/* ---- one wait --------------------------------------------------------------------------------------------------- */

static bool starts(const char *name, const char *prefix) { return !strncmp(name, prefix, strlen(prefix)); }

static struct tally *wakeups_of(struct comparison *c, const char *call)
{
    if (starts(call, "pthread_mutex_") || starts(call, "mtx_"))
        return &c->mutex;
    if (starts(call, "pthread_cond_") || starts(call, "cnd_"))
        return &c->cond;
    return starts(call, "sem_") ? &c->sem : NULL;
}

/*
 * The GoUnblock comes before the release that it stands for, so the kernel's wakeup is the first one after it. Where
 * the thread says that nobody woke it, the last one is what ended the wait.
 */
static const struct away *wakeup_of(const struct kernel_thread *k, const struct wait *w)
{
    const struct away *best = NULL;
    for (size_t i = kernel_away_after(k, w->begin); i < k->aways.n && k->aways.v[i].begin < w->end; i++) {
        const struct away *a = &k->aways.v[i];
        if (!dozed_in(w, a) || a->woken == NEVER)
            continue;
        best = a;
        if (a->woken >= w->woken)
            break;
    }
    return best;
}

static void count_wakeup(struct comparison *c, const struct trace_thread *t, const struct kernel_thread *k,
                         const struct wait *w, FILE *verbose)
{
    const struct away *a = w->woken == NEVER ? NULL : wakeup_of(k, w);
    if (!a)
        return;
    bool same = w->waker == (a->waker == WOKEN_BY_TIMER ? t->tid : a->waker);
    struct tally *all = wakeups_of(c, w->call), *own = &call_of(c, w->call)->wakeups;
    own->n++;
    own->good += same;
    if (!all)
        return;
    all->n++;
    all->good += same;
    if (!same && verbose)
        fprintf(verbose, "thread %" PRIu64 " woken at %" PRId64 " in %s: by %" PRIu64 " says the kernel, by %" PRIu64
                         " the trace\n", t->tid, a->woken, w->call, a->waker, w->waker);
}

static void count_wait(struct comparison *c, const struct trace_thread *t, const struct kernel_thread *k,
                       const struct wait *w, FILE *verbose)
{
    uint64_t slept = 0;
    if (w->end == NEVER)
        return;
    for (size_t i = kernel_away_after(k, w->begin); i < k->aways.n && k->aways.v[i].begin < w->end; i++)
        slept += slept_in(w, &k->aways.v[i]);
    if (is_long(w->begin, w->end)) {
        c->waits++;
        c->unslept += !slept;
    }
    c->chained += slept > 1 ? slept : 0;
    count_wakeup(c, t, k, w, verbose);
}

/* Within one of hundred. */
static bool about(int64_t said, int64_t ns) { return said != NEVER && apart(said, ns) * 100 <= ns; }

/* The kernel counts from when a thread can run for the first time, which is before its first event. */
static void count_delay(struct comparison *c, const struct trace *trace, const struct trace_thread *t,
                        const struct kernel_thread *k, FILE *verbose)
{
    int64_t ns = kernel_runnable(k, trace->begin, t->last);
    if (ns < DELAYED_NS)
        return;
    c->delays.n++;
    c->delays.good += about(t->delayed, ns);
    c->delays_shown.n++;
    c->delays_shown.good += about(t->runnable, ns);
    if (verbose && !about(t->delayed, ns))
        fprintf(verbose, "thread %" PRIu64 " had no CPU for %" PRId64 " us, the trace says %" PRId64 "\n", t->tid,
                ns / 1000, t->delayed == NEVER ? -1 : t->delayed / 1000);
}

static void compare_thread(struct comparison *c, const struct trace *trace, const struct trace_thread *t,
                           const struct kernel_thread *k, FILE *verbose)
{
    size_t wait = 0, stop = 0;
    c->runnable += t->runnable;
    c->kernel_runnable += kernel_runnable(k, t->first, t->last);
    count_delay(c, trace, t, k, verbose);
    for (size_t i = 0; i < t->waits.n; i++)
        count_wait(c, t, k, &t->waits.v[i], verbose);
    for (size_t i = kernel_away_after(k, t->first); i < k->aways.n; i++) {
        const struct away *a = &k->aways.v[i];
        if (!is_long(a->begin, a->end) || a->begin < t->first || a->end > t->last)
            continue;
        while (wait < t->waits.n && t->waits.v[wait].end <= a->begin)
            wait++;
        while (stop < t->stops.n && t->stops.v[stop].end <= a->begin)
            stop++;
        if (is_asleep(a))
            count_sleep(c, t, k, a, wait, verbose);
        else if (a->state == 'R')
            count_stop(c, t, a, wait, stop, verbose);
    }
}

void compare(struct comparison *c, const struct trace *t, const struct kernel *k, int64_t near_ns, FILE *verbose)
{
    *c = (struct comparison){.near_ns = near_ns};
    for (size_t i = 0; i < t->threads.n; i++) {
        uint32_t found = idmap_get(&k->by_tid, t->threads.v[i].tid);
        if (found)
            compare_thread(c, t, &t->threads.v[i], &k->threads.v[found - 1], verbose);
    }
}
