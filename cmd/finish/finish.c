/*
 * thrace finish: a spool into a trace. Event batches are copied, but for their times (trace_time.h); string and stack
 * tables are made here, because only here there are symbols.
 *
 * The recorded program can write to its spool, and so say anything in it. No path that a spool has in it is ever
 * written to: the trace goes where the caller says, or beside the spool, under the spool's own name.
 */
#include "config.h"

#include "cmd/finish/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/cmd.h"
#include "cmd/finish/finish_write.h"
#include "cmd/finish/heap_profile.h"
#include "cmd/finish/process_life.h"
#include "cmd/finish/recording.h"
#include "cmd/finish/spool_claim.h"
#include "cmd/finish/spool_read.h"
#include "lib/options/options.h"
#include "lib/sched.h"
#include "lib/symbolize/symbolize.h"

/* OUT.N.spool: the process went on to execute another program. */
static bool is_earlier_image(const struct spool_header *h, const char *spool)
{
    const char *slash = strrchr(spool, '/'), *name = slash ? slash + 1 : spool;
    const char *out_slash = strrchr(h->out, '/'), *base = out_slash ? out_slash + 1 : h->out;
    size_t len = strlen(base);
    return strlen(name) == len + 8 && !strncmp(name, base, len) && name[len] == '.' && name[len + 1] >= '1' &&
           name[len + 1] <= '9' && !strcmp(name + len + 2, ".spool");
}

bool finish_path(const char *spool, char *path, size_t size)
{
    size_t len = strlen(spool), end = len - strlen(".spool");
    if (len <= strlen(".spool") || spool[end - 1] == '/' || strcmp(spool + end, ".spool") || end >= size)
        return false;
    memcpy(path, spool, end);
    path[end] = 0;
    return true;
}

/*
 * A file beside the spool that is newer than the recording is another process's: then ours gets the pid in its name.
 * NULL, or why there is none.
 */
static const char *choose_path(const struct spool_header *h, const char *spool, const char *out, char *path,
                               size_t size)
{
    struct stat st;
    if (out)
        return snprintf(path, size, "%s", out) < (int)size ? NULL : "the path is too long";
    if (!finish_path(spool, path, size))
        return "its name does not end in .spool; say with -o where the trace is to go";
    if (stat(path, &st) || !S_ISREG(st.st_mode) ||
        (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec <= h->start_realtime_ns)
        return NULL;
    size_t len = strlen(path);
    snprintf(path + len, size - len, ".%u", h->pid);
    return lstat(path, &st) ? NULL
                            : "the trace and one with the pid in its name are there; say with -o where it is to go";
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

/* A program that executed another one left what it had when somebody last looked. That is gone. */
static void tell_heap(const struct spool_header *h, bool went_on, struct finish_summary *sum)
{
    const char *when = h->state != SPOOL_RECORDING ? "" : " when last looked";
    if (went_on)
        return;
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
static void make_heap_profile(const char *verb, struct recording *r, const struct spool_header *h, bool went_on,
                              struct finish_summary *sum)
{
    if (!h->heap.interval)
        return;
    size_t size;
    FILE *holders = open_memstream(&sum->holders, &size);
    struct heap_profile *p = heap_profile_new(r, h);
    const char *err = p ? heap_profile_make(p, &r->profile, &r->profile_size) : "out of memory";
    if (p && holders && !went_on)
        heap_profile_tell(p, holders, HOLDERS_TOLD);
    if (holders)
        fclose(holders);
    if (err)
        complain(verb, "heap profile: %s", err);
    heap_profile_free(p);
}

/* Its process lives and is about to record: the pid is the first thing that it writes. */
static bool is_being_born(int fd)
{
    static struct spool_header h;
    return pread(fd, &h, sizeof h, 0) == sizeof h && h.pid && (!kill((pid_t)h.pid, 0) || errno == EPERM);
}

/* Whoever has the spool open can cut it off while it is read. */
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
        _exit(EXIT_INVALID);
    _exit(EXIT_INVALID);
}

static void watch(const struct spool_file *f)
{
    struct sigaction sa = {.sa_sigaction = spool_vanished, .sa_flags = SA_SIGINFO};
    reading.map = f->map;
    reading.size = f->size;
    sigaction(SIGBUS, &sa, NULL);
}

/* Makes the trace of what is in the spool. NULL, or why not; what is wrong then is *where. */
static const char *make_trace(const char *verb, const struct finish_how *how, struct spool_file *f, const char *spool,
                              struct finish_summary *sum, const char **where)
{
    struct recording r;
    const char *err = recording_read(&r, f);
    sum->events = r.seen.events;
    sum->nothing = is_earlier_image(f->header, spool) && r.seen.events - r.seen.of_heap <= SCHED_FIRST_THREAD_EVENTS;
    if (!err && !sum->nothing) {
        uint64_t hz = finish_frequency(f->header);
        sum->overweight = samples_bound(&r.samples, f->header, hz);
        for (size_t i = 0; i < r.samples.n; i++)
            sum->samples_shown += r.samples.v[i].weight;
        trace_time_init(&r.time, hz);
        err = recording_symbolize(&r);
    }
    if (!err && !sum->nothing) {
        tell_advice(verb, &r, how->quiet);
        tell_short_calls(&r, sum);
        bool went_on = is_earlier_image(f->header, spool);
        tell_heap(f->header, went_on, sum);
        make_heap_profile(verb, &r, f->header, went_on, sum);
        *where = sum->path;
        err = finish_write(f, &r, sum);
        if (!err)
            finish_write_heap(verb, &r, sum);
    }
    recording_free(&r);
    return err;
}

/* Why it is not to be finished now, or NULL. */
static const char *obstacle(const struct spool_header *h, const struct finish_how *how)
{
    static char text[256];
    if (how->of_pid && (h->pid != how->of_pid || h->pid_start != how->of_start))
        return "the process says that this is its spool, and it is not";
    enum life life = process_life(h);
    if (life == LIFE_ON)
        snprintf(text, sizeof text, "process %u is still recording to it; stop that first", h->pid);
    else if (life == LIFE_UNKNOWN && !how->anyway)
        snprintf(text, sizeof text, "process %u may still be recording to it, in a PID namespace that cannot be seen "
                 "from here; finish it there, or with --anyway when that has ended", h->pid);
    else
        return NULL;
    return text;
}

static int finish_claimed(const char *verb, const char *spool, const struct finish_how *how, struct spool_claim *claim,
                          struct finish_summary *sum)
{
    struct spool_file f;
    const char *err = spool_file_open(&f, claim->fd), *where = spool;
    static char ignored[PATH_MAX];
    if (err) {
        complain(verb, "%s: %s", spool, err);
        spool_claim_end(claim, spool, !strcmp(err, SPOOL_UNBORN) && finish_path(spool, ignored, sizeof ignored) &&
                                          !is_being_born(claim->fd));
        return EXIT_INVALID;
    }
    watch(&f);
    if ((err = obstacle(f.header, how)) ||
        (f.events.n && (err = choose_path(f.header, spool, how->out, sum->path, sizeof sum->path)))) {
        complain(verb, "%s: %s", spool, err);
        spool_file_close(&f);
        spool_claim_end(claim, spool, false);
        return EXIT_USAGE;
    }
    if (!f.events.n) {
        complain(verb, "%s: " SPOOL_UNBORN, spool);
        spool_file_close(&f);
        spool_claim_end(claim, spool, true);
        return EXIT_INVALID;
    }
    sum->threads = f.header->nthreads;
    sum->samples = f.header->samples;
    sum->unseen = f.header->unseen;
    sum->unseen.execs &= f.header->state == SPOOL_RECORDING;
    if (f.header->state != SPOOL_COMPLETE)
        sum->samples.cpu_ns = 0; /* a second old */
    sum->lost = f.header->lost_events + f.header->lost_stacks;
    err = make_trace(verb, how, &f, spool, sum, &where);
    uint64_t missing = f.missing;
    spool_file_close(&f);
    if (err) {
        complain(verb, "%s: %s; the recording is kept in %s", where, err, spool);
    } else if (missing) {
        complain(verb, "%s: the end is missing, %" PRIu64 " bytes and what was not written yet; the trace has what came"
                 " before, and the spool is kept", spool, missing);
    }
    spool_claim_end(claim, spool, !err && !missing);
    return err ? EXIT_USAGE : EXIT_OK;
}

/* A value that makes no sense keeps nothing, as 0: thrace record refuses it, but here there is a recording already. */
static void name_bad_variable(const char *verb)
{
    static const char name[] = "THRACE_SYMBOL_CACHE";
    static bool told;
    static struct options o;
    struct option_fault fault;
    const char *value = getenv(name);
    char entry[sizeof name + 64];
    if (!value || told)
        return;
    snprintf(entry, sizeof entry, "%s=%s", name, value);
    if (!options_read(&o, (char *[]){entry, NULL}, &fault))
        complain(verb, "%s makes no sense; it takes %s. Nothing is kept of symbols", entry, fault.kind->takes);
    told = true;
}

int finish_spool(const char *verb, const char *spool, const struct finish_how *how, struct finish_summary *sum)
{
    struct spool_claim claim;
    memset(sum, 0, sizeof *sum);
    name_bad_variable(verb);
    const char *err = spool_claim_open(&claim, spool, how->anyway);
    sum->elsewhere = claim.gone && how->may_be_gone;
    if (err) {
        if (!sum->elsewhere)
            complain(verb, "%s: %s", spool, err);
        return sum->elsewhere ? EXIT_OK : claim.no_file ? EXIT_INVALID : EXIT_USAGE;
    }
    if (claim.foreign && !how->out) {
        complain(verb, "%s: it is the spool of another user; say with -o where the trace is to go", spool);
        spool_claim_end(&claim, spool, false);
        return EXIT_USAGE;
    }
    if (spool_claim_lock(&claim))
        return finish_claimed(verb, spool, how, &claim, sum);
    sum->elsewhere = true;
    if (!how->quiet && !how->may_be_gone)
        complain(verb, "%s: another process has just finished it", spool);
    spool_claim_end(&claim, spool, false);
    return EXIT_OK;
}

/* --- the verb ----------------------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: thrace finish [-iq] [--anyway] [-o FILE] SPOOL…\n"
    "Makes a trace of each spool that a recording left behind, and removes the spool. The trace of\n"
    "X.spool is X.\n"
    "  -o FILE, --output FILE  write the trace there; for one spool\n"
    "  -i, --ignore-missing    pass over a spool that is not there: somebody else has finished it\n"
    "  -q, --quiet             no summary, and no word about missing debug info\n"
    "  --anyway                also when nobody can tell whether its process has ended; as root also the\n"
    "                          spool of another user, which is kept; that needs -o\n"
    "Exit status: 0 done, 1 a spool is none, 2 one cannot be read, or its trace not be written.\n";
static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"ignore-missing", no_argument, NULL, 'i'},
                                        {"anyway", no_argument, NULL, 'a'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"finish", usage, ":hio:q", options};

int cmd_finish(int argc, char **argv)
{
    struct finish_how how = {0};
    for (int c; (c = next_option(&arguments, argc, argv)) != -1;) {
        switch (c) {
        case 'h': return show_usage(&arguments);
        case 'a': how.anyway = true; break;
        case 'i': how.may_be_gone = true; break;
        case 'o': how.out = optarg; break;
        case 'q': how.quiet = true; break;
        default: return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 1, INT_MAX, "a SPOOL"))
        return EXIT_USAGE;
    if (how.out && optind + 1 != argc)
        return wrong_use(&arguments, "-o FILE is for one SPOOL");
    int worst = EXIT_OK;
    for (int i = optind; i < argc; i++) {
        static struct finish_summary sum;
        int status = finish_spool("finish", argv[i], &how, &sum);
        if (!status && !how.quiet && !sum.nothing && !sum.elsewhere)
            finish_report(&sum);
        if (status > worst)
            worst = status;
    }
    return worst;
}
