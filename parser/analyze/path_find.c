#include "parser/analyze/path_find.h"

#include <string.h>

/* What is known of a thread at a time. */
struct at {
    uint64_t next; /* the record that goes on from there */
    int64_t acted; /* when it did something the last time */
    uint8_t state;
};

static void take_end(const struct path_collect *c, struct at *at, uint64_t *lasts)
{
    for (size_t i = 0; i < c->threads.n; i++) {
        at[i] = (struct at){.acted = c->threads.v[i].acted, .state = c->threads.v[i].state};
        lasts[i] = c->threads.v[i].last;
    }
}

/* What each thread was doing then is in the first record behind that time, which may be the last of all. */
static void scan(struct path_collect *c, int64_t to, struct at *at, uint64_t *lasts)
{
    uint64_t n = path_log_count(&c->log);
    for (uint64_t i = 1; i <= n && !c->log.error; i++) {
        struct path_record r = path_log_get(&c->log, i);
        struct at *t = &at[r.thread];
        if (r.kind == PATH_WAIT)
            continue;
        if (r.end <= to) {
            lasts[r.thread] = i;
            t->state = r.kind == PATH_STEP && r.end == to ? r.state : GOTRACE_STATE_NOT_EXIST;
            if (r.kind == PATH_STEP && (r.state == GOTRACE_STATE_RUNNING || r.state == GOTRACE_STATE_SYSCALL))
                t->acted = r.end;
        } else if (!t->next && lasts[r.thread]) {
            t->next = i;
            t->state = r.kind == PATH_STEP ? r.state : GOTRACE_STATE_WAITING;
        }
    }
}

static const char *name_of(const struct path_collect *c, uint32_t thread)
{
    return stat_text_of(&c->spans.texts, c->threads.v[thread].name);
}

/* Go's runtime has threads of its own, which nobody waits for; one of them reads the trace. */
static bool is_runtimes(const char *name)
{
    return (!strncmp(name, "runtime.", 8) && strcmp(name, "runtime.main") != 0) || !strncmp(name, "runtime/", 8);
}

static bool is_busy(const struct at *t)
{
    return t->state == GOTRACE_STATE_RUNNING || t->state == GOTRACE_STATE_SYSCALL || t->state == GOTRACE_STATE_RUNNABLE;
}

static bool is_later(const struct at *a, const struct at *b)
{
    return is_busy(a) != is_busy(b) ? is_busy(a) : a->acted > b->acted;
}

static bool is_wanted(const struct path_collect *c, const struct path_query *q, uint32_t thread)
{
    const char *name = name_of(c, thread);
    return q->matches ? q->matches(q->arg, c->threads.v[thread].id, name) : !is_runtimes(name);
}

static uint32_t choose(const struct path_collect *c, const struct path_query *q, const struct at *at,
                       const uint64_t *lasts)
{
    uint32_t best = PATH_NOBODY;
    for (uint32_t i = 0; i < c->threads.n; i++) {
        if (!lasts[i])
            continue;
        if (!q->matches && c->threads.v[i].id == 1 && is_busy(&at[i]))
            return i;
        if (is_wanted(c, q, i) && (best == PATH_NOBODY || is_later(&at[i], &at[best])))
            best = i;
    }
    return best;
}

/* Who made the last event of the trace was the last to do something, if it still could. */
static void note_actor(const struct path_collect *c, int64_t to, struct at *at)
{
    for (uint32_t i = 0; i < c->threads.n && to >= c->spans.end; i++)
        if (c->threads.v[i].id == c->actor && is_busy(&at[i]))
            at[i].acted = INT64_MAX;
}

bool path_find(struct path_collect *c, const struct path_query *q, struct path_end *end)
{
    size_t n = c->threads.n;
    struct at *at = calloc(n + 1, sizeof *at);
    *end = (struct path_end){.thread = q->thread, .from = q->from, .to = q->to, .end = q->to};
    end->lasts = calloc(n + 1, sizeof *end->lasts);
    if (!at || !end->lasts) {
        free(at);
        c->failed = true;
        return false;
    }
    for (size_t i = 0; i < n; i++)
        at[i] = (struct at){.acted = INT64_MIN};
    if (q->to >= c->spans.end)
        take_end(c, at, end->lasts);
    else
        scan(c, q->to, at, end->lasts);
    note_actor(c, q->to, at);
    if (q->thread == PATH_NOBODY)
        end->thread = choose(c, q, at, end->lasts);
    if (end->thread != PATH_NOBODY) {
        end->last = end->lasts[end->thread];
        end->next = at[end->thread].next;
        if (!end->next && end->last)
            end->end = path_log_get(&c->log, end->last).end;
    }
    free(at);
    return !c->log.error;
}
