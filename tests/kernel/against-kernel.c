/*
 * against-kernel [-fsv] [-n US] [-p PROCS] TRACE SCHED: holds a trace of version 1.25 or newer against what `perf
 * script` says that the scheduler did meanwhile. -p: the trace must not have more procs. -s: it was made with
 * --switches, and must know when a thread lost its processor. -n: how far apart the two may put the same moment (50). -f: prints
 * figures, "NAME VALUE" or "NAME GOOD OF". -v: prints each disagreement on stderr. Exit status: 0 they agree, 1 they
 * don't, 2 they cannot be compared. docs/against-the-kernel.md says how both are recorded and what the figures mean.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/compare.h"

enum { AGREE = 0, DISAGREE = 1, UNUSABLE = 2, ENOUGH_SLEEPS = 100, ENOUGH_WAKEUPS = 100 };

static int status;

static void criterion(bool good, const char *what)
{
    printf("%s: %s\n", good ? "holds" : "FAILS", what);
    if (!good)
        status = DISAGREE;
}

static void percentage(const char *name, struct tally t)
{
    printf("%-46s %7" PRIu64 " of %7" PRIu64 "  %6.2f %%\n", name, t.good, t.n,
           t.n ? 100.0 * (double)t.good / (double)t.n : 100.0);
}

static void count(const char *name, uint64_t n) { printf("%-46s %7" PRIu64 "\n", name, n); }

static void by_call(const struct comparison *c)
{
    printf("\n%-28s %8s %8s %10s %8s\n", "sleeps in", "sleeps", "off", "wakeups", "waker");
    for (size_t i = 0; i < c->ncalls; i++) {
        const struct call *call = &c->calls[i];
        printf("%-28s %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64 "\n", call->name, call->sleeps, call->off,
               call->wakeups.n, call->wakeups.good);
    }
}

static struct tally all_wakeups(const struct comparison *c)
{
    return (struct tally){c->mutex.n + c->cond.n + c->sem.n, c->mutex.good + c->cond.good + c->sem.good};
}

static void figure(const char *name, struct tally t) { printf("%s %" PRIu64 " %" PRIu64 "\n", name, t.good, t.n); }

static void figures(const struct comparison *c, const struct trace *t, const struct kernel *k)
{
    figure("sleeps", c->sleeps);
    figure("by_clock", c->by_clock);
    figure("in_calls", c->in_calls);
    figure("in_trace", in_trace(c));
    figure("stops", c->stops);
    figure("delays", c->delays);
    figure("delays_shown", c->delays_shown);
    figure("mutex", c->mutex);
    figure("cond", c->cond);
    figure("sem", c->sem);
    figure("wakers", all_wakeups(c));
    printf("missing %" PRIu64 "\ntwice %" PRIu64 "\nfaults %" PRIu64 "\nunseen %zu\nlost %zu\n", c->missing, c->twice,
           c->faults, k->unseen, k->lost);
    printf("stops_in_calls %" PRIu64 "\nstops_missing %" PRIu64 "\nrunnable_us %" PRId64 "\nkernel_runnable_us %" PRId64
           "\n", c->stops_in_calls, c->stops_missing, c->runnable / 1000, c->kernel_runnable / 1000);
    printf("threads %zu\nprocs %" PRIu64 "\nawake %" PRIu64 "\n", t->threads.n, t->procs, k->awake_at_once);
}

static void report(const struct comparison *c, const struct trace *t, const struct kernel *k)
{
    printf("%zu threads in %.3f s; %zu events of the scheduler\n\n", t->threads.n, 1e-9 * (double)(t->end - t->begin),
           k->events);
    printf("within %" PRId64 " us:\n", c->near_ns / 1000);
    percentage("sleeps over 50 us, by the thread's own time", c->sleeps);
    percentage("  the same by the clock, call by call", c->by_clock);
    percentage("sleeps in system calls that are no waits", c->in_calls);
    count("sleeps that are not in the trace", c->missing);
    count("  begin elsewhere", c->begins_off);
    count("  end elsewhere", c->ends_off);
    count("  in the trace twice", c->twice);
    count("sleeps of calls that slept more than once", c->chained);
    count("not compared: sleeps in page faults", c->faults);
    count("not compared: the kernel left out the end", k->unseen);
    count("waits over 50 us in the trace", c->waits);
    count("  in which the thread did not sleep", c->unslept);
    percentage("woken by the kernel's waker: mutex", c->mutex);
    percentage("  condition variable", c->cond);
    percentage("  semaphore", c->sem);
    percentage("  all three", all_wakeups(c));
    percentage("stops over 50 us, outside of calls", c->stops);
    count("  not in the trace", c->stops_missing);
    count("  not compared: in a call", c->stops_in_calls);
    printf("runnable: %" PRId64 " us in the trace, %" PRId64 " us by the kernel\n", c->runnable / 1000,
           c->kernel_runnable / 1000);
    percentage("threads without a CPU for over 10 ms, told to 1 %", c->delays);
    percentage("  runnable for so long in the trace", c->delays_shown);
    count("procs in the trace", t->procs);
    count("  running at once", t->procs_at_once);
    count("  GOMAXPROCS", t->gomaxprocs);
    count("threads that ran or could have, at once", k->awake_at_once);
    by_call(c);
    putchar('\n');
}

static void criteria(const struct comparison *c, const struct trace *t, const struct kernel *k, uint64_t most_procs,
                     bool switches)
{
    struct tally wakeups = all_wakeups(c);
    criterion(c->sleeps.n >= ENOUGH_SLEEPS, "there are enough sleeps to tell");
    criterion(!k->lost, "the kernel's events are complete");
    criterion(holds(in_trace(c)), "99 % of the sleeps are in the trace");
    criterion(in_place(c->sleeps), "most of them begin and end where the kernel says");
    criterion(!c->twice, "no sleep is in the trace twice");
    criterion(wakeups.n >= ENOUGH_WAKEUPS, "there are enough wakeups to tell");
    criterion(holds(wakeups), "99 % of the wakeups have the right waker");
    criterion(t->procs <= k->awake_at_once, "no more procs than threads that ran or could have at once");
    if (most_procs) /* a thread that sleeps in a page fault keeps its proc: that it sleeps only the kernel knows */
        criterion(t->procs <= most_procs + c->faults, "no more than a handful of procs");
    if (switches)
        criterion(holds((struct tally){c->stops.n, c->stops.n - c->stops_missing}),
                  "99 % of the lost processors are in the trace");
}

int main(int argc, char **argv)
{
    FILE *verbose = NULL;
    uint64_t most_procs = 0;
    int64_t near_ns = NEAR_NS;
    bool switches = false, only_figures = false;
    for (int c; (c = getopt(argc, argv, "fn:p:sv")) != -1;) {
        switch (c) {
        case 'f': only_figures = true; break;
        case 'n': near_ns = 1000 * strtoll(optarg, NULL, 10); break;
        case 's': switches = true; break;
        case 'p': most_procs = strtoull(optarg, NULL, 10); break;
        case 'v': verbose = stderr; break;
        default: return UNUSABLE;
        }
    }
    FILE *sched = argc - optind == 2 ? fopen(argv[optind + 1], "r") : NULL;
    if (!sched) {
        fputs("usage: against-kernel [-fsv] [-n US] [-p PROCS] TRACE SCHED\n", stderr);
        return UNUSABLE;
    }
    struct trace t;
    struct kernel k;
    struct comparison c;
    struct gotrace_reader *r = gotrace_reader_open_path(argv[optind]);
    if (!r || !trace_read(&t, r) || !kernel_read(&k, &t, sched))
        return UNUSABLE;
    compare(&c, &t, &k, near_ns, verbose);
    if (only_figures) {
        figures(&c, &t, &k);
    } else {
        report(&c, &t, &k);
        criteria(&c, &t, &k, most_procs, switches);
    }
    kernel_free(&k);
    trace_free(&t);
    gotrace_reader_free(r);
    fclose(sched);
    return status;
}
