/* The trace of a spool: its clock, its generations, and the file that they go to. */
#include "config.h"

#include "cmd/finish/finish_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/export/heap_in_trace.h"
#include "cmd/finish/cut.h"
#include "cmd/finish/finish_as_v1.h"
#include "cmd/finish/finish_switches.h"
#include "cmd/finish/lock_stats_write.h"
#include "cmd/finish/opening.h"
#include "cmd/finish/output.h"
#include "cmd/finish/recording_frames.h"
#include "cmd/finish/recording_switches.h"
#include "cmd/finish/recording_symbols.h"
#include "cmd/finish/trace_time.h"
#include "lib/options/options.h"
#include "lib/wire/batch_header.h"
#include "parser/origin.h"

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int copy_batch(struct gotrace_builder *b, const struct trace_time *t, const struct spool_batch *batch,
                      uint64_t last)
{
    static uint8_t events[TRACE_TIME_BATCH_MAX]; /* larger than a stack should carry */
    uint8_t header[BATCH_HEADER_MAX];
    const uint8_t *end = trace_time_copy(t, events, batch);
    if (!end)
        return -1;
    size_t size = (size_t)(end - events);
    const struct batch_header h = {EV_EventBatch, 0, batch->generation, batch->m, trace_time_of(t, batch->time), size};
    size_t n = (size_t)(batch_header_put(header, &h) - header);
    return gotrace_builder_copy(b, header, n, last) || gotrace_builder_copy(b, events, size, last) ? -1 : 0;
}

/* Whether the recording's clocks still run: this machine made it, and has not been rebooted since. */
static bool clocks_still_run(const struct spool_header *h, struct clock_pair now)
{
    enum { TOLERANCE_NS = 1000000 };
    uint64_t wall = clock_ns(CLOCK_REALTIME) - h->start_realtime_ns;
    uint64_t gone = now.mono_ns - h->first.mono_ns; /* of a damaged header, any number */
    return wall - gone < TOLERANCE_NS || gone - wall < TOLERANCE_NS;
}

/*
 * The recording's own two readings of both clocks give the frequency. If they are too close, a reading made now serves
 * as the second one, provided the clocks still run; else the counter of this machine is measured, for 10 ms.
 */
uint64_t finish_frequency(const struct spool_header *h)
{
    uint64_t hz = suspensions_frequency(&h->suspensions, &h->clock, h->first, h->last);
    if (hz)
        return hz;
    struct clock_pair now = clock_read_pair(&h->clock);
    if (clocks_still_run(h, now) && (hz = clock_frequency(&h->clock, h->first, now)))
        return hz;
    usleep(10000);
    hz = clock_frequency(&h->clock, now, clock_read_pair(&h->clock));
    return hz ? hz : 1000000000;
}

const char *finish_prepare(struct recording *r, const struct spool_header *h, uint64_t hz, FILE *terminal,
                           struct finish_summary *sum)
{
    sum->excess_samples = samples_bound(&r->samples, h, hz);
    for (size_t i = 0; i < r->samples.n; i++)
        sum->samples_in_trace += r->samples.v[i].weight;
    sum->suspended_ns = suspensions_before(&h->suspensions, UINT64_MAX, hz) -
                        suspensions_before(&h->suspensions, r->first_time, hz);
    trace_time_init(&r->time, hz);
    recording_sort_switches(r);
    rec_locks_init(&r->locks, h, hz);
    return recording_symbolize(r, terminal);
}

/* In ns. Times of the trace are rounded down. */
static uint64_t suspended_before(const struct spool_header *h, const struct trace_time *t, uint64_t time)
{
    unsigned __int128 ticks = ((unsigned __int128)time + 1) * t->recording_hz / t->hz;
    return suspensions_before(&h->suspensions, ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX, t->recording_hz);
}

/* What the clocks showed at a time of the trace, by the readings that the recording began with. */
static int write_sync(struct gotrace_builder *b, const struct spool_header *h, const struct trace_time *t,
                      uint64_t time)
{
    double since = ((double)time - (double)trace_time_of(t, h->first.ticks)) / (double)t->hz * 1e9;
    int64_t ns = since > -1e18 && since < 1e18 ? (int64_t)since : 0;
    uint64_t wall = h->start_realtime_ns + (uint64_t)ns;
    uint64_t mono = h->first.mono_ns + (uint64_t)ns - suspended_before(h, t, time);
    return gotrace_builder_sync(b, t->hz, time, mono, wall / 1000000000, wall % 1000000000);
}

/*
 * In strings that no event refers to: of which process the trace is, and what the clocks showed at one of its times, in
 * every version of the format. Each generation has them, so that a part of the trace has.
 */
static int write_origin(struct gotrace_builder *b, const struct spool_header *h, const struct trace_time *t)
{
    struct origin o = {.trace = (int64_t)(trace_time_of(t, h->first.ticks) * (1000000000 / t->hz)),
                       .mono = h->first.mono_ns,
                       .wall = (int64_t)h->start_realtime_ns,
                       .pid = h->pid};
    char exe[sizeof h->exe], boot[ORIGIN_BOOT + 1], note[ORIGIN_NOTE];
    snprintf(exe, sizeof exe, "%.*s", (int)sizeof h->exe - 1, h->exe);
    const char *slash = strrchr(exe, '/');
    origin_set_name(&o, slash ? slash + 1 : exe);
    snprintf(boot, sizeof boot, "%.*s", ORIGIN_BOOT, h->boot_id);
    if (strspn(boot, "0123456789abcdef-") == ORIGIN_BOOT) /* it may say anything */
        memcpy(o.boot, boot, sizeof boot);
    return gotrace_builder_string(b, note, origin_clock_note(&o, note)) &&
                   (!*o.name || gotrace_builder_string(b, note, origin_process_note(&o, note)))
               ? 0
               : -1;
}

static int write_counted(void *counted, const void *buf, size_t size)
{
    return finish_write_counted(counted, buf, size) ? 0 : -1;
}

static int write_opening(struct gotrace_builder *b, const struct spool_file *f, const struct recording *r,
                         struct finish_summary *sum)
{
    const struct spool_batch *first = &f->events.v[0];
    uint64_t time = trace_time_of(&r->time, first->time);
    sum->generations++;
    return gotrace_builder_generation(b, first->generation - 1) ||
           write_sync(b, f->header, &r->time, opening_time(r, time)) || recording_write_opening_tables(r, b) ||
           write_origin(b, f->header, &r->time) || opening_write(r, b, time, &sum->opening);
}

/* In a string that no event refers to: how many CPU samples there are in a second, if it is not the usual number. */
static int write_sample_rate(const struct recording *r, uint64_t hz, struct gotrace_builder *b)
{
    const struct origin o = {.cpu_hz = hz};
    char note[ORIGIN_NOTE];
    if (!r->samples.n || !hz || hz == SAMPLE_HZ_DEFAULT)
        return 0;
    return gotrace_builder_string(b, note, origin_rate_note(&o, note)) ? 0 : -1;
}

const char *finish_write_to(FILE *out, const struct spool_file *f, const struct recording *r,
                            struct finish_summary *sum)
{
    const struct spool_header *h = f->header;
    struct finish_counted counted = {out, &sum->bytes};
    struct gotrace_builder *b = gotrace_builder_new_callback(finish_version(h->trace_version), write_counted, &counted);
    if (!b)
        return "the trace version in the spool is not supported";
    const struct trace_time *t = &r->time;
    uint64_t last = trace_time_of(t, r->seen.last);
    const char *err = NULL;
    bool failed = opening_needed(r) && f->events.n && write_opening(b, f, r, sum);
    for (size_t i = 0; i < f->events.n && !failed; i++) {
        const struct spool_batch *batch = &f->events.v[i];
        if (!i || batch->generation != f->events.v[i - 1].generation) {
            uint64_t time = trace_time_of(t, batch->time);
            failed = gotrace_builder_generation(b, batch->generation) || write_sync(b, h, t, time) ||
                     recording_write_tables(r, b, batch->generation) || write_origin(b, h, t) ||
                     heap_types_write(&r->seen.types, b, batch->generation, time) ||
                     (!i && r->profile && heap_in_trace_write(b, r->profile, r->profile_size)) ||
                     (!i && (lock_stats_write(r, b) || write_sample_rate(r, h->samples.hz, b)));
            sum->generations++;
        }
        failed = failed || copy_batch(b, t, batch, last);
    }
    if (failed || gotrace_builder_finish(b)) {
        static char text[256];
        const struct gotrace_error *e = gotrace_builder_error(b);
        snprintf(text, sizeof text, "%s", e ? e->message : "the spool's events are damaged");
        err = text;
    }
    gotrace_builder_free(b);
    return err;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

enum { MAX_CUTS = 64 };

/* Cuts what a reader could not place. A last generation without its end may lack what all the rest depends on. */
static uint64_t cut_unfinished(struct spool_file *f, const char *trace)
{
    uint64_t n = cut_unplaced(f, trace);
    return n || !f->missing || is_whole(trace) ? n : cut_generation(f);
}

static const char *write_again(struct spool_file *f, struct recording *r, struct finish_summary *sum, struct output *o)
{
    sum->bytes = sum->generations = sum->opening = 0;
    const char *err = output_restart(o) ? strerror(errno) : finish_write_to(output_file(o), f, r, sum);
    return err ? err : fflush(output_file(o)) ? strerror(errno) : NULL;
}

/* Reads what was written, which something else is made of. What goes straight was written to middle. */
static int written(struct output *o, FILE *middle)
{
    return middle ? (fflush(middle) ? -1 : dup(fileno(middle))) : output_replace(o);
}

/* The trace with the switches of its threads; *middle is another one then. */
static const char *write_switches(struct output *o, FILE **middle, struct recording *r, bool torn, bool show_cpus,
                                  struct finish_summary *sum)
{
    int in = written(o, *middle);
    FILE *next = in >= 0 && *middle ? tmpfile() : NULL;
    const char *err = in < 0 || (*middle && !next) ? strerror(errno) : NULL;
    if (!err)
        err = finish_switches(in, next ? next : output_file(o), r, torn, show_cpus, sum);
    if (in >= 0)
        close(in);
    if (next) {
        fclose(*middle);
        *middle = next;
    }
    return err;
}

/* The trace of v2 that was written, in the version that was asked for. */
static const char *write_as_v1(struct output *o, FILE *middle, unsigned nn, struct finish_summary *sum)
{
    int in = written(o, middle);
    if (in < 0)
        return strerror(errno);
    const char *err = finish_as_v1(in, output_file(o), nn, sum);
    close(in);
    return err;
}

static const char *copy_straight(struct output *o, FILE *middle)
{
    static char block[1 << 16]; /* larger than a stack should carry */
    rewind(middle);
    for (size_t n; (n = fread(block, 1, sizeof block, middle));)
        if (fwrite(block, 1, n, output_file(o)) != n)
            return strerror(errno);
    return ferror(middle) ? strerror(errno) : NULL;
}

/* The trace of a process that was killed is read once, and made anew without what cannot be placed. */
static const char *write_file(struct spool_file *f, struct recording *r, struct finish_summary *sum)
{
    const char *err;
    struct output *o = output_open(sum->path, 0600, &err);
    if (!o)
        return err;
    bool old = wire_version_is_old(f->header->trace_version), again = old || r->switches.n;
    FILE *middle = again && !output_temporary(o) ? tmpfile() : NULL;
    FILE *out = middle ? middle : output_file(o);
    err = again && !output_temporary(o) && !middle ? strerror(errno) : finish_write_to(out, f, r, sum);
    if (!err && fflush(out))
        err = strerror(errno);
    bool torn = f->header->state != SPOOL_COMPLETE || f->missing;
    for (int i = 0; torn && output_temporary(o) && !err && i < MAX_CUTS; i++) {
        uint64_t cut = cut_unfinished(f, output_temporary(o));
        if (!cut)
            break;
        sum->cut += cut;
        sum->events -= cut;
        err = write_again(f, r, sum, o);
    }
    if (!err && sum->cut && !sum->generations)
        err = "nothing that is left of it can be placed, as where a flight recorder has no room for a generation "
              "(--flight-recorder 4M)";
    if (r->switches.n && !err)
        err = sum->no_switches = write_switches(o, &middle, r, torn, f->header->show_cpus, sum);
    if (old && !err)
        err = write_as_v1(o, middle, f->header->trace_version, sum);
    else if (middle && !err)
        err = copy_straight(o, middle);
    if (middle)
        fclose(middle);
    const char *failed = output_close(o, !err);
    return err ? err : failed;
}

/* A trace without the switches is better than none. */
const char *finish_write(struct spool_file *f, struct recording *r, struct finish_summary *sum)
{
    const char *err = write_file(f, r, sum);
    if (!sum->no_switches)
        return err;
    r->switches.n = 0;
    sum->bytes = sum->generations = sum->opening = sum->rewritten = 0;
    return write_file(f, r, sum);
}

const char *finish_write_heap(const struct recording *r, struct finish_summary *sum)
{
    static char path[sizeof sum->path + 16];
    if (!r->profile || output_is_straight(sum->path))
        return NULL;
    snprintf(path, sizeof path, "%s.heap.pb.gz", sum->path);
    const char *err = output_write(path, 0600, r->profile, r->profile_size);
    sum->has_heap_file = !err;
    return err;
}
