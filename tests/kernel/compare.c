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

static int64_t overlap(const struct wait *w, const struct away *a)
{
    int64_t begin = w->begin > a->begin ? w->begin : a->begin, end = w->end < a->end ? w->end : a->end;
    return end - begin;
}

static bool is_asleep(const struct away *a) { return a->state == 'S' || a->state == 'D'; }

static bool slept_in(const struct wait *w, const struct away *a) { return is_asleep(a) && overlap(w, a) > SKEW_NS; }

static bool is_long(int64_t begin, int64_t end) { return end != NEVER && end - begin > LONG_NS; }

/* ---- one sleep ------------------------------------------------------------------------------------------------- */

static int64_t apart(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* early is the earlier of the two if all is well, with nothing but execution up to late. */
static bool near(const struct kernel_thread *k, int64_t early, int64_t late)
{
    return early > late ? early - late <= NEAR_NS : kernel_executed(k, early, late) <= NEAR_NS;
}

/* Sleeps of one call taken together, by the clock, with the time that the thread was without a CPU. */
static bool near_by_clock(const struct kernel_thread *k, const struct wait *w)
{
    const struct away *first = NULL, *last = NULL;
    for (size_t i = kernel_away_after(k, w->begin); i < k->aways.n && k->aways.v[i].begin < w->end; i++) {
        if (slept_in(w, &k->aways.v[i])) {
            first = first ? first : &k->aways.v[i];
            last = &k->aways.v[i];
        }
    }
    return first && apart(w->begin, first->begin) <= NEAR_NS && apart(w->end, last->end) <= NEAR_NS;
}

static enum verdict judge(const struct kernel_thread *k, const struct wait *w, const struct away *a)
{
    if (!near(k, w->begin, a->begin))
        return BEGINS_ELSEWHERE;
    return near(k, a->end, w->end) ? AGREES : ENDS_ELSEWHERE;
}

static void tell(FILE *out, const struct trace_thread *t, const struct away *a, const struct wait *w, const char *what)
{
    if (!out)
        return;
    fprintf(out, "thread %" PRIu64 " slept (%c) from %" PRId64 " for %" PRId64 " us: %s", t->tid, a->state, a->begin,
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
    enum verdict v = !w ? MISSING : n > 1 ? TWICE : judge(k, w, a);
    struct call *call = call_of(c, w ? w->call : "(not in the trace)");
    call->sleeps++;
    call->off += v != AGREES;
    c->sleeps.n++;
    c->by_clock.n++;
    c->sleeps.good += v == AGREES;
    c->by_clock.good += v == AGREES && near_by_clock(k, w);
    switch (v) {
    case AGREES: return;
    case MISSING: c->missing++; return tell(verbose, t, a, w, "the trace does not know");
    case TWICE: c->twice++; return tell(verbose, t, a, w, "the trace has it twice");
    case BEGINS_ELSEWHERE: c->begins_off++; return tell(verbose, t, a, w, "begins elsewhere");
    case ENDS_ELSEWHERE: c->ends_off++; return tell(verbose, t, a, w, "ends elsewhere");
    }
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
        if (!slept_in(w, a) || a->woken == NEVER)
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
    bool same = w->waker == a->waker;
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

void compare(struct comparison *c, const struct trace *t, const struct kernel *k, FILE *verbose)
{
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < t->threads.n; i++) {
        const struct trace_thread *thread = &t->threads.v[i];
        uint32_t found = idmap_get(&k->by_tid, thread->tid);
        if (!found)
            continue;
        const struct kernel_thread *seen = &k->threads.v[found - 1];
        for (size_t j = 0; j < thread->waits.n; j++)
            count_wait(c, thread, seen, &thread->waits.v[j], verbose);
        size_t wait = 0;
        for (size_t j = kernel_away_after(seen, thread->first); j < seen->aways.n; j++) {
            const struct away *a = &seen->aways.v[j];
            if (!is_asleep(a) || !is_long(a->begin, a->end) || a->begin < thread->first || a->end > thread->last)
                continue;
            while (wait < thread->waits.n && thread->waits.v[wait].end <= a->begin)
                wait++;
            count_sleep(c, thread, seen, a, wait, verbose);
        }
    }
}
