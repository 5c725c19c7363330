/*
 * thrace finish: a spool into a trace. Event batches are copied, but for their times (trace_time.h); string and stack
 * tables are made here, because only here there are symbols.
 */
#include "config.h"

#include "cmd/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/cut.h"
#include "cmd/heap_in_trace.h"
#include "cmd/heap_profile.h"
#include "cmd/recording.h"
#include "cmd/spool_read.h"
#include "cmd/trace_time.h"
#include "lib/sched.h"
#include "lib/symbolize/symbolize.h"

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int copy_batch(gotrace_builder *b, const struct trace_time *t, const struct spool_batch *batch, uint64_t last)
{
    uint8_t header[BATCH_HEADER_MAX], events[TRACE_TIME_BATCH_MAX];
    const uint8_t *end = trace_time_copy(t, events, batch);
    if (!end)
        return -1;
    size_t size = (size_t)(end - events);
    size_t n = batch_header_put(header, EV_EventBatch, batch->generation, batch->m, trace_time_of(t, batch->time),
                                size);
    return gotrace_builder_copy(b, header, n, last) || gotrace_builder_copy(b, events, size, last) ? -1 : 0;
}

/* The clocks of the recording are those of this machine, which has not been started anew since. */
static bool clocks_still_run(const struct spool_header *h, struct clock_pair now)
{
    enum { TOLERANCE_NS = 1000000 };
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    int64_t wall = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - (int64_t)h->start_realtime_ns;
    int64_t gone = (int64_t)(now.mono_ns - h->first.mono_ns);
    return llabs(wall - gone) < TOLERANCE_NS;
}

/*
 * The recording's own two readings of both clocks give the frequency. They may be too close: then a reading of today is
 * the second one, if the clocks still run; else the counter of this machine is measured, for 10 ms.
 */
static uint64_t frequency(const struct spool_header *h)
{
    uint64_t hz = clock_frequency(&h->clock, h->first, h->last);
    if (hz)
        return hz;
    struct clock_pair now = clock_read_pair(&h->clock);
    if (clocks_still_run(h, now) && (hz = clock_frequency(&h->clock, h->first, now)))
        return hz;
    usleep(10000);
    hz = clock_frequency(&h->clock, now, clock_read_pair(&h->clock));
    return hz ? hz : 1000000000;
}

/* What the clocks showed at a time of the trace, by the readings that the recording began with. */
static int write_sync(gotrace_builder *b, const struct spool_header *h, const struct trace_time *t, uint64_t time)
{
    double since = ((double)time - (double)trace_time_of(t, h->first.ticks)) / (double)t->hz * 1e9;
    int64_t ns = since > -1e18 && since < 1e18 ? (int64_t)since : 0;
    uint64_t wall = h->start_realtime_ns + (uint64_t)ns;
    return gotrace_builder_sync(b, t->hz, time, h->first.mono_ns + (uint64_t)ns, wall / 1000000000, wall % 1000000000);
}

/* A pipe cannot tell how much was written to it. */
struct counted {
    FILE *file;
    uint64_t *bytes;
};

static int write_counted(void *ctx, const void *buf, size_t size)
{
    const struct counted *c = ctx;
    *c->bytes += size;
    return fwrite(buf, 1, size, c->file) == size ? 0 : -1;
}

static const char *write_trace(const struct spool_file *f, struct recording *r, FILE *out, struct finish_summary *sum)
{
    const struct spool_header *h = f->header;
    struct counted counted = {out, &sum->bytes};
    gotrace_builder *b = gotrace_builder_callback((int)h->trace_version, write_counted, &counted);
    if (!b)
        return "the trace version in the spool is not supported";
    const struct trace_time *t = &r->time;
    uint64_t last = trace_time_of(t, r->seen.last);
    const char *err = NULL;
    bool failed = false;
    for (size_t i = 0; i < f->events.n && !failed; i++) {
        const struct spool_batch *batch = &f->events.v[i];
        if (!i || batch->generation != f->events.v[i - 1].generation) {
            uint64_t time = trace_time_of(t, batch->time);
            failed = gotrace_builder_generation(b, batch->generation) || write_sync(b, h, t, time) ||
                     recording_write_tables(r, b, batch->generation) ||
                     heap_types_write(&r->seen.types, b, batch->generation, time) ||
                     (!sum->generations && r->profile && heap_in_trace_write(b, r->profile, r->profile_size));
            sum->generations++;
        }
        failed = failed || copy_batch(b, t, batch, last);
    }
    if (failed || gotrace_builder_finish(b)) {
        static char text[256];
        snprintf(text, sizeof text, "%s", gotrace_builder_error(b));
        err = *text ? text : "the spool's events are damaged";
    }
    gotrace_builder_free(b);
    return err;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The trace appears under its name only when it is complete. Like the spool it is its owner's only. */
static FILE *open_beside(const char *path, char *temp, size_t size)
{
    snprintf(temp, size, "%s.%ld.tmp", path, (long)getpid());
    unlink(temp);
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* OUT.N.spool: the process went on to execute another program. */
static bool is_earlier_image(const struct spool_header *h, const char *spool)
{
    const char *slash = strrchr(spool, '/'), *name = slash ? slash + 1 : spool, *base = strrchr(h->out, '/') + 1;
    size_t len = strlen(base);
    return strlen(name) == len + 8 && !strncmp(name, base, len) && name[len] == '.' && name[len + 1] >= '1' &&
           name[len + 1] <= '9' && !strcmp(name + len + 2, ".spool");
}

/*
 * OUT.N.spool becomes OUT.N. A file at `path` that is newer than the recording is another process's: then ours gets the
 * pid in its name.
 */
static void choose_path(const struct spool_header *h, const char *spool, const char *out, char *path, size_t size)
{
    struct stat st;
    size_t len = strlen(spool);
    bool earlier = !out && is_earlier_image(h, spool);
    snprintf(path, size, "%s%.*s", out ? out : h->out, earlier ? 2 : 0, earlier ? spool + len - 8 : "");
    if (!out && !stat(path, &st) && S_ISREG(st.st_mode) &&
        (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec > h->start_realtime_ns)
        snprintf(path, size, "%s.%u", h->out, h->pid);
}

static bool is_plain_target(const char *path)
{
    struct stat st;
    return stat(path, &st) || S_ISREG(st.st_mode);
}

static const char *write_plain(const struct spool_file *f, struct recording *r, const char *temp,
                               struct finish_summary *sum, FILE *out)
{
    if (!out)
        return strerror(errno);
    sum->bytes = sum->generations = 0;
    const char *err = write_trace(f, r, out, sum);
    if ((fflush(out) || ferror(out)) && !err)
        err = strerror(errno);
    if (fclose(out) && !err)
        err = strerror(errno);
    if (temp && err)
        unlink(temp);
    return err;
}

enum { MAX_CUTS = 64 };

/* What a reader could not place. Without an end the last generation may lack what all the rest of it rests on. */
static uint64_t cut_what_hangs(struct spool_file *f, const char *trace)
{
    uint64_t n = cut_unplaced(f, trace);
    return n || !f->missing || is_whole(trace) ? n : cut_generation(f);
}

/* The trace of a process that was killed is read once, and made anew without what cannot be placed. */
static const char *write_file(struct spool_file *f, struct recording *r, struct finish_summary *sum)
{
    char temp[sizeof sum->path + 32];
    if (!is_plain_target(sum->path))
        return write_plain(f, r, NULL, sum, fopen(sum->path, "we"));
    bool killed = f->header->state == SPOOL_RECORDING || f->missing;
    const char *err = write_plain(f, r, temp, sum, open_beside(sum->path, temp, sizeof temp));
    for (int i = 0; killed && !err && i < MAX_CUTS; i++) {
        uint64_t cut = cut_what_hangs(f, temp);
        if (!cut)
            break;
        sum->cut += cut;
        sum->events -= cut;
        err = write_plain(f, r, temp, sum, open_beside(sum->path, temp, sizeof temp));
    }
    if (!err && rename(temp, sum->path)) {
        err = strerror(errno);
        unlink(temp);
    }
    return err;
}

static void tell_advice(const char *verb, const struct recording *r, bool quiet)
{
    const struct symbolize_message *m;
    for (size_t i = 0; (m = symbolize_message(r->symbolizer, i)); i++)
        if (recording_worth_telling(r, m) && !(quiet && m->advice == SYMBOLIZE_NO_DEBUG_INFO))
            complain(verb, "%s", m->text);
}

static int by_ticks(const void *a, const void *b)
{
    const struct rec_calls *x = a, *y = b;
    return x->ticks < y->ticks ? 1 : x->ticks > y->ticks ? -1 : 0;
}

static const char *function_of(const struct recording *r, uint64_t pc)
{
    for (size_t i = 0; i < r->nhooks; i++)
        if (r->hooks[i].pc == pc)
            return r->hooks[i].name;
    return "others";
}

static void tell_short_calls(struct recording *r, struct finish_summary *sum)
{
    double ms = 1000.0 / (double)r->time.hz;
    size_t n = 0;
    if (r->ncalls)
        qsort(r->calls, r->ncalls, sizeof *r->calls, by_ticks);
    for (size_t i = 0; i < r->ncalls && n < sizeof sum->short_calls - 128; i++)
        n += (size_t)snprintf(sum->short_calls + n, sizeof sum->short_calls - n, "%s%" PRIu64 " %s (%.3f ms)",
                              i ? ", " : "", r->calls[i].calls, function_of(r, r->calls[i].pc),
                              (double)trace_time_of(&r->time, r->calls[i].ticks) * ms);
}

enum { HOLDERS_TOLD = 5 };

static void tell_heap(const struct spool_header *h, struct finish_summary *sum)
{
    const char *when = h->state == SPOOL_COMPLETE ? "" : " when last looked";
    if (h->heap.state == SPOOL_HEAP_COUNTED && (!*when || h->heap.peak)) {
        int n = snprintf(sum->heap, sizeof sum->heap, ", heap %" PRId64 " bytes%s, at most %" PRId64, h->heap.live,
                         when, h->heap.peak);
        if (h->heap.mapped > 0)
            snprintf(sum->heap + n, sizeof sum->heap - (size_t)n, ", %" PRId64 " mapped", h->heap.mapped);
    }
    else if (h->heap.state == SPOOL_HEAP_FOREIGN)
        snprintf(sum->heap, sizeof sum->heap, ", heap not counted");
}

/* What holds the most is told by finish_report. */
static void make_heap_profile(const char *verb, struct recording *r, const struct spool_header *h,
                              struct finish_summary *sum)
{
    if (!h->heap.interval)
        return;
    size_t size;
    FILE *holders = open_memstream(&sum->holders, &size);
    struct heap_profile *p = heap_profile_new(r, h);
    const char *err = p ? heap_profile_make(p, &r->profile, &r->profile_size) : "out of memory";
    if (p && holders)
        heap_profile_tell(p, holders, HOLDERS_TOLD);
    if (holders)
        fclose(holders);
    if (err)
        complain(verb, "heap profile: %s", err);
    heap_profile_free(p);
}

/* PATH.heap.pb.gz: the same beside the trace. */
static void write_heap_file(const char *verb, const struct recording *r, struct finish_summary *sum)
{
    char path[sizeof sum->path + 16], temp[sizeof path + 32];
    if (!r->profile || !is_plain_target(sum->path))
        return;
    snprintf(path, sizeof path, "%s.heap.pb.gz", sum->path);
    FILE *out = open_beside(path, temp, sizeof temp);
    bool ok = out && fwrite(r->profile, 1, r->profile_size, out) == r->profile_size;
    int err = errno;
    if (out && fclose(out) && ok) {
        ok = false;
        err = errno;
    }
    sum->has_heap_file = ok && !rename(temp, path);
    if (sum->has_heap_file)
        return;
    complain(verb, "%s: %s", path, strerror(ok ? errno : err));
    if (out)
        unlink(temp);
}

/* Its process lives and is about to record: the pid is the first thing that it writes. */
static bool is_being_born(const char *spool)
{
    static struct spool_header h;
    int fd = open(spool, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool read_it = fd >= 0 && read(fd, &h, sizeof h) == sizeof h;
    if (fd >= 0)
        close(fd);
    return read_it && h.pid && (!kill((pid_t)h.pid, 0) || errno == EPERM);
}

static int finish_claimed(const char *verb, const char *spool, const char *out, bool quiet, struct finish_summary *sum)
{
    struct spool_file f;
    struct recording r = {0};
    const char *err = spool_file_open(&f, spool);
    if (err) {
        complain(verb, "%s: %s", spool, err);
        size_t len = strlen(spool);
        int status = access(spool, R_OK) ? EXIT_USAGE : EXIT_INVALID;
        if (!strcmp(err, SPOOL_UNBORN) && len > 6 && !strcmp(spool + len - 6, ".spool") && !is_being_born(spool))
            unlink(spool);
        return status;
    }
    if (spool_file_owner_lives(&f)) {
        complain(verb, "%s: process %u is still recording to it; stop that first", spool, f.header->pid);
        spool_file_close(&f);
        return EXIT_USAGE;
    }
    if (!f.events.n) {
        complain(verb, "%s: " SPOOL_UNBORN, spool);
        spool_file_close(&f);
        unlink(spool);
        return EXIT_INVALID;
    }
    choose_path(f.header, spool, out, sum->path, sizeof sum->path);
    sum->threads = f.header->nthreads;
    sum->samples = f.header->samples;
    if (f.header->state != SPOOL_COMPLETE)
        sum->samples.cpu_ns = 0; /* a second old */
    sum->lost = f.header->lost_events + f.header->lost_stacks;
    const char *where = spool;
    err = recording_read(&r, &f);
    sum->events = r.seen.events;
    sum->nothing = is_earlier_image(f.header, spool) && r.seen.events - r.seen.of_heap <= SCHED_FIRST_THREAD_EVENTS;
    if (!err && !sum->nothing)
        err = recording_symbolize(&r);
    if (!err && !sum->nothing) {
        trace_time_init(&r.time, frequency(f.header));
        tell_advice(verb, &r, quiet);
        tell_short_calls(&r, sum);
        tell_heap(f.header, sum);
        make_heap_profile(verb, &r, f.header, sum);
        where = sum->path;
        err = write_file(&f, &r, sum);
        if (!err)
            write_heap_file(verb, &r, sum);
    }
    uint64_t missing = f.missing;
    recording_free(&r);
    spool_file_close(&f);
    if (err) {
        complain(verb, "%s: %s; the recording is kept in %s", where, err, spool);
        return EXIT_USAGE;
    }
    if (missing)
        complain(verb, "%s: the end is missing, %" PRIu64 " bytes and what was not written yet; the trace has what came"
                 " before, and the spool is kept", spool, missing);
    else
        unlink(spool);
    return EXIT_OK;
}

/* A spool that others finish as well, `thrace stop` and the process that ends for two: one of them makes the trace. */
static int claim(const char *spool, bool *gone)
{
    struct stat st;
    int fd = open(spool, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *gone = fd >= 0 && !flock(fd, LOCK_EX) && !fstat(fd, &st) && !st.st_nlink;
    return fd;
}
int finish_spool(const char *verb, const char *spool, const char *out, bool quiet, struct finish_summary *sum)
{
    int status = EXIT_OK;
    memset(sum, 0, sizeof *sum);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error to report */
    int fd = claim(spool, &sum->elsewhere);
    if (!sum->elsewhere)
        status = finish_claimed(verb, spool, out, quiet, sum);
    else if (!quiet)
        complain(verb, "%s: another process has just finished it", spool);
    if (fd >= 0)
        close(fd);
    return status;
}
enum { MIN_SAMPLES_FOR_RATE = 20, NOTEWORTHY = 20 };

static void report_samples(const struct spool_samples *s)
{
    if (!s->taken)
        return;
    fprintf(stderr, "%" PRIu64 " CPU sample%s", s->taken, s->taken == 1 ? "" : "s");
    if (s->taken >= MIN_SAMPLES_FOR_RATE && s->cpu_ns)
        fprintf(stderr, " (%.0f in a second of CPU time, %" PRIu64 " asked)",
                (double)s->taken * 1e9 / (double)s->cpu_ns, s->hz);
    fputs(", ", stderr);
}

/* Nothing is missing without a word. */
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

void finish_report(const struct finish_summary *s)
{
    fprintf(stderr, "thrace: %" PRIu64 " thread%s, %" PRIu64 " events, %" PRIu64 " generation%s, %" PRIu64 " lost%s, ",
            s->threads, s->threads == 1 ? "" : "s", s->events, s->generations, s->generations == 1 ? "" : "s", s->lost,
            s->heap);
    report_samples(&s->samples);
    fprintf(stderr, "%" PRIu64 " bytes: %s\n", s->bytes, s->path);
    report_missing_samples(&s->samples);
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

/* --- the verb ----------------------------------------------------------------------------------------------------- */

static void usage(FILE *to)
{
    fputs("usage: thrace finish [-iq] [-o FILE] SPOOL…\n"
          "Makes a trace of each spool that a recording left behind, and removes the spool.\n"
          "  -o FILE  write the trace there, not where the recording was to go; for one spool\n"
          "  -i       pass over a spool that is not there: somebody else has finished it\n"
          "  -q       no summary, and no word about missing debug info\n",
          to);
}

int cmd_finish(int argc, char **argv)
{
    const char *out = NULL;
    bool quiet = false, gone_is_fine = false;
    for (int c; (c = getopt(argc, argv, "+hio:q")) != -1;) {
        switch (c) {
        case 'h': usage(stdout); return EXIT_OK;
        case 'i': gone_is_fine = true; break;
        case 'o': out = optarg; break;
        case 'q': quiet = true; break;
        default: usage(stderr); return EXIT_USAGE;
        }
    }
    if (optind == argc || (out && optind + 1 != argc)) {
        usage(stderr);
        return EXIT_USAGE;
    }
    int worst = EXIT_OK;
    for (int i = optind; i < argc; i++) {
        struct finish_summary sum;
        if (gone_is_fine && access(argv[i], F_OK))
            continue;
        int status = finish_spool("finish", argv[i], out, quiet, &sum);
        if (!status && !quiet && !sum.nothing && !sum.elsewhere)
            finish_report(&sum);
        if (status > worst)
            worst = status;
    }
    return worst;
}
