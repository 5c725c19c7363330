#include "parser/rewrite/merge.h"

#include <string.h>

#include "parser/reader.h"
#include "parser/rewrite/merge_steps.h"

enum { GENERATION_SIZE = 4 << 20, STATUS_SIZE = 16, BILLION = 1000000000 };

/* Later ones could not be told apart by a nanosecond. */
static const int64_t LATEST = INT64_MAX / 2;

/* ---- which is next ---------------------------------------------------------------------------------------------- */

static bool is_before(const struct merge_part *a, const struct merge_part *b)
{
    return a->next_time != b->next_time ? a->next_time < b->next_time : a->distinct.nth < b->distinct.nth;
}

static void sink(struct merging *m, size_t i)
{
    struct merge_part *p = m->heap[i];
    for (size_t child; (child = 2 * i + 1) < m->n; i = child) {
        child += child + 1 < m->n && is_before(m->heap[child + 1], m->heap[child]);
        if (!is_before(m->heap[child], p))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = p;
}

static struct merge_input *input_of(const struct merging *m, const struct merge_part *p)
{
    return &m->m->inputs[p->distinct.nth - 1];
}

static bool out_of_range(struct merging *m, const struct gotrace_event *ev)
{
    fail(m->f, GOTRACE_EBROKEN, event_place(ev), "its times are out of range");
    return false;
}

/* Reads on. False: f says why; that the trace is over, or broken, is no reason. */
static bool advance(struct merging *m, struct merge_part *p)
{
    struct merge_input *in = input_of(m, p);
    const struct gotrace_error *e;
    p->next = gotrace_reader_next(in->reader);
    if (!p->next) {
        if ((e = gotrace_reader_error(in->reader)))
            fail(&in->failure, e->status, (struct place){e->generation, e->thread, e->offset, e->event}, "%s",
                 e->message);
        return true;
    }
    return (!__builtin_add_overflow(p->next->time, in->moment.shift, &p->next_time) && p->next_time < LATEST) ||
           out_of_range(m, p->next);
}

/* ---- generations ------------------------------------------------------------------------------------------------ */

static struct merge_part *part(const struct merging *m, size_t i) { return m->m->inputs[i].part; }

/* Says all that is to be said in this generation. */
static bool state_all(struct merging *m)
{
    for (size_t i = 0; i < m->m->n; i++) {
        struct merge_part *p = part(m, i);
        if (!p->open)
            continue;
        m->w.source = &p->source;
        if (!trim_state_before(&p->t, INT64_MAX, ID_NONE))
            return false;
    }
    return true;
}

static void forget_statuses(struct merging *m)
{
    m->alive = 0;
    m->gc_stated = false;
    for (size_t i = 0; i < m->m->n; i++) {
        struct trimming *t = &part(m, i)->t;
        if (!part(m, i)->open)
            continue;
        for (size_t j = 0; j < t->gos.n; j++)
            t->gos.v[j].stated = false;
        for (size_t j = 0; j < t->procs.n; j++)
            t->procs.v[j].stated = false;
        t->next_go = t->next_proc = 0;
        m->alive += t->gos.n - t->free_gos.n + t->procs.n;
    }
}

/* How often the CPU was looked at is what the first says of it. */
static bool say_origin(struct merging *m, const struct origin *o)
{
    char text[ORIGIN_NOTE];
    if (o->has_clock &&
        !rewriter_string_itself(&m->w, (struct gotrace_str){text, origin_clock_note(o, text)}))
        return false;
    return !o->cpu_hz || rewriter_string_itself(&m->w, (struct gotrace_str){text, origin_rate_note(o, text)});
}

static bool next_generation(struct merging *m, int64_t time)
{
    const struct origin *o = &m->m->origin;
    /* Where no clock is known, one that began with time is as good as any. */
    struct gotrace_clock_snapshot clock = {0};
    if (o->has_clock)
        clock = (struct gotrace_clock_snapshot){o->trace, o->mono, o->wall / BILLION, o->wall % BILLION};
    if (!state_all(m) || !rewriter_generation(&m->w, time, &clock) || !say_origin(m, o))
        return false;
    forget_statuses(m);
    return true;
}

/* Not while the world is stopped: the end of that refers to a string of its begin. */
static bool is_full(const struct merging *m)
{
    return m->w.size > GENERATION_SIZE + m->alive * STATUS_SIZE && (!m->stops || m->w.size / 4 > GENERATION_SIZE);
}

/* ---- collections of garbage, metrics ---------------------------------------------------------------------------- */

static const uint8_t metric_types[MERGE_METRICS] = {EV_HeapAlloc, EV_HeapGoal, EV_ProcsChange};

/* A goroutine runs, which is what all these need. */
static bool is_running(const struct merge_part *p, const struct gotrace_event *ev)
{
    const struct trim_go *go = trim_go(&p->t, ev->goroutine);
    const struct trim_proc *proc = trim_proc(&p->t, ev->proc);
    return !p->t.skip && go && proc && go->status == GO_RUNNING && proc->status == PROC_RUNNING;
}

static bool is_due(const struct merging *m)
{
    bool due = m->collecting ? !m->gc_said || !m->gc_stated : m->gc_said;
    for (unsigned i = 0; i < MERGE_METRICS; i++)
        due |= m->metrics[i].due;
    return due;
}

/* The trace collects while any of its parts does. */
static bool say_collection(struct merging *m, const struct gotrace_event *ev)
{
    bool collects = m->collecting;
    uint64_t args[] = {m->gc_seq + 1, 0};
    uint8_t type = !collects ? EV_GCEnd : m->gc_said ? EV_GCActive : EV_GCBegin;
    if (collects == m->gc_said && (!collects || m->gc_stated))
        return true;
    m->gc_seq++;
    m->gc_said = collects;
    m->gc_stated = true;
    return (ev->type != EV_GCBegin || rewriter_stack(&m->w, ev->tables, ev->args[1], &args[1])) &&
           rewriter_event(&m->w, ev->thread, ev->time, type, args);
}

/* What is of the whole program, and has changed where nobody could say so. */
static bool say_what_is_due(struct merging *m, struct merge_part *p, const struct gotrace_event *ev)
{
    if (LIKELY(!is_due(m)) || !is_running(p, ev))
        return true;
    if (!trim_state_proc(&p->t, trim_proc(&p->t, ev->proc), ev->thread) ||
        !trim_state_go(&p->t, trim_go(&p->t, ev->goroutine), ev->thread) || !say_collection(m, ev))
        return false;
    for (unsigned i = 0; i < MERGE_METRICS; i++) {
        if (m->metrics[i].due &&
            !rewriter_event(&m->w, ev->thread, ev->time, metric_types[i], (uint64_t[]){m->metrics[i].sum, 0}))
            return false;
        m->metrics[i].due = false;
    }
    return true;
}

static bool collection(struct merging *m, struct merge_part *p, const struct gotrace_event *ev)
{
    bool collects = ev->type == EV_GCBegin;
    if (collects == p->collects)
        return true;
    p->collects = collects;
    m->m->collections += collects && m->collecting;
    m->collecting += collects ? 1 : -UINT64_C(1);
    return say_what_is_due(m, p, ev);
}

static void measure(struct merging *m, struct merge_part *p, struct gotrace_event *ev)
{
    for (unsigned i = 0; i < MERGE_METRICS; i++) {
        if (ev->type != metric_types[i])
            continue;
        m->metrics[i].sum += ev->args[0] - p->metrics[i];
        m->metrics[i].due = false;
        p->metrics[i] = ev->args[0];
        ev->args[0] = m->metrics[i].sum;
    }
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static bool refuse(struct merging *m, const struct gotrace_event *ev, const char *why)
{
    fail(m->f, GOTRACE_EINVAL, event_place(ev), "%s", why);
    return false;
}

/*
 * A status that tells no news goes without saying: in generations of our own there are others. Else the proc is taken
 * now, by a thread that has none.
 */
static bool proc_status(struct merging *m, struct merge_part *p, const struct gotrace_event *ev)
{
    struct trim_proc *proc = trim_proc(&p->t, ev->args[0]);
    bool runs = ev->args[1] == PROC_RUNNING;
    if (!proc) /* of a later generation */
        proc = trim_add_proc(&p->t, ev->args[0], PROC_IDLE);
    if (!proc || proc->status == ev->args[1] || ev->args[1] == PROC_SYSCALL_ABANDONED || ev->args[1] == PROC_IDLE)
        return proc;
    if (!runs || proc->status != PROC_IDLE || ev->proc != ID_NONE || ev->thread == ID_NONE)
        return refuse(m, ev, "the proc cannot be as it says");
    if (!trim_state_proc(&p->t, proc, ev->thread))
        return false;
    proc->status = PROC_RUNNING;
    proc->thread = ev->thread;
    return rewriter_event(&m->w, ev->thread, ev->time, EV_ProcStart, (uint64_t[]){proc->id, ++proc->seq});
}

static bool go_status(struct merging *m, struct merge_part *p, const struct gotrace_event *ev)
{
    struct trim_go *go = trim_go(&p->t, ev->args[0]);
    const struct trim_proc *proc = trim_proc(&p->t, ev->proc);
    if (go && go->status == (uint8_t)ev->args[2])
        return true;
    if (!go || (uint8_t)ev->args[2] != GO_RUNNING || go->status != GO_RUNNABLE || ev->goroutine != ID_NONE || !proc ||
        proc->status != PROC_RUNNING)
        return refuse(m, ev, "the goroutine cannot be as it says");
    struct gotrace_event start = *ev;
    start.type = EV_GoStart;
    return trim_take(&p->t, &start);
}

static bool take(struct merging *m, struct merge_part *p, struct gotrace_event *ev)
{
    measure(m, p, ev);
    switch (ev->type) {
    case EV_STWBegin: m->stops++; break;
    case EV_STWEnd: m->stops -= m->stops > 0; break;
    case EV_GCBegin:
    case EV_GCEnd: return collection(m, p, ev);
    case EV_GoStatus:
    case EV_GoStatusStack: return go_status(m, p, ev);
    case EV_ProcStatus: return proc_status(m, p, ev);
    case EV_GCActive:
    case EV_GCSweepActive:
    case EV_GCMarkAssistActive: return true; /* they are known, and said anew in generations of our own */
    case EV_ProcSteal: /* who lost it may not have been known */
        if (trim_proc(&p->t, ev->args[0]) && ev->args[1])
            ev->args[2] = trim_proc(&p->t, ev->args[0])->thread;
        break;
    default: break;
    }
    return say_what_is_due(m, p, ev) && trim_take(&p->t, ev);
}

/* The event of the part that is the earliest. */
static bool merge_event(struct merging *m, struct merge_part *p)
{
    struct merge_input *in = input_of(m, p);
    struct gotrace_event ev = *p->next;
    struct gotrace_sync sync;
    ev.time = p->next_time;
    if (is_full(m) && !next_generation(m, ev.time))
        return false;
    m->w.source = &p->source;
    if (!p->open && !merge_open(m, p, ev.time))
        return false;
    if (ev.type == EV_SYNC_POINT) {
        gotrace_event_sync(p->next, &sync);
        in->experiments += sync.nbatches;
        return true;
    }
    if (event_kinds[ev.type] == GOTRACE_KIND_EXPERIMENTAL) {
        in->experiments++;
        return true;
    }
    return take(m, p, &ev);
}

/* What is there at the end of all traces stays. */
static bool end(struct merging *m, struct merge_part *p)
{
    if (!state_all(m))
        return false;
    m->w.source = &p->source;
    return trim_mark_end(&p->t, p->next_time - 1) && rewriter_end(&m->w);
}

static bool merge_all(struct merging *m, struct merge_part **at)
{
    struct merge_part *p = m->heap[0];
    *at = NULL;
    if (!next_generation(m, p->next_time))
        return false;
    for (;;) {
        p = *at = m->heap[0];
        if (!merge_event(m, p) || !advance(m, p))
            return false;
        if (!p->next) {
            if (m->n == 1)
                return end(m, p);
            if (!merge_close(m, p, p->next_time))
                return false;
            m->heap[0] = m->heap[--m->n];
        }
        sink(m, 0);
    }
}

/* Each has events, as merge_learn has seen. */
static bool begin(struct merging *m, const struct merge_input **of)
{
    distinct_begin(&m->distinct, m->m->n);
    m->heap = calloc(m->m->n, sizeof *m->heap);
    if (!m->heap)
        return rewriter_no_memory(&m->w);
    for (size_t i = 0; i < m->m->n; i++) {
        struct merge_input *in = &m->m->inputs[i];
        struct merge_part *p = in->part;
        *of = in;
        p->distinct = (struct distinct){.all = &m->distinct, .name = in->name, .nth = i + 1};
        p->source.distinct = &p->distinct;
        if (!advance(m, p))
            return false;
        if (!p->next) {
            fail(m->f, GOTRACE_EREAD, (struct place){.thread = ID_NONE}, "it has changed while it was read");
            return false;
        }
        m->heap[m->n++] = p;
    }
    *of = NULL;
    for (size_t i = m->n; i-- > 0;)
        sink(m, i);
    return true;
}

bool merge_traces(struct merge *merge, FILE *to, struct failure *f, const struct merge_input **of)
{
    struct merging m = {.m = merge, .f = f};
    struct merge_part *at = NULL;
    *of = NULL;
    bool ok = rewriter_begin(&m.w, merge->version, to, f) && begin(&m, of) && merge_all(&m, &at);
    if (!ok && at)
        *of = input_of(&m, at);
    rewriter_free(&m.w);
    distinct_end(&m.distinct);
    free(m.heap);
    return ok;
}
