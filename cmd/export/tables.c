/*
 * Tables of what many traces have, in one folder, for engines that read CSV in folders of the kind key=value. Rows are
 * sums, so that they are few whatever the length of the trace; waits and calls whose times are within an eighth of each
 * other share a row, so that percentiles can be told of any number of traces.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/export/meta.h"
#include "cmd/export/folder.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { SECOND = 1000000000, EIGHTH_BITS = 3 };

/* What the stretches or samples of a row have in common. The first two are texts of the store, the stack its number. */
struct sum_key {
    uint32_t function, caller, stack;
    uint32_t thread, reason, object, waker; /* texts of the spans */
    uint16_t kind, bucket;
    uint8_t table, full;
};

struct sum {
    struct sum_key key;
    uint64_t count, total, max;
};

struct thread_sum {
    uint32_t name; /* text */
    uint64_t n, time[GOTRACE_STATE_IDLE], samples;
    bool counts;
};

struct tables {
    struct rows rows;
    VEC(struct sum) sums;
    struct idmap index;              /* hash of the key to its number + 1 */
    VEC(struct thread_sum) live;     /* by their place */
    VEC(struct thread_sum) threads;  /* by name */
    struct idmap names;              /* text to its number + 1 */
    uint64_t digest;                 /* of all rows: what tells traces apart */
    bool failed;                     /* memory is short */
};

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * MIX;
    return h ^ h >> 29;
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Eight for each power of two. */
static uint16_t bucket_of(uint64_t ns)
{
    unsigned bits = 0;
    for (uint64_t n = ns; n >> (EIGHTH_BITS + 1); n >>= 1)
        bits++;
    return (uint16_t)(bits << EIGHTH_BITS) + (uint16_t)(ns >> bits);
}

static bool same_key(const struct sum_key *a, const struct sum_key *b)
{
    return a->function == b->function && a->caller == b->caller && a->stack == b->stack && a->thread == b->thread &&
           a->reason == b->reason && a->object == b->object && a->waker == b->waker && a->kind == b->kind &&
           a->bucket == b->bucket && a->table == b->table && a->full == b->full;
}

static bool add(struct tables *t, const struct sum_key *key, uint64_t ns)
{
    uint64_t h = mix((uint64_t)key->function << 32 | key->caller, (uint64_t)key->stack << 32 | key->thread);
    h = mix(mix(h, (uint64_t)key->reason << 32 | key->object), (uint64_t)key->waker << 32 | key->kind);
    h = mix(h, (uint64_t)key->bucket << 16 | (unsigned)key->table << 8 | key->full);
    uint32_t found;
    for (; (found = idmap_get(&t->index, h)); h++)
        if (same_key(&t->sums.v[found - 1].key, key))
            break;
    if (!found) {
        if (t->sums.n == UINT32_MAX - 1 || !VEC_ROOM(&t->sums) || !idmap_add(&t->index, h, (uint32_t)t->sums.n + 1)) {
            t->failed = true;
            return false;
        }
        t->sums.v[t->sums.n++] = (struct sum){.key = *key};
        found = (uint32_t)t->sums.n;
    }
    struct sum *s = &t->sums.v[found - 1];
    s->count++;
    s->total += ns;
    s->max = ns > s->max ? ns : s->max;
    return true;
}

/* The function of frame i of a stack, or "". */
static uint32_t function_of(const struct tables *t, uint32_t number, size_t i)
{
    const struct stored_stack *stack = &t->rows.stacks->stacks.v[number];
    return i < stack->n ? t->rows.stacks->frames.v[stack_store_frame(t->rows.stacks, stack, i)].function : 0;
}

static struct thread_sum *live_of(struct tables *t, uint32_t place)
{
    for (; t->live.n <= place; t->live.v[t->live.n++] = (struct thread_sum){.n = 1})
        if (!VEC_ROOM(&t->live)) {
            t->failed = true;
            return NULL;
        }
    return &t->live.v[place];
}

static bool take_span(void *arg, const struct row_span *row)
{
    struct tables *t = arg;
    const struct span_thread *l = row->is;
    struct thread_sum *sum = live_of(t, row->place);
    if (!sum)
        return false;
    sum->counts = true;
    sum->time[l->state] += row->ns;
    t->digest = mix(mix(t->digest, (uint64_t)row->begin), row->ns << 8 | (row->thread & 0xff));
    bool waits = l->state == GOTRACE_STATE_WAITING, object = l->object.kind != WAIT_NO_OBJECT;
    if (!waits && !(l->state == GOTRACE_STATE_SYSCALL && l->call))
        return true;
    struct sum_key key = {.table = waits ? TABLE_waits : TABLE_syscalls,
                          .function = function_of(t, row->stack, l->on_object),
                          .caller = function_of(t, row->stack, (size_t)l->on_object + 1),
                          .thread = row->thread_name,
                          .bucket = bucket_of(row->ns)};
    if (waits) {
        key.reason = l->reason;
        key.waker = row->waker_name;
        key.object = object ? l->object.text : 0;
        key.kind = (uint16_t)l->object.kind;
        key.full = row->full;
    }
    return add(t, &key, row->ns);
}

static bool take_sample(void *arg, const struct row_sample *row)
{
    struct tables *t = arg;
    struct sum_key key = {.table = TABLE_samples,
                          .function = function_of(t, row->stack, 0),
                          .caller = function_of(t, row->stack, 1),
                          .stack = row->stack,
                          .thread = row->thread_name};
    if (row->place != SPANS_NOBODY) {
        struct thread_sum *sum = live_of(t, row->place);
        if (!sum)
            return false;
        sum->samples++;
    }
    t->digest = mix(t->digest, (uint64_t)row->time);
    return add(t, &key, 0);
}

static bool take_thread(void *arg, const struct row_thread *row)
{
    struct tables *t = arg;
    struct thread_sum *live = live_of(t, row->place);
    if (!live)
        return false;
    uint32_t name = *row->name ? row->name_text : stat_literal(&t->rows.spans.texts, "");
    uint32_t known = idmap_get(&t->names, name);
    if (live->counts && !known) {
        if (!VEC_ROOM(&t->threads) || !idmap_add(&t->names, name, (uint32_t)t->threads.n + 1)) {
            t->failed = true;
            return false;
        }
        t->threads.v[t->threads.n++] = (struct thread_sum){.name = name};
        known = (uint32_t)t->threads.n;
    }
    if (live->counts) {
        struct thread_sum *sum = &t->threads.v[known - 1];
        sum->n++;
        sum->samples += live->samples;
        for (int i = 0; i < GOTRACE_STATE_IDLE; i++)
            sum->time[i] += live->time[i];
    }
    *live = (struct thread_sum){.n = 1};
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static const char *text(const struct tables *t, uint32_t n) { return rows_text(&t->rows, n); }
static const char *stored(const struct tables *t, uint32_t n) { return stack_store_text_of(t->rows.stacks, n); }

/* "main;work;compress", as in the format folded; what is too long loses outer frames. */
static void put_stack(const struct tables *t, uint32_t number, struct folder_writer *w)
{
    enum { LONGEST = 1 << 16 };
    const struct stored_stack *stack = &t->rows.stacks->stacks.v[number];
    static char line[LONGEST];
    size_t at = LONGEST - 1;
    line[at] = 0;
    for (size_t i = 0; i < stack->n; i++) {
        const char *name = stored(t, function_of(t, number, i));
        size_t len = strlen(name);
        if (len + 1 > at)
            break;
        if (i)
            line[--at] = ';';
        at -= len;
        for (size_t j = 0; j < len; j++)
            line[at + j] = name[j] == ';' ? ':' : name[j];
    }
    folder_text(w, TABLE_samples, line + at);
}

static void put_sum(const struct tables *t, const struct sum *s, const char *trace, struct folder_writer *w)
{
    const struct sum_key *k = &s->key;
    enum table table = k->table;
    const char *object = k->kind != WAIT_NO_OBJECT && table == TABLE_waits ? text(t, k->object) : "";
    folder_text(w, table, trace);
    folder_text(w, table, text(t, k->thread));
    if (table == TABLE_waits) {
        char kind[64];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(object, " "), object); /* it begins with that */
        folder_text(w, table, text(t, k->reason));
        folder_text(w, table, object);
        folder_text(w, table, kind);
        folder_text(w, table, *object ? wait_class_name(wait_class_of(k->kind)) : "");
        folder_flag(w, table, k->full);
    }
    folder_text(w, table, stored(t, k->function));
    folder_text(w, table, stored(t, k->caller));
    if (table == TABLE_waits)
        folder_text(w, table, text(t, k->waker));
    if (table == TABLE_samples)
        put_stack(t, k->stack, w);
    folder_count(w, table, s->count);
    folder_count(w, table, table == TABLE_samples ? s->count * SECOND / t->rows.hz : s->total);
    if (table != TABLE_samples)
        folder_count(w, table, s->max);
    folder_end_row(w, table);
}

static void put_thread(const struct tables *t, const struct thread_sum *s, const char *trace, struct folder_writer *w)
{
    static const enum gotrace_state states[] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_RUNNABLE, GOTRACE_STATE_WAITING,
                                                GOTRACE_STATE_SYSCALL};
    folder_text(w, TABLE_threads, trace);
    folder_text(w, TABLE_threads, text(t, s->name));
    folder_count(w, TABLE_threads, s->n);
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        folder_count(w, TABLE_threads, s->time[states[i]]);
    folder_count(w, TABLE_threads, s->samples);
    folder_end_row(w, TABLE_threads);
}

static void put_trace(const struct tables *t, const struct export_meta *m, const char *trace, struct folder_writer *w)
{
    const struct rows *r = &t->rows;
    char go[32];
    snprintf(go, sizeof go, "1.%d", r->version);
    folder_text(w, TABLE_traces, trace);
    folder_text(w, TABLE_traces, m->trace);
    folder_text(w, TABLE_traces, m->values[EXPORT_PROGRAM]);
    folder_text(w, TABLE_traces, m->values[EXPORT_BUILD_ID]);
    folder_text(w, TABLE_traces, m->values[EXPORT_START]);
    folder_text(w, TABLE_traces, go);
    folder_flag(w, TABLE_traces, r->complete);
    folder_count(w, TABLE_traces, (uint64_t)r->spans.end - (uint64_t)r->spans.begin);
    folder_count(w, TABLE_traces, r->spans.nthreads);
    folder_count(w, TABLE_traces, r->spans.nevents);
    folder_count(w, TABLE_traces, r->nsamples);
    folder_count(w, TABLE_traces, r->hz);
    folder_end_row(w, TABLE_traces);
}

/* A trace has the same name whenever it is exported with the same host and date, and takes its own place then. */
static enum export_result write_tables(struct tables *t, struct export_job *job)
{
    enum { DATE = sizeof "2026-01-02" - 1 };
    struct folder_writer w;
    struct export_meta m;
    char trace[17], date[DATE + 1];
    export_meta_fill(&m, job, &t->rows);
    t->digest = mix(mix(t->digest, (uint64_t)t->rows.spans.begin), t->rows.spans.nevents);
    for (const char *p = m.trace; *p; p++)
        t->digest = mix(t->digest, (unsigned char)*p);
    for (int i = 0; i < EXPORT_META; i++)
        for (const char *p = m.values[i]; *p; p++)
            t->digest = mix(t->digest, (uint64_t)i << 8 | (unsigned char)*p);
    snprintf(trace, sizeof trace, "%016" PRIx64, t->digest);
    snprintf(date, sizeof date, "%.*s", DATE, m.values[EXPORT_START]);
    bool ok = folder_begin(&w, job->path, m.values[EXPORT_HOST], date, trace);
    if (ok)
        put_trace(t, &m, trace, &w);
    for (size_t i = 0; i < t->threads.n && ok; i++)
        put_thread(t, &t->threads.v[i], trace, &w);
    for (size_t i = 0; i < t->sums.n && ok; i++)
        put_sum(t, &t->sums.v[i], trace, &w);
    return folder_end(&w, ok) ? EXPORT_DONE : EXPORT_UNWRITTEN;
}

enum export_result export_tables(struct export_job *job)
{
    static const struct row_sink sink = {take_thread, take_span, take_sample, NULL};
    struct tables t = {.digest = 1};
    enum export_result result = rows_read(&t.rows, job, &sink, &t);
    if (result == EXPORT_DONE) {
        if (t.failed) {
            job->why = "out of memory";
            result = EXPORT_UNREAD;
        } else {
            result = write_tables(&t, job);
        }
        rows_free(&t.rows);
    }
    int number = errno;
    VEC_FREE(&t.sums);
    VEC_FREE(&t.live);
    VEC_FREE(&t.threads);
    idmap_free(&t.index);
    idmap_free(&t.names);
    errno = number;
    return result;
}
