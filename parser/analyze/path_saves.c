#include "parser/analyze/path_saves.h"

#include <string.h>

#include "parser/analyze/path_sums.h"

enum { AT_ONCE = 256, LONGEST = 4 }; /* so many savings are found out in one go over the records */

/* The last wait that something from outside ended, of the thread, or of one that has led to where it is. */
struct outside {
    bool was;
    int64_t first;            /* when the first such wait on the way began */
    int64_t begin, end;       /* the last one */
    uint32_t counts[LONGEST]; /* its savings, + 1 */
};

struct thread {
    uint64_t *saved;   /* of each saving, how much earlier the thread is there; NULL: not at all */
    uint64_t *then;    /* the same, before the wait for outside; behind saved */
    struct outside outside;
    uint32_t name;     /* the saving of its name, + 1 */
    uint32_t waits;    /* the saving of what it was just woken from, + 1 */
    int64_t since;     /* the end of its last record */
    uint32_t tried;    /* what it waited for last, text, and */
    uint64_t trials;   /* how long it has done so without being woken */
};

struct saves {
    struct path_collect *c;
    const struct path_end *end;
    size_t n;
    struct thread *threads;
    uint64_t **unused; /* memory of threads that have come to their last record */
    size_t nunused;
    uint32_t none; /* text: "" */
    struct idmap index[PATH_WHATS]; /* key + 1 to the number of the saving + 1 */
    bool failed;
};

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static uint32_t saving_of(const struct saves *s, enum path_what what, uint64_t key)
{
    return idmap_get(&s->index[what], key + 1);
}

static bool has_memory(struct saves *s, struct thread *t)
{
    if (t->saved)
        return true;
    if (s->nunused) {
        t->saved = s->unused[--s->nunused];
        memset(t->saved, 0, 2 * s->n * sizeof *t->saved);
    } else {
        t->saved = calloc(2 * s->n, sizeof *t->saved);
    }
    s->failed |= !t->saved;
    t->then = t->saved ? t->saved + s->n : NULL;
    return t->saved;
}

/* A stretch that is no longer than ns. A wait of which only the begin is known is one that nobody ends. */
static void step(struct saves *s, const struct path_record *r, uint64_t ns)
{
    struct thread *t = &s->threads[r->thread];
    bool unended = r->kind != PATH_STEP;
    uint8_t state = unended ? GOTRACE_STATE_WAITING : r->state;
    uint16_t none = (uint16_t)s->none, object = (uint16_t)r->object;
    uint64_t deed = unended ? path_deed_key(state, false, none, none, object)
                            : path_deed_key(state, r->sampled, r->reason, r->what, object);
    uint32_t counts[LONGEST] = {
        saving_of(s, PATH_STATE, state),
        saving_of(s, PATH_DEED, deed),
        state == GOTRACE_STATE_WAITING    ? saving_of(s, PATH_OBJECT, object)
        : state == GOTRACE_STATE_RUNNABLE ? t->waits
                                          : 0,
        state == GOTRACE_STATE_RUNNABLE ? 0 : t->name,
    };
    if (!unended && r->outside) {
        int64_t begin = r->end - (int64_t)ns;
        t->outside = (struct outside){true, t->outside.was ? t->outside.first : begin, begin, r->end, {0}};
        memcpy(t->outside.counts, counts, sizeof counts);
        if (t->saved)
            memcpy(t->then, t->saved, s->n * sizeof *t->then);
    }
    for (int i = 0; i < LONGEST; i++)
        if (counts[i] && has_memory(s, t))
            t->saved[counts[i] - 1] += ns;
    t->waits = 0;
    if (state == GOTRACE_STATE_WAITING) {
        t->trials = t->tried == object ? t->trials + ns : ns;
        t->tried = object;
    }
}

/*
 * How much earlier the waker came to this. What came from outside would have come as much earlier as somebody began
 * earlier to wait for it: who is woken, if that was the last to begin. What the waker did since then comes on top; that
 * is known from the last such wait on, and what was done before is all taken to be saved.
 */
static uint64_t saved_by(const struct thread *t, const struct thread *by, size_t i, int64_t since)
{
    const struct outside *o = &by->outside;
    uint64_t its = by->saved ? by->saved[i] : 0, before = by->saved ? by->then[i] : 0;
    if (!o->was || o->first >= since || o->end <= since)
        return its;
    for (int k = 0; k < LONGEST && o->begin < since; k++)
        if (o->counts[k] == i + 1)
            before += (uint64_t)since - (uint64_t)o->begin;
    return t->saved[i] + (its > before ? its - before : 0) +
           (o->begin > since ? (uint64_t)o->begin - (uint64_t)since : 0);
}

/* What is known of waits for outside on the way that leads to who is woken, back to before its wait. */
static struct outside outside_of(const struct thread *t, const struct thread *by, int64_t since)
{
    struct outside o = by->outside;
    if (!o.was || o.first >= since || o.end <= since)
        return o;
    o.first = t->outside.was ? t->outside.first : since;
    o.begin = later(o.begin, since);
    return o;
}

/* Who is woken has saved what it came earlier to its wait, and its waker came earlier to this: the lesser of both. */
static void wake(struct saves *s, const struct path_record *r, int64_t begin)
{
    struct thread *t = &s->threads[r->thread], *by = &s->threads[r->by];
    int64_t since = later(begin, s->end->from);
    uint64_t waited = (uint64_t)r->end - (uint64_t)since;
    uint32_t object = saving_of(s, PATH_OBJECT, r->object);
    struct outside outside = outside_of(t, by, since);
    t->waits = object;
    if ((by->saved || t->saved || object || outside.was) && has_memory(s, t)) {
        bool covers = by->outside.was && by->outside.begin < since && since < by->outside.end;
        uint64_t trials = t->tried == r->object ? t->trials : 0; /* are part of this wait */
        uint64_t without = object ? t->saved[object - 1] + waited - trials : 0;
        for (size_t i = 0; i < s->n; i++) {
            uint64_t own = t->saved[i] + waited, its = saved_by(t, by, i, since);
            t->then[i] = covers ? t->saved[i] : by->saved ? by->then[i] : 0;
            t->saved[i] = own < its ? own : its;
        }
        if (object)
            t->saved[object - 1] = without;
    }
    t->outside = outside;
    t->trials = 0;
}

static void make(struct saves *s, const struct path_record *r)
{
    struct thread *t = &s->threads[r->thread];
    if (r->by == PATH_NOBODY)
        return;
    t->outside = s->threads[r->by].outside;
    if (s->threads[r->by].saved && has_memory(s, t))
        memcpy(t->saved, s->threads[r->by].saved, 2 * s->n * sizeof *t->saved);
}

static void release(struct saves *s, uint32_t thread)
{
    struct thread *t = &s->threads[thread];
    if (t->saved)
        s->unused[s->nunused++] = t->saved;
    t->saved = t->then = NULL;
}

/* A thread's last record may be followed by that of one that it wakes or makes, which still asks for its savings. */
static void go_over(struct saves *s)
{
    struct path_log *log = &s->c->log;
    const struct path_end *e = s->end;
    uint64_t n = path_log_count(log);
    uint32_t done = PATH_NOBODY;
    for (uint64_t i = 1; i <= n && !log->error && !s->failed; i++) {
        struct path_record r = path_log_get(log, i);
        struct thread *t = &s->threads[r.thread];
        int64_t begin = t->since;
        if (r.kind == PATH_WAIT && r.end == begin)
            t->trials = 0; /* they are waits of their own */
        t->since = r.end;
        if (r.end <= e->from || r.end > e->to || r.kind == PATH_WAIT)
            continue;
        if (r.kind == PATH_STEP)
            step(s, &r, (uint64_t)r.end - (uint64_t)later(begin, e->from));
        else if (r.kind == PATH_WOKEN)
            wake(s, &r, begin);
        else
            make(s, &r);
        if (done != PATH_NOBODY)
            release(s, done);
        done = i == e->lasts[r.thread] && r.thread != e->thread ? r.thread : PATH_NOBODY;
    }
}

/* What the thread is doing at the end. */
static void finish(struct saves *s)
{
    const struct path_end *e = s->end;
    if (!e->next || !e->last)
        return;
    struct path_record last = path_log_get(&s->c->log, e->last), next = path_log_get(&s->c->log, e->next);
    step(s, &next, (uint64_t)e->to - (uint64_t)later(last.end, e->from));
}

static bool prepare(struct saves *s, const struct path_saving *savings)
{
    for (size_t i = 0; i < s->n; i++)
        if (!idmap_add(&s->index[savings[i].what], savings[i].key + 1, (uint32_t)i + 1))
            return false;
    for (size_t i = 0; i < s->c->threads.n; i++)
        s->threads[i].name = saving_of(s, PATH_NAME, s->c->threads.v[i].name);
    return true;
}

static bool find_out(struct path_collect *c, const struct path_end *end, struct path_saving *savings, size_t n)
{
    struct saves s = {.c = c, .end = end, .n = n, .none = stat_literal(&c->spans.texts, "")};
    s.threads = calloc(c->threads.n + 1, sizeof *s.threads);
    s.unused = calloc(c->threads.n + 1, sizeof *s.unused);
    s.failed = !s.threads || !s.unused || !prepare(&s, savings);
    if (!s.failed) {
        go_over(&s);
        finish(&s);
    }
    const uint64_t *saved = s.failed ? NULL : s.threads[end->thread].saved;
    for (size_t i = 0; i < n; i++)
        savings[i].ns = !saved ? 0 : saved[i] < savings[i].ns ? saved[i] : savings[i].ns;
    for (size_t i = 0; s.threads && i < c->threads.n; i++)
        free(s.threads[i].saved);
    while (s.nunused)
        free(s.unused[--s.nunused]);
    for (int i = 0; i < PATH_WHATS; i++)
        idmap_free(&s.index[i]);
    free(s.threads);
    free(s.unused);
    c->failed |= s.failed;
    return !s.failed && !c->log.error;
}

bool path_saves(struct path_collect *c, const struct path_end *end, struct path_saving *savings, size_t n)
{
    for (size_t i = 0; i < n && end->thread == PATH_NOBODY; i++)
        savings[i].ns = 0;
    for (size_t at = 0; end->thread != PATH_NOBODY && at < n; at += AT_ONCE)
        if (!find_out(c, end, savings + at, n - at < AT_ONCE ? n - at : AT_ONCE))
            return false;
    return true;
}
