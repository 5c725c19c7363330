#include "parser/analyze/diff_collect.h"

#include <stdlib.h>
#include <string.h>

#include "parser/analyze/cpu.h"
#include "parser/analyze/spread.h"

enum { FIRST_WIDTH = 1024 };

/* ---- stretches -------------------------------------------------------------------------------------------------- */

static void halve_spreads(struct diff_run *d, struct diff_spreads *s)
{
    for (size_t i = 0; i < DIFF_STRETCHES; i += 2) {
        uint32_t *a = s->spread[i], *b = s->spread[i + 1];
        s->spread[i] = s->spread[i + 1] = NULL;
        if (a && b) {
            spread_add_all(a, b, DIFF_SPREAD);
            free(b);
        }
        s->spread[i / 2] = a ? a : b;
    }
    (void)d;
}

/* Two of them become one. */
static void halve(struct diff_run *d)
{
    for (size_t r = 0; r < d->rows->list.n; r++) {
        struct diff_cell *c = d->cells[r] ? d->cells[r]->cell : NULL;
        for (size_t i = 0; c && i < DIFF_STRETCHES; i += 2) {
            struct diff_cell a = c[i], b = c[i + 1];
            c[i] = c[i + 1] = (struct diff_cell){0};
            c[i / 2] = (struct diff_cell){a.ns + b.ns, a.count + b.count, a.max > b.max ? a.max : b.max};
        }
    }
    for (size_t w = 0; w < DIFF_WATCHES; w++)
        if (d->spreads[w])
            halve_spreads(d, d->spreads[w]);
    for (size_t i = 0; i < DIFF_STRETCHES; i += 2) {
        uint64_t sum = d->per_count[i] + d->per_count[i + 1];
        d->per_count[i] = d->per_count[i + 1] = 0;
        d->per_count[i / 2] = sum;
    }
    d->width *= 2;
    d->last.end = 0;
}

/* The stretch of a time since the origin; there is one from then on. */
static size_t stretch_of(struct diff_run *d, uint64_t at)
{
    if (at >= d->last.at && at < d->last.end)
        return d->last.n;
    while (at / d->width >= DIFF_STRETCHES)
        halve(d);
    d->last.n = (size_t)(at / d->width);
    d->last.at = d->last.n * d->width;
    d->last.end = d->last.at + d->width;
    return d->last.n;
}

static uint64_t since_origin(const struct diff_run *d, int64_t at)
{
    return at > d->origin ? (uint64_t)at - (uint64_t)d->origin : 0;
}

static bool is_within(const struct diff_run *d, int64_t at) { return at >= d->spans.from && at < d->spans.to; }

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static uint32_t row_of(struct diff_run *d, enum diff_metric metric, uint32_t text)
{
    uint32_t *row = &d->row_of[metric][text];
    if (*row)
        return *row - 1;
    uint32_t n = diff_rows_find(d->rows, metric, stat_text_of(&d->spans.texts, text));
    if (!d->cells[n] && !(d->cells[n] = calloc(1, sizeof *d->cells[n])))
        d->failed = true;
    *row = n + 1;
    return n;
}

static void watch(struct diff_run *d, unsigned w, size_t stretch, uint64_t ns)
{
    if (!d->spreads[w] && !(d->spreads[w] = calloc(1, sizeof *d->spreads[w]))) {
        d->failed = true;
        return;
    }
    uint32_t **spread = &d->spreads[w]->spread[stretch];
    if (*spread || (*spread = spread_new(DIFF_SPREAD)))
        spread_add(*spread, DIFF_SPREAD, ns);
    else
        d->failed = true;
}

/* From..to is what counts of a stretch of time, since the origin. */
static void add(struct diff_run *d, enum diff_metric metric, uint32_t text, uint64_t from, uint64_t to)
{
    uint32_t row = row_of(d, metric, text);
    if (d->failed)
        return;
    size_t n = stretch_of(d, to);
    struct diff_cell *c = d->cells[row]->cell;
    uint64_t ns = to - from;
    c[n].count++;
    c[n].max = ns > c[n].max ? ns : c[n].max;
    for (; n && from < n * d->width; n--) {
        uint64_t begin = n * d->width;
        c[n].ns += to - begin;
        to = begin;
    }
    c[n].ns += to - from;
    for (uint32_t watched = d->rows->list.v[row].watched; watched; watched &= watched - 1)
        watch(d, (unsigned)__builtin_ctz(watched), d->last.n, ns);
}

static void count_per(struct diff_run *d, uint32_t text, int64_t at)
{
    if (!d->per || !is_within(d, at))
        return;
    if (!d->is_per[text])
        d->is_per[text] = regexec(d->per, stat_text_of(&d->spans.texts, text), 0, NULL, 0) ? 1 : 2;
    if (d->is_per[text] == 2)
        d->per_count[stretch_of(d, since_origin(d, at))]++;
}

static void count_per_string(struct diff_run *d, struct gotrace_str name, int64_t at)
{
    if (d->per)
        count_per(d, stat_text(&d->spans.texts, name), at);
}

/* ---- what threads do -------------------------------------------------------------------------------------------- */

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    (void)arg, (void)thread, (void)maker, (void)now;
}

static void gone(void *arg, uint32_t thread) { (void)arg, (void)thread; }

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct diff_run *d = arg;
    const struct span_thread *l = &d->spans.live.v[thread];
    uint64_t ns;
    (void)by;
    if (l->state == GOTRACE_STATE_SYSCALL && l->call)
        count_per(d, l->what, now);
    if (d->failed || !spans_counts(&d->spans, l, now, &ns))
        return;
    d->ncounted++;
    uint64_t to = since_origin(d, now < d->spans.to ? now : d->spans.to), from = to > ns ? to - ns : 0;
    switch (l->state) {
    case GOTRACE_STATE_RUNNING:
        add(d, DIFF_THREAD, l->name ? l->name : stat_literal(&d->spans.texts, "a thread without name"), from, to);
        break;
    case GOTRACE_STATE_RUNNABLE: add(d, DIFF_RUNNABLE, l->reason, from, to); break;
    case GOTRACE_STATE_SYSCALL:
        if (l->call)
            add(d, DIFF_SYSCALL, l->what, from, to);
        break;
    case GOTRACE_STATE_WAITING:
        add(d, DIFF_WAIT, l->reason, from, to);
        if (l->object.kind)
            add(d, DIFF_LOCK, l->object.name, from, to);
        break;
    default: break;
    }
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void sample(struct diff_run *d, const struct gotrace_event *ev)
{
    struct gotrace_frame f;
    uint32_t thread = spans_find(&d->spans, gotrace_event_goroutine(ev));
    if (!spans_sample_counts(&d->spans, thread, ev))
        return;
    struct stat_texts *texts = &d->spans.texts;
    bool has = gotrace_stack_frame(gotrace_event_stack(ev), 0, &f);
    uint64_t at = since_origin(d, gotrace_event_time(ev));
    add(d, DIFF_CPU, has ? stat_text_frame(texts, &f) : stat_literal(texts, "(no stack)"), at, at);
}

static bool begin(void *state, const struct gotrace_reader *r)
{
    struct diff_run *d = state;
    d->version = gotrace_reader_version(r);
    return !d->failed;
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct diff_run *d = state;
    struct gotrace_task task;
    struct gotrace_region region;
    struct gotrace_log log;
    bool first = !d->spans.nevents;
    if (!spans_event(&d->spans, ev))
        return false;
    if (first)
        d->origin = d->spans.from > d->spans.begin ? d->spans.from : d->spans.begin;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_STACK_SAMPLE: sample(d, ev); break;
    case GOTRACE_KIND_SYNC: d->hz = d->hz ? d->hz : cpu_hz_said(ev); break;
    case GOTRACE_KIND_TASK_END:
        if (gotrace_event_task(ev, &task))
            count_per_string(d, task.type, gotrace_event_time(ev));
        break;
    case GOTRACE_KIND_REGION_END:
        if (gotrace_event_region(ev, &region))
            count_per_string(d, region.type, gotrace_event_time(ev));
        break;
    case GOTRACE_KIND_LOG:
        if (gotrace_event_log(ev, &log))
            count_per_string(d, log.category, gotrace_event_time(ev));
        break;
    default: break;
    }
    return !d->failed && !d->rows->failed;
}

/* Several runs are in memory at once. */
static void free_indices(struct diff_run *d)
{
    for (int m = 0; m < DIFF_METRICS; m++) {
        free(d->row_of[m]);
        d->row_of[m] = NULL;
    }
    free(d->is_per);
    d->is_per = NULL;
}

static bool end(void *state)
{
    struct diff_run *d = state;
    d->hz = d->hz ? d->hz : CPU_HZ_THRACE;
    if (!spans_end(&d->spans) || d->failed || d->rows->failed)
        return false;
    free_indices(d);
    uint64_t length = since_origin(d, d->spans.end < d->spans.to ? d->spans.end : d->spans.to);
    if (!d->spans.nevents || !length)
        return true;
    d->nstretches = stretch_of(d, length) + 1;
    for (size_t i = 0; i < d->nstretches; i++)
        d->length[i] = i + 1 < d->nstretches ? d->width : length - i * d->width;
    return !d->failed;
}

const struct event_consumer diff_consumer = {begin, event, end};

bool diff_run_init(struct diff_run *d, struct diff_rows *rows, struct span_filter *filter, const regex_t *per)
{
    static const struct span_watcher watcher = {appears, ends, NULL, gone};
    *d = (struct diff_run){.rows = rows, .width = FIRST_WIDTH, .per = per};
    spans_init(&d->spans, &watcher, d);
    d->spans.filter = filter;
    bool ok = true;
    for (int m = 0; m < DIFF_METRICS; m++)
        ok = (d->row_of[m] = calloc(STAT_NTEXTS, sizeof *d->row_of[m])) && ok;
    return (d->is_per = calloc(STAT_NTEXTS, 1)) && ok;
}

void diff_run_free(struct diff_run *d)
{
    spans_free(&d->spans);
    free_indices(d);
    for (size_t i = 0; i < DIFF_ROWS; i++)
        free(d->cells[i]);
    for (size_t w = 0; w < DIFF_WATCHES; w++) {
        for (size_t i = 0; d->spreads[w] && i < DIFF_STRETCHES; i++)
            free(d->spreads[w]->spread[i]);
        free(d->spreads[w]);
    }
}
