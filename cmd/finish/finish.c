/*
 * Makes a trace of a spool. Event batches are copied, but for their times (trace_time.h); string and stack tables are
 * made here, because only here there are symbols.
 *
 * The recorded program can write anything to its spool. So no path in a spool is ever written to: the trace goes where
 * the caller says, or beside the spool, under the spool's own name.
 */
#include "config.h"

#include "cmd/finish/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/export/memory_file.h"
#include "cmd/finish/finish_write.h"
#include "cmd/finish/heap_profile.h"
#include "cmd/finish/process_life.h"
#include "cmd/finish/recording_read.h"
#include "cmd/finish/spool_claim.h"
#include "cmd/finish/spool_read.h"
#include "cmd/finish/symbol_cache.h"
#include "cmd/finish/trace_path.h"
#include "lib/sched.h"
#include "lib/symbolize/symbolize.h"

static void report_advice(const struct finish_how *how, const struct recording *r)
{
    const struct symbolize_message *m;
    for (size_t i = 0; (m = symbolize_message(r->symbolizer, i)); i++)
        if (rec_modules_worth_reporting(&r->modules, r->exe, m) &&
            !(how->quiet && m->advice == SYMBOLIZE_NO_DEBUG_INFO))
            how->report(how->who, "%s", m->text);
}

enum { HOLDERS_REPORTED = 5 };

/* NULL, or why there is none. The summary gets the stacks that hold the most. */
static const char *make_heap_profile(struct recording *r, const struct spool_header *h, bool went_on,
                                     struct finish_summary *sum)
{
    if (!h->heap.interval)
        return NULL;
    size_t size;
    FILE *holders = memory_file(&sum->holders, &size);
    struct heap_profile *p = heap_profile_new(r, h);
    const char *err = p ? heap_profile_make(p, &r->profile, &r->profile_size) : "out of memory";
    if (p && holders && !went_on)
        heap_profile_report(p, holders, HOLDERS_REPORTED);
    if ((!holders || fclose(holders)) && !err)
        err = "out of memory";
    heap_profile_free(p);
    return err;
}

/* Its process lives and is about to record: the pid is the first thing that it writes. */
static bool is_starting(int fd)
{
    static struct spool_header h;
    return pread(fd, &h, sizeof h, 0) == sizeof h && h.pid && (!kill((pid_t)h.pid, 0) || errno == EPERM);
}

/* Any process that has the spool open can cut it off while it is read. */
static struct {
    const uint8_t *map;
    size_t size;
} reading;

static void spool_vanished(int sig, siginfo_t *info, void *context)
{
    static const char line[] = "thrace: the spool was cut off while it was read\n";
    const uint8_t *at = info->si_addr;
    signal(sig, SIG_DFL);
    if (at < reading.map || at >= reading.map + reading.size)
        return;
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        _exit(FINISH_INVALID);
    _exit(FINISH_INVALID);
}

static void watch(const struct spool_file *f)
{
    struct sigaction sa = {.sa_sigaction = spool_vanished, .sa_flags = SA_SIGINFO};
    reading.map = f->map;
    reading.size = f->size;
    sigaction(SIGBUS, &sa, NULL);
}

/* Makes the trace of the spool's contents. NULL, or why not; then *where is the file at fault. */
static const char *make_trace(const struct finish_how *how, struct spool_file *f, const char *spool,
                              struct finish_summary *sum, const char **where)
{
    struct recording r;
    bool went_on = is_earlier_image(f->header, spool);
    const char *err = recording_read(&r, f);
    r.root = how->root;
    sum->events = r.seen.events;
    sum->nothing = went_on && r.seen.events - r.seen.of_heap <= SCHED_FIRST_THREAD_EVENTS;
    if (!err && !sum->nothing)
        err = finish_prepare(&r, f->header, finish_frequency(f->header), how->progress, sum);
    if (!err && !sum->nothing) {
        report_advice(how, &r);
        finish_summary_short_calls(sum, &r);
        finish_summary_heap(sum, f->header, went_on);
        sum->lost_switches = r.lost_switches;
        sum->lost_wakings = r.lost_wakings;
        const char *why = make_heap_profile(&r, f->header, went_on, sum);
        if (why)
            how->report(how->who, "heap profile: %s", why);
        *where = sum->path;
        err = finish_write(f, &r, sum);
        if (!err && sum->no_switches)
            how->report(how->who, "%s: the switches of threads are left out: %s", sum->path, sum->no_switches);
        if (!err && (why = finish_write_heap(&r, sum)))
            how->report(how->who, "%s.heap.pb.gz: %s", sum->path, why);
    }
    recording_free(&r);
    return err;
}

/* Why it must not be finished now, or NULL. */
static const char *obstacle(const struct spool_header *h, const struct finish_how *how)
{
    static char text[256];
    if (how->of_pid && (h->pid != how->of_pid || h->pid_start != how->of_start))
        return "the process says that this is its spool, and it is not";
    enum life life = process_life(h);
    if (life == LIFE_ON && !how->is_over)
        snprintf(text, sizeof text, "process %u is still recording to it; stop that first", h->pid);
    else if (life == LIFE_UNKNOWN && !how->anyway)
        snprintf(text, sizeof text, "process %u may still be recording to it, in a PID namespace that cannot be seen "
                 "from here; finish it there, or with --anyway when that has ended", h->pid);
    else
        return NULL;
    return text;
}

static enum finish_result finish_claimed(const char *spool, const struct finish_how *how, struct spool_claim *claim,
                                         struct finish_summary *sum)
{
    struct spool_file f;
    const char *err = spool_file_open(&f, claim->fd), *where = spool;
    static char ignored[PATH_MAX];
    if (err) {
        how->report(how->who, "%s: %s", spool, err);
        spool_claim_end(claim, spool, !strcmp(err, SPOOL_EMPTY) && trace_path_of(spool, ignored, sizeof ignored) &&
                                          !is_starting(claim->fd));
        return FINISH_INVALID;
    }
    watch(&f);
    if ((err = obstacle(f.header, how)) ||
        (f.events.n && (err = trace_path_choose(f.header, spool, how->out, sum->path, sizeof sum->path)))) {
        how->report(how->who, "%s: %s", spool, err);
        spool_file_close(&f);
        spool_claim_end(claim, spool, false);
        return FINISH_FAILED;
    }
    if (!f.events.n) {
        how->report(how->who, "%s: " SPOOL_EMPTY, spool);
        spool_file_close(&f);
        spool_claim_end(claim, spool, true);
        return FINISH_INVALID;
    }
    finish_summary_begin(sum, f.header);
    err = make_trace(how, &f, spool, sum, &where);
    uint64_t missing = f.missing;
    spool_file_close(&f);
    if (err) {
        how->report(how->who, "%s: %s; the recording is kept in %s", where, err, spool);
    } else if (missing) {
        how->report(how->who,
                    "%s: the end is missing, %" PRIu64 " bytes and what was not written yet; the trace has what "
                  "came before, and the spool is kept", spool, missing);
    }
    spool_claim_end(claim, spool, !err && !missing);
    return err ? FINISH_FAILED : FINISH_DONE;
}

enum finish_result finish_spool(const char *spool, const struct finish_how *how, struct finish_summary *sum)
{
    struct spool_claim claim;
    memset(sum, 0, sizeof *sum);
    const char *err = symbol_cache_fault();
    if (err)
        how->report(how->who, "%s", err);
    err = spool_claim_open(&claim, spool, how->anyway);
    claim.is_hostile = claim.foreign || how->takes;
    claim.foreign &= !how->takes;
    sum->elsewhere = claim.gone && how->may_be_gone;
    if (err) {
        if (!sum->elsewhere)
            how->report(how->who, "%s: %s", spool, err);
        return sum->elsewhere ? FINISH_DONE : claim.no_file ? FINISH_INVALID : FINISH_FAILED;
    }
    if (claim.foreign && !how->out) {
        how->report(how->who, "%s: it is the spool of another user; say with -o where the trace is to go", spool);
        spool_claim_end(&claim, spool, false);
        return FINISH_FAILED;
    }
    if (spool_claim_lock(&claim))
        return finish_claimed(spool, how, &claim, sum);
    sum->elsewhere = true;
    if (!how->quiet && !how->may_be_gone)
        how->report(how->who, "%s: another process has just finished it", spool);
    spool_claim_end(&claim, spool, false);
    return FINISH_DONE;
}
