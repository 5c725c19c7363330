#include "config.h"

#include "cmd/finish_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/v1_losses.h"

enum { MIN_SAMPLES_FOR_RATE = 20, NOTEWORTHY = 20 };

static void report_samples(const struct spool_samples *s, uint64_t shown)
{
    if (!shown)
        return;
    fprintf(stderr, "%" PRIu64 " CPU sample%s", shown, shown == 1 ? "" : "s");
    if (s->taken >= MIN_SAMPLES_FOR_RATE && s->cpu_ns)
        fprintf(stderr, " (%.0f in a second of CPU time, %" PRIu64 " asked)",
                (double)s->taken * 1e9 / (double)s->cpu_ns, s->hz);
    fputs(", ", stderr);
}

/* Samples that are missing are never passed over. */
static void report_missing_samples(const struct spool_samples *s)
{
    if (s->lost)
        fprintf(stderr, "thrace: %" PRIu64 " CPU samples found no room and are lost\n", s->lost);
    if (s->threads_unsampled)
        fprintf(stderr, "thrace: %" PRIu32 " threads have no CPU samples: the limit of pending signals is reached "
                "(ulimit -i)\n", s->threads_unsampled);
    if (s->perf_error && s->threads_by_timer)
        fprintf(stderr, "thrace: %" PRIu64 " CPU samples a second need perf_event_open (%s); instead there was a "
                "timer, and %" PRIu64 " of them repeat the one before\n",
                s->hz, strerror((int)s->perf_error), s->repeats);
    else if (s->threads_by_perf && s->repeats >= s->taken / NOTEWORTHY && s->repeats)
        fprintf(stderr, "thrace: %" PRIu64 " of the CPU samples repeat the one before: time in the kernel is looked at "
                "once in a tick, and counted in full\n", s->repeats);
    if (s->missed > s->taken / NOTEWORTHY)
        fprintf(stderr, "thrace: the kernel has skipped %" PRIu64 " CPU samples\n", s->missed);
}

static const char *const lost_texts[LOST_KINDS][2] = {
#define THRACE_LOST(name, one, many) [LOST_##name] = {one, many},
#include "lib/losses.def"
#undef THRACE_LOST
};

static const char *const loss_texts[LOSS_REASONS] = {
#define THRACE_LOSS(name, text) [LOSS_##name] = text,
#include "lib/losses.def"
#undef THRACE_LOSS
};

/* A line for each reason. */
static void report_losses(const struct finish_summary *s)
{
    for (int why = 0; why < LOSS_REASONS; why++) {
        const uint64_t *lost = &s->losses[why * LOST_KINDS];
        int kinds = 0, left;
        for (int what = 0; what < LOST_KINDS; what++)
            kinds += lost[what] != 0;
        left = kinds;
        for (int what = 0; what < LOST_KINDS; what++)
            if (lost[what])
                fprintf(stderr, "%s%" PRIu64 " %s", left-- == kinds ? "thrace: " : left ? ", " : " and ", lost[what],
                        lost_texts[what][lost[what] != 1]);
        if (kinds)
            fprintf(stderr, " %s\n", loss_texts[why]);
    }
    if (s->lost_most)
        fprintf(stderr, "thrace: goroutine %" PRIu64 " lost the most of them, %" PRIu64 "\n", s->lost_most_g, s->lost_most);
    if (s->lost_stacks)
        fprintf(stderr, "thrace: %" PRIu64 " events have no stack: a generation has room for so many, THRACE_PERIOD makes "
                "it shorter\n", s->lost_stacks);
}

/* Says why a trace has next to nothing in it. */
static void report_unseen(const struct spool_unseen *u)
{
    bool one = u->threads == 1;
    if (u->threads)
        fprintf(stderr,
                "thrace: %" PRIu32 " thread%s of the program %s not in the trace: made without pthread_create, "
                "and without a call that is recorded\n",
                u->threads, one ? "" : "s", one ? "is" : "are");
    if (u->go)
        fputs("thrace: what the program's code in Go waits for is not in the trace, because its runtime "
              "calls no function of libc for that: runtime/trace records it\n",
              stderr);
    if (u->execs == SPOOL_EXEC_UNRECORDED)
        fputs("thrace: the program went on as another one (exec), which is not in this trace: its spool could not be "
              "renamed, as when nine of earlier programs are there\n",
              stderr);
    else if (u->execs)
        fputs("thrace: the program went on as another one (exec), which did not load the recorder and is not in the "
              "trace: its environment had lost LD_PRELOAD, or it cannot be preloaded\n",
              stderr);
}

static void report_lost_switches(const struct finish_summary *s)
{
    if (s->lost_switches)
        fprintf(stderr, "thrace: the kernel noted %" PRIu64 " switches of threads that found no room: who lost the "
                "processor at such a time looks like running\n", s->lost_switches);
    if (s->lost_wakings)
        fprintf(stderr, "thrace: the kernel noted %" PRIu64 " wakeups, of all programs, that found no room: wakers at "
                "such a time are those that the program shows\n", s->lost_wakings);
}

/* Not of a few milliseconds, which the generation with a suspension may be measured too long by. */
static void report_suspensions(const struct finish_summary *s)
{
    if (s->suspended_ns > 10000000)
        fprintf(stderr, "thrace: the machine was suspended meanwhile, for %.1f s in all: the trace has that as time "
                "in which nothing changes\n", (double)s->suspended_ns / 1e9);
}

static void report_damage(const struct finish_summary *s)
{
    if (s->excess_samples)
        fprintf(stderr, "thrace: the recording is damaged: %" PRIu64 " CPU samples are more than there was time for, "
                "and left out\n", s->excess_samples);
}

/*
 * As thrace print, validate and stat count them: with samples, and the Sync events around generations. Of a trace of v1
 * this is what it was made of.
 */
static uint64_t events_in_trace(const struct finish_summary *s)
{
    return s->rewritten ? s->rewritten : s->events + s->opening + s->samples_in_trace + s->generations + 1;
}

void finish_report(const struct finish_summary *s)
{
    fprintf(stderr, "thrace: %" PRIu64 " thread%s, %" PRIu64 " events, %" PRIu64 " generation%s, %" PRIu64 " lost%s, ",
            s->threads, s->threads == 1 ? "" : "s", events_in_trace(s), s->generations, s->generations == 1 ? "" : "s",
            s->lost, s->heap);
    report_samples(&s->samples, s->samples_in_trace);
    fprintf(stderr, "%" PRIu64 " bytes: %s\n", s->bytes, s->path);
    report_losses(s);
    report_missing_samples(&s->samples);
    report_lost_switches(s);
    report_unseen(&s->unseen);
    report_suspensions(s);
    report_damage(s);
    report_v1_losses("finish", &s->v1_losses);
    if (s->holders)
        fputs(s->holders, stderr);
    if (s->has_heap_file)
        fprintf(stderr, "thrace: heap profile: %s.heap.pb.gz\n", s->path);
    if (s->cut)
        fprintf(stderr,
                "thrace: the recording ends in the middle of a wakeup: the last %" PRIu64 " events of some threads"
                " rest on one that is missing, and were cut\n",
                s->cut);
    if (*s->short_calls)
        fprintf(stderr, "thrace: too short to be in the trace: %s\n", s->short_calls);
}
