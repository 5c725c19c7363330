#include "parser/analyze/span_learn.h"

#include "parser/analyze/consumer.h"
#include "parser/analyze/spans.h"

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now) {}
static void gone(void *arg, uint32_t thread) {}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct spans *s = arg;
    const struct span_thread *l = &s->live.v[thread];
    uint64_t ns = now > l->since ? (uint64_t)now - (uint64_t)l->since : 0;
    span_filter_ends(s->filter, &s->texts, l->number, l->may_count, l->name, ns);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct spans *s = state;
    return spans_event(s, ev) && !s->filter->failed;
}

static bool end(void *state) { return spans_end(state); }

bool span_filter_learn(struct span_filter *f, struct gotrace_reader *r)
{
    static const struct span_watcher watcher = {.appears = appears, .ends = ends, .gone = gone};
    static const struct event_consumer consumer = {NULL, event, end};
    struct spans s;
    spans_init(&s, &watcher, &s);
    s.filter = f;
    f->mode = SPAN_LEARNS;
    bool ok = consume_events(r, &consumer, &s) && !f->failed;
    f->length = (uint64_t)s.end - (uint64_t)s.begin;
    f->mode = SPAN_HAS_LEARNED;
    memset(f->stacks, 0, sizeof f->stacks); /* they are this reader's */
    spans_free(&s);
    return ok;
}
