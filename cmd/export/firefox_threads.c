/* Threads of a processed profile, and their columns of samples, read from the spill one by one. */
#include <inttypes.h>
#include <string.h>

#include "cmd/export/firefox.h"

char *firefox_tid(const struct firefox *f, uint64_t number, char *to)
{
    const struct firefox_thread *t = &f->threads.v[number];
    if (number && t->tid <= INT32_MAX && !t->again)
        return out_digits(to, t->tid);
    if (!number)
        return to + snprintf(to, FIREFOX_TID, "\"none\"");
    if (t->tid > INT32_MAX)
        return to + snprintf(to, FIREFOX_TID, "\"G%" PRIu64 "\"", t->goroutine);
    return to + snprintf(to, FIREFOX_TID, "\"%" PRIu64 ".%" PRIu32 "\"", t->tid, t->again);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

/* Rows of samples. Times are since the begin; of NULL: it is not sampled then. */
struct samples {
    struct json *json;
    struct firefox *f;
    void (*row)(struct samples *s, uint64_t time, const struct firefox_sample *of);
    uint64_t n, last;
    bool follows;
};

static void row(struct samples *s, uint64_t time, const struct firefox_sample *of)
{
    s->n++;
    s->row(s, time, of);
}

/*
 * The profiler draws a sample up to half the way to the next one. So rows without weight stand around gaps: else a
 * thread that waits would be seen to execute what it did before.
 */
static void show_sample(void *arg, const void *record)
{
    enum { WIDE = 3 };
    struct samples *s = arg;
    const struct firefox_sample *of = record;
    uint64_t period = firefox_period(s->f), now = firefox_since(s->f, of->time);
    bool gap = s->follows && now - s->last > WIDE * period;
    if (gap)
        row(s, s->last + period, NULL);
    if (gap || (!s->follows && now > period))
        row(s, now - period, NULL);
    row(s, now, of);
    s->last = now;
    s->follows = true;
}

typedef void row_fn(struct samples *s, uint64_t time, const struct firefox_sample *of);

/* Returns how many there are. */
static uint64_t each_row(struct json *j, struct firefox *f, const struct spill_list *l, row_fn *show)
{
    struct samples s = {.json = j, .f = f, .row = show};
    uint64_t period = firefox_period(f);
    spill_each(&f->spill, l, show_sample, &s);
    if (s.follows && firefox_since(f, f->t.spans.end) > s.last + period)
        row(&s, s.last + period, NULL);
    return s.n;
}

static void count_row(struct samples *s, uint64_t time, const struct firefox_sample *of)
{
    (void)s, (void)time, (void)of;
}

static void show_time(struct samples *s, uint64_t time, const struct firefox_sample *of)
{
    (void)of;
    firefox_put_time(s->json, time);
}

static void show_stack(struct samples *s, uint64_t time, const struct firefox_sample *of)
{
    (void)time;
    json_number(s->json, of ? firefox_stack(s->f, of->stack) : FIREFOX_NOT_SAMPLED);
}

static void show_weight(struct samples *s, uint64_t time, const struct firefox_sample *of)
{
    (void)time;
    json_number(s->json, of ? 1 : 0);
}

static void show_cpu(struct samples *s, uint64_t time, const struct firefox_sample *of)
{
    (void)time;
    json_number(s->json, of ? firefox_period(s->f) : 0);
}

static void put_samples(struct json *j, struct firefox *f, const struct spill_list *l)
{
    static const struct {
        const char *key;
        row_fn *show;
    } columns[] = {{"time", show_time}, {"stack", show_stack}, {"weight", show_weight}, {"threadCPUDelta", show_cpu}};
    open_named(j, "samples", '{');
    put_number(j, "length", each_row(j, f, l, count_row));
    put_text(j, "weightType", "samples");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        open_named(j, columns[i].key, '[');
        each_row(j, f, l, columns[i].show);
        json_close(j, ']');
    }
    json_close(j, '}');
}

/* ---- threads and counters --------------------------------------------------------------------------------------- */

static void put_name(struct json *j, const struct firefox *f, uint64_t number)
{
    const struct firefox_thread *t = &f->threads.v[number];
    const char *name = t->name ? stat_text_of(&f->t.spans.texts, t->name) : "a thread without name";
    char text[STACK_TEXT_MAX + 32];
    if (!number)
        name = "no thread";
    if (number && t->tid > INT32_MAX)
        snprintf(text, sizeof text, "G%" PRIu64 " %s", t->goroutine, name);
    else
        snprintf(text, sizeof text, "%s", name);
    put_text(j, "name", text);
}

void firefox_put_pid(struct json *j, const struct firefox *f)
{
    char pid[24];
    snprintf(pid, sizeof pid, "%" PRIu64, f->pid);
    put_text(j, "pid", pid);
}

static void put_thread(struct json *j, struct firefox *f, uint64_t number, const char *process)
{
    const struct firefox_thread *t = &f->threads.v[number];
    char tid[FIREFOX_TID];
    json_open(j, '{');
    put_name(j, f, number);
    put_text(j, "processName", process);
    put_text(j, "processType", "default");
    put_bool(j, "isMainThread", number && t->goroutine == 1);
    firefox_put_pid(j, f);
    json_key(j, "tid");
    json_bytes(j, tid, (size_t)(firefox_tid(f, number, tid) - tid));
    put_bool(j, "showMarkersInTimeline", true);
    put_number(j, "processStartupTime", 0);
    json_key(j, "processShutdownTime");
    json_null(j);
    put_number(j, "registerTime", 0);
    json_key(j, "unregisterTime");
    json_null(j);
    open_named(j, "pausedRanges", '[');
    json_close(j, ']');
    put_samples(j, f, &t->samples);
    firefox_put_markers(j, f, t);
    json_close(j, '}');
}

void firefox_put_threads(struct json *j, struct firefox *f, const char *process)
{
    open_named(j, "threads", '[');
    for (size_t i = 1; i <= f->threads.n; i++)
        if (firefox_is_shown(f, i % f->threads.n)) /* nobody's, the first, is the last one here */
            put_thread(j, f, i % f->threads.n, process);
    json_close(j, ']');
}
