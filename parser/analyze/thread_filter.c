#include "parser/analyze/thread_filter.h"

#include <string.h>

#include "parser/analyze/consumer.h"
#include "parser/analyze/spans.h"

struct learned {
    uint64_t number;
    bool waited; /* for one of the reasons */
};

struct learning {
    struct spans spans;
    struct span_filter *filter;
    struct thread_filter *to;
    VEC(struct learned) threads; /* those in spans.live */
    bool failed;
};

static void appears(void *arg, uint32_t thread, uint32_t maker, int64_t now)
{
    struct learning *l = arg;
    while (!l->failed && l->threads.n <= thread) {
        if (VEC_ROOM(&l->threads))
            l->threads.v[l->threads.n++] = (struct learned){0};
        else
            l->failed = true;
    }
    if (!l->failed)
        l->threads.v[thread] = (struct learned){.number = l->to->nthreads++};
}

static bool set(struct thread_filter *t, uint64_t nth)
{
    while (nth / 64 >= t->bits.n) {
        if (!VEC_ROOM(&t->bits))
            return false;
        t->bits.v[t->bits.n++] = 0;
    }
    t->bits.v[nth / 64] |= UINT64_C(1) << nth % 64;
    t->npassed++;
    return true;
}

static void gone(void *arg, uint32_t thread)
{
    struct learning *l = arg;
    if (l->failed || !span_filter_thread(l->filter, &l->spans.texts, l->spans.live.v[thread].name) ||
        (l->to->nreasons && !l->threads.v[thread].waited))
        return;
    l->failed = !set(l->to, l->threads.v[thread].number);
}

static void ends(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    struct learning *l = arg;
    const struct span_thread *t = &l->spans.live.v[thread];
    for (size_t i = 0; !l->failed && i < l->to->nreasons && t->state == GOTRACE_STATE_WAITING; i++)
        l->threads.v[thread].waited |= !strcmp(stat_text_of(&l->spans.texts, t->reason), l->to->reasons[i]);
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct learning *l = state;
    return spans_event(&l->spans, ev) && !l->failed;
}

static bool end(void *state)
{
    struct learning *l = state;
    return spans_end(&l->spans) && !l->failed;
}

bool thread_filter_learn(struct thread_filter *t, struct span_filter *f, struct gotrace_reader *r)
{
    static const struct span_watcher watcher = {.appears = appears, .ends = ends, .gone = gone};
    static const struct event_consumer consumer = {NULL, event, end};
    struct learning l = {.filter = f, .to = t};
    spans_init(&l.spans, &watcher, &l);
    bool ok = consume_events(r, &consumer, &l) && !f->failed;
    f->length = (uint64_t)l.spans.end - (uint64_t)l.spans.begin;
    f->mode = SPAN_HAS_LEARNED;
    spans_free(&l.spans);
    VEC_FREE(&l.threads);
    return ok;
}

void thread_filter_free(struct thread_filter *t) { VEC_FREE(&t->bits); }
