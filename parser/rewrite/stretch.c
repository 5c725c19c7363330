#include "parser/rewrite/trim.h"

#include <string.h>

#include "parser/origin.h"
#include "parser/reader.h"
#include "parser/rewrite/steps.h"

bool trim_no_memory(struct trimming *t) { return rewriter_no_memory(t->w); }

struct trim_go *trim_go(const struct trimming *t, uint64_t id)
{
    uint32_t at = id == ID_NONE ? 0 : idmap_get(&t->go_of, id);
    return at ? &t->gos.v[at - 1] : NULL;
}

struct trim_proc *trim_proc(const struct trimming *t, uint64_t id)
{
    uint32_t at = id == ID_NONE ? 0 : idmap_get(&t->proc_of, id);
    return at ? &t->procs.v[at - 1] : NULL;
}

bool trim_put(struct trimming *t, const struct gotrace_event *ev, uint64_t thread, uint8_t id, const uint64_t *args)
{
    return !t->writes || rewriter_event(t->w, thread, ev->time, id, args);
}

bool trim_copy(struct trimming *t, const struct gotrace_event *ev, uint64_t thread, const uint64_t *args)
{
    return !t->writes || rewriter_copy(t->w, ev, thread, args);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static bool is_kept(const struct trimming *t, uint64_t goroutine)
{
    const struct trim_go *go = trim_go(t, goroutine);
    return !t->trim->keeps || (go && go->kept);
}

static bool other(struct trimming *t, const struct gotrace_event *ev)
{
    uint64_t args[EVENT_MAX_ARGS];
    bool of_nobody = ev->type == EV_HeapAlloc || ev->type == EV_HeapGoal;
    if (!t->writes || (!of_nobody && !is_kept(t, ev->goroutine)))
        return true;
    if (ev->type == EV_CPUSample)
        return rewriter_sample(t->w, ev);
    memcpy(args, ev->args, sizeof args);
    if (ev->type == EV_UserTaskBegin && args[1] == GOTRACE_NONE) /* the reader's word for what is 0 on the wire */
        args[1] = 0;
    return trim_copy(t, ev, ev->thread, args);
}

/* The outermost frame of any of its stacks says what it began with. */
static bool learn_root(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_go *go = t->has_stacks ? trim_go(t, ev->goroutine) : NULL;
    if (!go || go->root || !go->kept || !ev->tables)
        return true;
    go->root = kept_stack_root(&t->kept, gotrace_event_stack(ev));
    return !t->kept.failed || trim_no_memory(t);
}

/* What the event takes for granted. */
static bool state_context(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_proc *p = trim_proc(t, ev->proc);
    struct trim_go *go = trim_go(t, ev->goroutine);
    return trim_state_before(t, ev->time, ev->thread) && (!p || trim_state_proc(t, p, ev->thread)) &&
           (!go || trim_state_go(t, go, ev->thread));
}

bool trim_take(struct trimming *t, const struct gotrace_event *ev)
{
    if (t->skip) {
        t->skip--;
        return true;
    }
    if (t->writes ? !state_context(t, ev) : !learn_root(t, ev))
        return false;
    switch (ev->type) {
    case EV_ProcStart:
    case EV_ProcStop:
    case EV_ProcSteal:
    case EV_ProcStatus: return trim_proc_event(t, ev);
    default: break;
    }
    switch (event_kinds[ev->type]) {
    case GOTRACE_KIND_TRANSITION: return trim_go_event(t, ev);
    case GOTRACE_KIND_RANGE_BEGIN:
    case GOTRACE_KIND_RANGE_ACTIVE:
    case GOTRACE_KIND_RANGE_END: return trim_range_event(t, ev);
    default: return other(t, ev);
    }
}

/* ---- generations ------------------------------------------------------------------------------------------------ */

/*
 * Batches of experiments are of a whole generation, and nobody but who made them can tell what in them is of a part of
 * it.
 */
static bool experiments(struct trimming *t, const struct generation *g, int64_t time)
{
    if (t->trim->whole)
        return rewriter_experiments(t->w, g, time);
    t->batches += g->experimental.n;
    return true;
}

static bool generation(struct trimming *t, const struct generation *g, int64_t time,
                       const struct gotrace_clock_snapshot *clock)
{
    return rewriter_generation(t->w, time, clock) && rewriter_notes(t->w, g, t->trim->whole) && experiments(t, g, time);
}

/* ---- the stretch ------------------------------------------------------------------------------------------------ */

struct stretch {
    struct rewriter w;
    struct trimming t;
    int64_t begin, from, to;
    unsigned nth;   /* of the generation that is read */
    bool known;     /* when the trace begins */
    bool has_clock; /* of the generation that is read */
    struct gotrace_clock_snapshot clock;
    struct origin origin; /* what the generations have said so far */
};

static int64_t after(int64_t begin, uint64_t ns)
{
    return ns < (uint64_t)INT64_MAX - (uint64_t)begin ? (int64_t)((uint64_t)begin + ns) : INT64_MAX;
}

static void learn_generation(struct stretch *s, const struct gotrace_event *sync_event)
{
    struct gotrace_sync sync;
    gotrace_event_sync(sync_event, &sync);
    s->has_clock = sync.has_clock;
    s->clock = sync.clock;
    origin_learn(&s->origin, sync_event);
}

static bool sync_event(struct stretch *s, const struct gotrace_event *ev)
{
    struct trimming *t = &s->t;
    if (!t->writes || !ev->tables)
        return true;
    return trim_state_before(t, INT64_MAX, ID_NONE) &&
           generation(t, ev->tables, ev->time, s->has_clock ? &s->clock : NULL);
}

/* The first generation says for all of them how often the CPU was sampled. */
static bool say_rate(struct stretch *s)
{
    char note[ORIGIN_NOTE];
    return !s->origin.cpu_hz ||
           rewriter_string_itself(&s->w, (struct gotrace_str){note, origin_rate_note(&s->origin, note)});
}

static bool begin(struct stretch *s, const struct gotrace_event *ev)
{
    struct trimming *t = &s->t;
    if (!generation(t, ev->tables, s->from, s->has_clock ? &s->clock : NULL) || !say_rate(s))
        return false;
    t->writes = true;
    return true;
}

/* 1: go on; 0: the stretch is over; -1: it failed. */
static int show(struct stretch *s, const struct gotrace_event *ev)
{
    struct trimming *t = &s->t;
    if (!s->known) {
        s->begin = ev->time;
        s->from = after(s->begin, t->trim->from);
        s->to = after(s->begin, t->trim->to);
        s->known = true;
        if (s->begin < 0) {
            fail(t->f, GOTRACE_EBROKEN, event_place(ev), "its times are out of range");
            return -1;
        }
    }
    if (ev->type == EV_SYNC_POINT)
        learn_generation(s, ev);
    if (!t->writes && ev->time >= s->from && ev->tables && !t->skip) {
        if (!begin(s, ev))
            return -1;
        if (ev->type == EV_SYNC_POINT)
            return ev->time < s->to;
    }
    if (ev->time >= s->to)
        return 0;
    return (ev->type == EV_SYNC_POINT ? sync_event(s, ev) : trim_take(t, ev)) ? 1 : -1;
}

static bool read_failed(const struct gotrace_reader *r, struct failure *f)
{
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (!e)
        return false;
    fail(f, e->status, (struct place){e->generation, e->thread, e->offset, e->event}, "%s", e->message);
    f->error.sys_errno = e->sys_errno;
    return true;
}

/*
 * In the first generation of a trace goroutines that nothing happens to have their statuses at its end. Whether that
 * can be read does not matter any more.
 */
static bool look_ahead(struct stretch *s, struct gotrace_reader *r, const struct gotrace_event *ev)
{
    s->t.over = true;
    for (; ev && ev->type != EV_SYNC_POINT; ev = gotrace_reader_next(r))
        if (!trim_late_status(&s->t, ev))
            return false;
    return true;
}

/* The last event may come before the stretch ends, at `end`; the reader's own is one later. */
static bool finish(struct stretch *s, int64_t end)
{
    struct trimming *t = &s->t;
    t->next_go = t->over ? 0 : t->next_go;
    return trim_state_before(t, INT64_MAX, ID_NONE) && trim_mark_end(t, end - 1) && rewriter_end(t->w);
}

void trim_free(struct trimming *t)
{
    kept_stacks_free(&t->kept);
    idmap_free(&t->go_of);
    idmap_free(&t->proc_of);
    VEC_FREE(&t->gos);
    VEC_FREE(&t->free_gos);
    VEC_FREE(&t->procs);
}

bool trim_trace(struct gotrace_reader *r, struct trim *trim, FILE *to, struct failure *f)
{
    struct stretch s = {.t = {.w = &s.w, .trim = trim, .f = f}};
    const struct gotrace_event *ev = gotrace_reader_next(r);
    bool ok = ev && rewriter_begin(&s.w, gotrace_reader_version(r), to, f);
    s.t.has_stacks = ok && r->version->coroutines;
    int more = ok;
    int64_t last = 0;
    while (ev && more > 0) {
        last = ev->time;
        if (trim->validator && gotrace_validator_event(trim->validator, ev) < 0 && !trim_no_memory(&s.t))
            more = -1;
        else
            more = show(&s, ev);
        if (more <= 0)
            break;
        s.nth += ev->type == EV_SYNC_POINT;
        ev = gotrace_reader_next(r);
    }
    bool cut = more == 0;
    ok = ok && more >= 0 && (cut || !read_failed(r, f)) && (!cut || s.nth != 1 || look_ahead(&s, r, ev));
    trim->empty = !s.t.writes;
    trim->batches = s.t.batches;
    trim->length = (uint64_t)last - (uint64_t)s.begin;
    ok = ok && (trim->empty || finish(&s, cut ? s.to : last));
    if (!ok)
        read_failed(r, f);
    rewriter_free(&s.w);
    trim_free(&s.t);
    return ok;
}
