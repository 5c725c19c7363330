/* Threads of a processed profile: columns of markers and samples, read from the spill one by one. */
#include <inttypes.h>
#include <string.h>

#include "cmd/export/firefox.h"

enum { INSTANT = 0, INTERVAL = 1, NS_PER_MS = 1000000 };

/* What writes a column. */
struct column {
    struct json *json;
    struct firefox *f;
};

typedef void show_fn(void *arg, const void *record);

void firefox_put_time(struct json *j, uint64_t ns)
{
    char text[2 * OUT_NUMBER], *point = out_digits(text, ns / NS_PER_MS);
    char *end = out_digits(point, NS_PER_MS + ns % NS_PER_MS); /* all six digits of the part, behind the 1 */
    *point = '.';
    json_bytes(j, text, (size_t)(end - text));
}

static void put_column(struct json *j, struct firefox *f, const char *key, const struct spill_list *l, show_fn *show)
{
    struct column c = {j, f};
    open_named(j, key, '[');
    spill_each(&f->spill, l, show, &c);
    json_close(j, ']');
}

/* The system's, if it is known; the profiler takes texts as well. */
static void put_tid(struct json *j, const struct firefox *f, uint64_t number)
{
    const struct firefox_thread *t = &f->threads.v[number];
    char text[48];
    if (number && t->tid <= INT32_MAX && !t->again) {
        json_number(j, t->tid);
        return;
    }
    if (!number)
        snprintf(text, sizeof text, "none");
    else if (t->tid > INT32_MAX)
        snprintf(text, sizeof text, "G%" PRIu64, t->goroutine);
    else
        snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu32, t->tid, t->again);
    json_text(j, text);
}

/* ---- markers ---------------------------------------------------------------------------------------------------- */

static void put_string(struct column *c, const char *key, uint32_t text)
{
    if (text != c->f->t.none)
        put_number(c->json, key, text);
}

static void put_message(struct column *c, const struct firefox_marker *m)
{
    char text[STACK_TEXT_MAX];
    size_t len = m->len < sizeof text ? m->len : sizeof text;
    spill_read(&c->f->spill, m->at, text, len);
    put_string(c, "category", m->reason);
    json_key(c->json, "message");
    json_string(c->json, text, len);
}

static void show_data(void *arg, const void *record)
{
    struct column *c = arg;
    const struct firefox_marker *m = record;
    uint64_t stack = firefox_stack(c->f, m->stack);
    json_open(c->json, '{');
    put_text(c->json, "type", firefox_types[m->type]);
    if (m->type == FIREFOX_MESSAGE) {
        put_message(c, m);
    } else {
        put_string(c, "reason", m->reason);
        put_string(c, "object", m->object);
        put_string(c, "waker", m->waker);
        put_string(c, "call", m->call);
    }
    if (m->from) {
        json_key(c->json, "from");
        put_tid(c->json, c->f, m->from);
    }
    if (stack != FIREFOX_NO_STACK) {
        open_named(c->json, "cause", '{');
        put_number(c->json, "stack", stack);
        json_close(c->json, '}');
    }
    json_close(c->json, '}');
}

static void show_name(void *arg, const void *record)
{
    json_number(((struct column *)arg)->json, ((const struct firefox_marker *)record)->name);
}

static void show_begin(void *arg, const void *record)
{
    struct column *c = arg;
    firefox_put_time(c->json, firefox_since(c->f, ((const struct firefox_marker *)record)->begin));
}

static void show_end(void *arg, const void *record)
{
    struct column *c = arg;
    firefox_put_time(c->json, firefox_since(c->f, ((const struct firefox_marker *)record)->end));
}

static void show_phase(void *arg, const void *record)
{
    uint32_t type = ((const struct firefox_marker *)record)->type;
    json_number(((struct column *)arg)->json, type == FIREFOX_MESSAGE ? INSTANT : INTERVAL);
}

static void show_category(void *arg, const void *record)
{
    uint32_t type = ((const struct firefox_marker *)record)->type;
    json_number(((struct column *)arg)->json, FIREFOX_CATEGORY + (type < FIREFOX_REGION ? type : FIREFOX_REGION));
}

static void put_markers(struct json *j, struct firefox *f, const struct spill_list *l)
{
    open_named(j, "markers", '{');
    put_number(j, "length", l->n);
    put_column(j, f, "data", l, show_data);
    put_column(j, f, "name", l, show_name);
    put_column(j, f, "startTime", l, show_begin);
    put_column(j, f, "endTime", l, show_end);
    put_column(j, f, "phase", l, show_phase);
    put_column(j, f, "category", l, show_category);
    json_close(j, '}');
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
    json_open(j, '{');
    put_name(j, f, number);
    put_text(j, "processName", process);
    put_text(j, "processType", "default");
    put_bool(j, "isMainThread", number && t->goroutine == 1);
    firefox_put_pid(j, f);
    json_key(j, "tid");
    put_tid(j, f, number);
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
    put_markers(j, f, &t->markers);
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
