#include "config.h"

#include "cmd/top/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/finish/finish_write.h"
#include "cmd/finish/recording_read.h"

/* --- the trace ---------------------------------------------------------------------------------------------------- */

struct bytes {
    char *v;
    size_t n;
};

static int64_t in_ns(const struct trace_time *t, uint64_t ticks)
{
    return (int64_t)(trace_time_of(t, ticks) * (1000000000 / t->hz));
}

static const char *make_trace(struct bytes *to, struct spool_file *f, const struct process_root *root, uint64_t hz,
                              struct trace_time *time)
{
    struct recording r;
    struct finish_summary sum = {.events = 0};
    FILE *out = memory_file(&to->v, &to->n);
    const char *wrong = recording_read(&r, f);
    if (!wrong && !out)
        wrong = "out of memory";
    if (!wrong) {
        r.root = *root;
        wrong = finish_prepare(&r, f->header, hz, NULL, &sum);
        *time = r.time;
    }
    if (!wrong)
        wrong = finish_write_to(out, f, &r, &sum);
    if (out && fclose(out) && !wrong)
        wrong = "out of memory";
    recording_free(&r);
    return wrong;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct summing {
    struct window *window;
    const struct open_waits *open;
    struct trace_time time;
    int64_t over_at; /* the generation ended then, in ns of the trace, as far as it is told */
};

/*
 * The clock was read when the newest generation that is over ended, maybe long after its last event. The process may
 * say what it likes: a generation is no longer than a day.
 */
static int64_t end_of(const struct trace_time *t, const struct spool_file *f, uint64_t hz)
{
    enum { DAY_S = 86400 };
    uint64_t begin = f->events.v[0].time, end = f->header->last.ticks;
    return end > begin && (end - begin) / hz < DAY_S ? in_ns(t, end) : 0;
}

/* The first line of a text that says more in others. */
static char *first_line(const char *text) { return strndup(text, strcspn(text, "\n")); }

static const char *what_of(const struct window *w, const struct span_thread *l)
{
    const struct stat_texts *t = &w->stat.spans.texts;
    if (l->state == GOTRACE_STATE_WAITING)
        return l->object.kind ? stat_text_of(t, l->object.text)
               : l->what      ? stat_text_of(t, l->what)
                              : stat_text_of(t, l->reason);
    return l->state == GOTRACE_STATE_SYSCALL ? stat_text_of(t, l->where ? l->where : l->what) : "";
}

/* What it was in when the window began may have begun long before. */
static bool take_thread(struct window *w, const struct span_thread *l, const struct summing *how)
{
    const struct span_filter *f = w->stat.spans.filter;
    if (f && regexec(&f->expressions[SPAN_THREAD], stat_text_of(&w->stat.spans.texts, l->name), 0, NULL, 0))
        return true;
    struct window_thread t = {.g = l->id, .tid = l->tid, .state = l->state, .since = l->since};
    const struct open_wait *o = l->since < w->begin ? open_waits_find(how->open, l->id) : NULL;
    if (o && o->older && l->state != GOTRACE_STATE_WAITING)
        o = NULL; /* the status was of before */
    if (o)
        t.since = in_ns(&how->time, o->time);
    t.known = o ? !o->older : l->since >= w->begin;
    t.name = strdup(stat_text_of(&w->stat.spans.texts, l->name));
    t.what = first_line(what_of(w, l));
    if (!t.name || !t.what || !VEC_ROOM(&w->threads)) {
        free(t.name);
        free(t.what);
        return false;
    }
    w->threads.v[w->threads.n++] = t;
    return true;
}

static bool take_threads(const struct summing *how)
{
    const struct spans *s = &how->window->stat.spans;
    bool ok = true;
    for (uint32_t i = 0; i < s->live.n && ok; i++)
        if (spans_find(s, s->live.v[i].id) == i)
            ok = take_thread(how->window, &s->live.v[i], how);
    return ok;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static bool begin(void *state, const struct gotrace_reader *r)
{
    return stat_consumer.begin(&((struct summing *)state)->window->stat, r);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct window *w = ((struct summing *)state)->window;
    struct gotrace_transition t;
    if (gotrace_event_time(ev) >= w->begin) {
        w->events++;
        w->wakeups += gotrace_event_transition(ev, &t) && t.from == GOTRACE_STATE_WAITING &&
                      t.to == GOTRACE_STATE_RUNNABLE;
    }
    return stat_consumer.event(&w->stat, ev);
}

static bool end(void *state)
{
    const struct summing *s = state;
    struct spans *spans = &s->window->stat.spans;
    spans->end = spans->end < s->over_at ? s->over_at : spans->end;
    s->window->end = spans->end;
    return take_threads(s) && stat_consumer.end(&s->window->stat);
}

static const char *set_filter(struct stat *s, const char *only)
{
    static char why[256];
    if (!only)
        return NULL;
    s->spans.filter = span_filter_new();
    if (!s->spans.filter)
        return "out of memory";
    return span_filter_expression(s->spans.filter, SPAN_THREAD, only, why, sizeof why) ? NULL : why;
}

/* NULL, or why it cannot be summed up. */
static const char *sum_up(struct summing *how, const struct bytes *trace)
{
    static const struct event_consumer consumer = {begin, event, end};
    static char text[256];
    const char *wrong = NULL;
    struct gotrace_reader *r = gotrace_reader_open_memory(trace->v, trace->n);
    bool ok = r && consume_events(r, &consumer, how);
    const struct gotrace_error *e = r ? gotrace_reader_error(r) : NULL;
    if (e) {
        snprintf(text, sizeof text, "%s", e->message);
        wrong = text;
    }
    gotrace_reader_free(r);
    return ok ? wrong : "out of memory";
}

struct window *window_new(struct spool_file *f, const struct process_root *root, uint64_t hz,
                          const struct open_waits *open, const char *only, const char **wrong)
{
    struct bytes trace = {NULL, 0};
    struct window *w = calloc(1, sizeof *w);
    struct summing how = {.window = w, .open = open};
    if (!w) {
        *wrong = "out of memory";
        return NULL;
    }
    stat_init(&w->stat, 1);
    *wrong = set_filter(&w->stat, only);
    if (!*wrong)
        *wrong = make_trace(&trace, f, root, hz, &how.time);
    if (!*wrong) {
        w->begin = in_ns(&how.time, f->events.v[0].time);
        how.over_at = end_of(&how.time, f, hz);
        *wrong = sum_up(&how, &trace);
    }
    free(trace.v);
    if (!*wrong)
        return w;
    window_free(w);
    return NULL;
}

void window_free(struct window *w)
{
    if (!w)
        return;
    span_filter_free(w->stat.spans.filter);
    stat_free(&w->stat);
    for (size_t i = 0; i < w->threads.n; i++) {
        free(w->threads.v[i].name);
        free(w->threads.v[i].what);
    }
    VEC_FREE(&w->threads);
    free(w);
}
