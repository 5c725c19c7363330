/*
 * The validator knows nothing of how the reader orders events: it follows each goroutine and proc through the
 * transitions that the reader reports, and complains where they do not fit together.
 */
#include "parser/validate.h"

#include <stdarg.h>
#include <string.h>

void violation(struct gotrace_validator *v, const struct gotrace_event *ev, const char *fmt, ...)
{
    char message[400];
    struct place at = event_place(ev);
    struct gotrace_error e = {.status = GOTRACE_EBROKEN,
                              .message = message,
                              .generation = at.generation,
                              .thread = at.thread,
                              .offset = at.offset,
                              .event = at.event};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    v->violations++;
    if (v->report)
        v->report(v->arg, &e);
}

struct holder *validate_add(struct gotrace_validator *v, struct holders *h, uint64_t id)
{
    bool reuse = h->free.n > 0;
    if ((!reuse && (!VEC_ROOM(&h->all) || h->all.n >= UINT32_MAX))) {
        v->no_memory = true;
        return NULL;
    }
    uint32_t at = reuse ? h->free.v[h->free.n - 1] : (uint32_t)h->all.n;
    if (!idmap_add(&h->of, id, at + 1)) {
        v->no_memory = true;
        return NULL;
    }
    if (reuse) {
        h->free.n--;
    } else {
        memset(&h->all.v[at], 0, sizeof h->all.v[at]);
        h->all.n++;
    }
    struct holder *added = &h->all.v[at];
    added->id = id;
    return added;
}

static void forget(struct gotrace_validator *v, struct holders *h, struct holder *gone)
{
    if (!VEC_ROOM(&h->free)) {
        v->no_memory = true;
        return;
    }
    h->free.v[h->free.n++] = (uint32_t)(gone - h->all.v);
    idmap_remove(&h->of, gone->id);
    gone->known = false;
    gone->on = 0;
    gone->ranges.n = 0;
}

/* Its index + 1; 0: out of memory. */
static inline uint32_t thread_index(struct gotrace_validator *v, uint64_t id)
{
    uint32_t *recent = &v->recent[id % RECENT];
    if (LIKELY(*recent && v->threads.v[*recent - 1].id == id))
        return *recent;
    uint32_t at = idmap_get(&v->thread_of, id);
    if (!at) {
        if (!VEC_ROOM(&v->threads) || v->threads.n >= UINT32_MAX ||
            !idmap_add(&v->thread_of, id, (uint32_t)v->threads.n + 1)) {
            v->no_memory = true;
            return 0;
        }
        v->threads.v[v->threads.n++] = (struct context){.id = id, .runs = {ID_NONE, ID_NONE}};
        at = (uint32_t)v->threads.n;
    }
    return *recent = at;
}

/* ---- stacks ---------------------------------------------------------------------------------------------------- */

static void begin_tables(struct gotrace_validator *v, const struct generation *g)
{
    if (!g)
        return;
    while (v->checked.cap < g->stacks.n) {
        v->checked.n = v->checked.cap;
        if (!VEC_ROOM(&v->checked)) {
            v->no_memory = true;
            return;
        }
    }
    v->checked.n = g->stacks.n;
    if (g->stacks.n)
        memset(v->checked.v, 0, g->stacks.n);
}

COLD static void check_new_stack(struct gotrace_validator *v, const struct gotrace_event *ev, uint64_t id, uint32_t at)
{
    if (at <= v->checked.n)
        v->checked.v[at - 1] = 1;
    validate_frames(v, ev, event_stack(ev, id));
}

/* Each stack once a generation. */
static inline void check_stack(struct gotrace_validator *v, const struct gotrace_event *ev, uint64_t id)
{
    uint32_t at = id ? idmap_get(&ev->tables->stack_of, id) : 0;
    if (at && UNLIKELY(at > v->checked.n || !v->checked.v[at - 1]))
        check_new_stack(v, ev, id, at);
}

static inline void check_event_stacks(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    /* CPUSample's stack is where the reader puts it; the other arguments of the table begin with dt. */
    unsigned set = ev->type == EV_CPUSample ? 1 : event_table[ev->type].stacks >> 1;
    for (; set; set &= set - 1)
        check_stack(v, ev, ev->args[__builtin_ctz(set)]);
}

/* ---- transitions ----------------------------------------------------------------------------------------------- */

static inline bool executing(unsigned state)
{
    return state == GOTRACE_STATE_RUNNING || state == GOTRACE_STATE_SYSCALL;
}

/* v1 does not say on which thread a system call is that began before the trace, and its first form nothing of any. */
COLD static bool on_unknown_thread(const struct gotrace_validator *v, const struct gotrace_event *ev)
{
    return v->old == WIRE_FIRST_TRACER || (v->old && ev->type == EV_GoStatus && ev->to == GOTRACE_STATE_SYSCALL);
}

/*
 * In v1 a thread that returns from a system call may take a proc out of another thread's, and no event says that the
 * proc is on it now: what happens there seems to happen on a thread that does something else.
 */
COLD static bool threads_are_told(const struct gotrace_validator *v) { return !v->old; }

static inline void begin_executing(struct gotrace_validator *v, const struct gotrace_event *ev, int kind,
                                   struct holder *h)
{
    const char *name = v->holders[kind].name;
    if (ev->thread == ID_NONE) {
        if (!on_unknown_thread(v, ev))
            violation(v, ev, "%s %llu runs, but on no thread", name, (ull)h->id);
        return;
    }
    uint32_t at = thread_index(v, ev->thread);
    if (!at)
        return;
    struct context *t = &v->threads.v[at - 1];
    if (UNLIKELY(t->runs[kind] != ID_NONE && t->runs[kind] != h->id) && threads_are_told(v))
        violation(v, ev, "tried to run %s %llu when %llu was already executing on thread %llu", name, (ull)h->id,
                  (ull)t->runs[kind], (ull)t->id);
    t->runs[kind] = h->id;
    h->on = at;
}

static inline void end_executing(struct gotrace_validator *v, const struct gotrace_event *ev, int kind,
                                 struct holder *h)
{
    const char *name = v->holders[kind].name;
    if (UNLIKELY(!h->on)) {
        /* Where it begins to run on no thread, that is said. */
        if (!v->old)
            violation(v, ev, "stopping %s %llu, which is not bound to any thread", name, (ull)h->id);
        return;
    }
    struct context *t = &v->threads.v[h->on - 1];
    h->on = 0;
    if (UNLIKELY(t->runs[kind] != h->id)) {
        if (!threads_are_told(v))
            return;
        violation(v, ev, "tried to stop %s %llu when it wasn't executing on thread %llu", name, (ull)h->id, (ull)t->id);
    }
    t->runs[kind] = ID_NONE;
}

COLD static void check_states(struct gotrace_validator *v, const struct gotrace_event *ev, const char *name,
                              uint64_t holder_id, unsigned from, unsigned to, const struct holder *h)
{
    ull id = (ull)holder_id;
    if (to == GOTRACE_STATE_UNDETERMINED)
        violation(v, ev, "transition to undetermined state for %s %llu", name, id);
    if (v->last_sync.n > 1 && from == GOTRACE_STATE_UNDETERMINED)
        violation(v, ev, "undetermined %s %llu after the first generation", name, id);
    if (to == GOTRACE_STATE_NOT_EXIST && h->ranges.n)
        violation(v, ev, "%s %llu died with active ranges", name, id);
    if (h->known && from != h->state)
        violation(v, ev, "bad old state for %s %llu: got %s, want %s", name, id, gotrace_state_name(from),
                  gotrace_state_name(h->state));
    if (!h->known && from == GOTRACE_STATE_UNDETERMINED && name == v->holders[GOS].name &&
        idmap_get(&v->died, holder_id))
        violation(v, ev, "bad old state for %s %llu: got %s, want NotExist", name, id, gotrace_state_name(from));
    if (!h->known && from != GOTRACE_STATE_UNDETERMINED && from != GOTRACE_STATE_NOT_EXIST)
        violation(v, ev, "bad old state for unregistered %s %llu: %s", name, id, gotrace_state_name(from));
}

static void transition(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    struct shape shape = event_shapes[ev->type];
    int kind = shape.kind == GOTRACE_RESOURCE_GOROUTINE ? GOS : PROCS;
    uint64_t id = shape.named ? ev->args[0] : kind == GOS ? ev->goroutine : ev->proc;
    unsigned from = shape.from == FROM_EVENT ? ev->from : shape.from, to = shape.to == FROM_EVENT ? ev->to : shape.to;
    struct holders *hs = &v->holders[kind];
    struct holder *h = find_or_add(v, hs, id);
    if (!h)
        return;
    check_event_stacks(v, ev);
    if (UNLIKELY(!h->known || from != h->state || to <= GOTRACE_STATE_NOT_EXIST || from == GOTRACE_STATE_UNDETERMINED))
        check_states(v, ev, hs->name, id, from, to, h);
    h->known = true;
    h->state = (uint8_t)to;
    if (executing(to))
        begin_executing(v, ev, kind, h);
    else if (executing(from))
        end_executing(v, ev, kind, h);
    if (UNLIKELY(to == GOTRACE_STATE_NOT_EXIST)) {
        if (kind == GOS && v->last_sync.n <= 1 && !idmap_get(&v->died, id) && !idmap_add(&v->died, id, 1))
            v->no_memory = true;
        forget(v, hs, h);
    }
}

static int check(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    v->violations = 0;
    if (UNLIKELY(ev->time <= v->last_time && v->last_time))
        violation(v, ev, "timestamp out of order: %lld after %lld", (long long)ev->time, (long long)v->last_time);
    else
        v->last_time = ev->time;
    if (UNLIKELY(event_table[ev->type].since > v->version))
        violation(v, ev, "the event is of go 1.%d, the trace of go 1.%d", event_table[ev->type].since, v->version);
    switch ((enum gotrace_kind)event_kinds[ev->type]) {
    case GOTRACE_KIND_TRANSITION:
        transition(v, ev);
        break;
    case GOTRACE_KIND_SYNC:
        begin_tables(v, ev->tables);
        validate_sync(v, ev);
        break;
    case GOTRACE_KIND_LABEL:
        validate_label(v, ev);
        break;
    default:
        check_event_stacks(v, ev);
        validate_span(v, ev);
    }
    return v->no_memory ? -1 : v->violations;
}

/*
 * The transitions that most traces mostly consist of, where nothing is wrong with them: with a stack that is known to
 * be good, of something that is where the event says it is. They are all of 1.22.
 */
static const struct quick {
    uint8_t from, to;  /* enum gotrace_state; from 0: of another sort */
    uint8_t kind;      /* GOS or PROCS */
    bool named;        /* the resource is the first argument */
    bool begins, ends; /* to execute */
    uint8_t stack;     /* which argument; NO_STACK: one that is always 0 */
} quick[256] = {
#define NO_STACK (EVENT_MAX_ARGS - 1)
    [EV_ProcStart] = {GOTRACE_STATE_IDLE, GOTRACE_STATE_RUNNING, PROCS, true, true, false, NO_STACK},
    [EV_ProcStop] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_IDLE, PROCS, false, false, true, NO_STACK},
    [EV_GoStart] = {GOTRACE_STATE_RUNNABLE, GOTRACE_STATE_RUNNING, GOS, true, true, false, NO_STACK},
    [EV_GoStop] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_RUNNABLE, GOS, false, false, true, 1},
    [EV_GoBlock] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_WAITING, GOS, false, false, true, 1},
    [EV_GoUnblock] = {GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE, GOS, true, false, false, 2},
};

/* Does what transition does, if nothing is to be said; false: nothing is done. */
__attribute__((always_inline)) static inline bool follow(struct gotrace_validator *v, const struct gotrace_event *ev,
                                                         const struct quick q)
{
    uint64_t id = q.named ? ev->args[0] : q.kind == GOS ? ev->goroutine : ev->proc, stack = ev->args[q.stack];
    const struct holders *hs = &v->holders[q.kind];
    if (UNLIKELY(!q.from || id >= hs->of.ndense || !hs->of.dense[id] || ev->time <= v->last_time))
        return false;
    struct holder *h = &hs->all.v[hs->of.dense[id] - 1];
    if (UNLIKELY(!h->known || h->state != q.from))
        return false;
    if (stack) {
        uint32_t at = LIKELY(stack < ev->tables->stack_of.ndense) ? ev->tables->stack_of.dense[stack] : 0;
        if (UNLIKELY(!at || at > v->checked.n || !v->checked.v[at - 1]))
            return false;
    }
    if (q.begins) {
        uint32_t on = v->recent[ev->thread % RECENT];
        struct context *t = on ? &v->threads.v[on - 1] : NULL;
        if (UNLIKELY(!t || t->id != ev->thread || t->runs[q.kind] != ID_NONE || ev->thread == ID_NONE))
            return false;
        t->runs[q.kind] = id;
        h->on = on;
    } else if (q.ends) {
        if (UNLIKELY(!h->on || v->threads.v[h->on - 1].runs[q.kind] != id))
            return false;
        v->threads.v[h->on - 1].runs[q.kind] = ID_NONE;
        h->on = 0;
    }
    h->state = q.to;
    v->last_time = ev->time;
    return true;
}

/* The most common ones each have their own copy of the code: what is the same for all is foreseen less well. */
static inline bool quick_check(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    if (ev->type == EV_GoStart)
        return follow(v, ev, quick[EV_GoStart]);
    if (ev->type == EV_GoUnblock)
        return follow(v, ev, quick[EV_GoUnblock]);
    if (ev->type == EV_GoBlock)
        return follow(v, ev, quick[EV_GoBlock]);
    return follow(v, ev, quick[ev->type]);
}

int gotrace_validator_event(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    return LIKELY(quick_check(v, ev)) ? 0 : check(v, ev);
}

struct gotrace_validator *gotrace_validator_new(int version, gotrace_violation_fn *report, void *arg)
{
    struct gotrace_validator *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    const struct wire_version *known = wire_version((uint64_t)version);
    bool is_old = version == WIRE_FIRST_TRACER || (version > 0 && wire_version_is_old((uint64_t)version));
    v->old = is_old ? version : 0;
    v->version = v->old ? wire_version_first()->nn : version;
    v->clocks = known && known->clocks;
    v->report = report;
    v->arg = arg;
    v->holders[GOS].name = "goroutine";
    v->holders[PROCS].name = "proc";
    return v;
}

void gotrace_validator_free(struct gotrace_validator *v)
{
    if (!v)
        return;
    for (int k = GOS; k <= PROCS; k++) {
        struct holders *hs = &v->holders[k];
        for (size_t i = 0; i < hs->all.n; i++)
            VEC_FREE(&hs->all.v[i].ranges);
        VEC_FREE(&hs->all);
        VEC_FREE(&hs->free);
        idmap_free(&hs->of);
    }
    VEC_FREE(&v->program.ranges);
    VEC_FREE(&v->threads);
    VEC_FREE(&v->checked);
    idmap_free(&v->thread_of);
    idmap_free(&v->task_of);
    idmap_free(&v->died);
    free(v);
}

bool gotrace_reader_validate(struct gotrace_reader *r, gotrace_violation_fn *report, void *arg,
                             struct gotrace_summary *sum)
{
    struct gotrace_validator *v = gotrace_validator_new(gotrace_reader_version(r), report, arg);
    const struct gotrace_event *ev;
    bool ok = v != NULL;
    *sum = (struct gotrace_summary){0};
    while (ok && (ev = gotrace_reader_next(r))) {
        sum->events++;
        if (LIKELY(quick_check(v, ev)))
            continue;
        sum->generations += ev->type == EV_SYNC_POINT && ev->tables;
        int n = check(v, ev);
        ok = n >= 0;
        sum->violations += ok ? (uint64_t)n : 0;
    }
    gotrace_validator_free(v);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (!e || !ok)
        return ok;
    if (e->status != GOTRACE_EBROKEN && e->status != GOTRACE_EFORMAT && e->status != GOTRACE_EVERSION)
        return false;
    sum->violations++;
    if (report)
        report(arg, e);
    return true;
}
