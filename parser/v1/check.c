/*
 * Holds the events in their order against what goroutines, procs, collections, tasks and regions can do, and restores
 * what follows from the order: where a goroutine started, and that the network woke one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parser/v1/parse.h"
#include "parser/v1/wire.h"

enum state { DEAD, RUNNABLE, RUNS, WAITS };

struct go {
    uint64_t start; /* of one that was created and did not start: the stack that it starts with, or its PC */
    uint32_t region; /* the innermost one that it is in, 0: none; regions count from 1 */
    uint8_t state;
    uint8_t last;  /* the event that the next start, wakeup or exit ends, V1_None: none */
    bool known;    /* it was seen, alive or not */
    bool starts;   /* start is to be used */
    bool assists;
    size_t call; /* the place of the event that may be of a system call that blocks, + 1 */
};

struct proc {
    uint32_t g; /* that runs on it, 0: none */
    bool running, sweeps;
    bool stopped; /* the world; before 1.10 that was said of each proc */
};

struct region {
    uint64_t task, name;
    uint32_t outer;
};

struct check {
    struct v1_parse *s;
    VEC(struct go) gos; /* by index */
    struct proc *procs; /* likewise */
    struct idmap tasks;
    VEC(struct region) regions;
    uint32_t spare;
    bool collects, stopped;
    const struct v1_event *ev;
};

#define BROKEN(fmt, ...)                                                                                               \
    v1_fail(c->s->e, V1_BROKEN, c->ev->at, c->ev->id, fmt " (time %" PRId64 ")", ##__VA_ARGS__, c->ev->time)

/* Room for all goroutines that there are. */
static bool grow_gos(struct check *c)
{
    while (c->gos.n < c->s->t->gs.n) {
        if (!VEC_ROOM(&c->gos))
            return v1_no_memory(c->s);
        c->gos.v[c->gos.n++] = (struct go){0};
    }
    return true;
}

/* NULL: out of memory. */
static struct go *go(struct check *c, uint64_t g)
{
    uint32_t index;
    return v1_index_g(c->s, g, &index) && grow_gos(c) ? &c->gos.v[index] : NULL;
}

static uint64_t its_g(const struct check *c) { return v1_g(c->s->t, c->ev); }
static int32_t its_p(const struct check *c) { return v1_p(c->s->t, c->ev); }

/* Whether the goroutine of the event runs on its proc. */
static bool runs(struct check *c, const struct go *g, const struct proc *p, bool may_be_none)
{
    if (g->state != RUNS)
        return BROKEN("g %" PRIu64 " is not running", its_g(c));
    if (p->g != c->ev->g)
        return BROKEN("p %d is not running g %" PRIu64, its_p(c), its_g(c));
    return c->ev->g || may_be_none || BROKEN("g 0 cannot do that");
}

static bool begin(struct check *c, bool *flag, const char *what)
{
    if (*flag)
        return BROKEN("the previous %s has not ended before a new one", what);
    return *flag = true;
}

static bool end(struct check *c, bool *flag, const char *what)
{
    if (!*flag)
        return BROKEN("the end of a %s that did not begin", what);
    *flag = false;
    return true;
}

static bool start_proc(struct check *c, struct proc *p)
{
    if (p->running)
        return BROKEN("p %d is running before start", its_p(c));
    return p->running = true;
}

static bool stop_proc(struct check *c, struct proc *p)
{
    if (!p->running)
        return BROKEN("p %d is not running before stop", its_p(c));
    if (p->g)
        return BROKEN("p %d is running goroutine %" PRIu64 " during stop", its_p(c), c->s->t->gs.v[p->g]);
    p->running = false;
    return true;
}

static bool wait_from_the_start(struct check *c, struct go *g)
{
    if (g->state != RUNNABLE)
        return BROKEN("g %" PRIu64 " is not runnable", its_g(c));
    g->state = WAITS;
    g->last = c->ev->id;
    return true;
}

static bool create(struct check *c, const struct go *creator, const struct proc *p)
{
    struct go *g;
    if (!runs(c, creator, p, true) || !(g = go(c, c->ev->args[0])))
        return false;
    if (g->known)
        return BROKEN("g %" PRIu64 " already exists", c->ev->args[0]);
    *g = (struct go){.state = RUNNABLE, .last = V1_GoCreate, .known = true, .starts = true, .start = c->ev->args[1]};
    return true;
}

/* Before 1.7, a goroutine's start is a PC and no stack; as in stacks, it is one behind. */
static bool add_start(struct check *c, uint64_t start)
{
    struct v1_trace *t = c->s->t;
    if (t->form.names || idmap_get(&t->start_pcs, start))
        return true;
    struct v1_stack stack = {0, start + 1, 1, true};
    return v1_add_stack(c->s, &stack) &&
           (idmap_add(&t->start_pcs, start, (uint32_t)t->nstacks) || v1_no_memory(c->s));
}

static bool start(struct check *c, struct go *g, struct proc *p)
{
    if (g->state != RUNNABLE)
        return BROKEN("g %" PRIu64 " is not runnable before start", its_g(c));
    if (p->g)
        return BROKEN("p %d is already running g %" PRIu64, its_p(c), c->s->t->gs.v[p->g]);
    g->state = RUNS;
    g->last = V1_None;
    p->g = c->ev->g;
    bool first = g->starts;
    g->starts = false;
    return !first || add_start(c, g->start);
}

static bool stop(struct check *c, struct go *g, struct proc *p, enum state state)
{
    if (!runs(c, g, p, false))
        return false;
    g->state = state;
    p->g = 0;
    return true;
}

static bool unblock(struct check *c, const struct go *waker, const struct proc *p)
{
    uint64_t id = c->ev->args[0];
    bool by_timer = c->s->timers.count && idmap_get(&c->s->timers, its_g(c));
    struct go *g;
    if (waker->state != RUNS)
        return BROKEN("g %" PRIu64 " is not running", its_g(c));
    if (!by_timer && p->g != c->ev->g)
        return BROKEN("p %d is not running g %" PRIu64, its_p(c), its_g(c));
    if (!(g = go(c, id)))
        return false;
    if (g->state != WAITS)
        return BROKEN("g %" PRIu64 " is not waiting", id);
    /* By a goroutine that runs timers, Go 1.21 has it that a timer did. */
    if (g->last == V1_GoBlockNet && (!by_timer || c->s->t->view == V1_AS_GO_1_22))
        v1_set_mark(c->s->t, v1_place(c->s->t), V1_MARK_BY_NETWORK);
    else if (by_timer)
        v1_set_mark(c->s->t, v1_place(c->s->t), V1_MARK_BY_TIMER);
    g->state = RUNNABLE;
    g->last = c->ev->id;
    g->known = true;
    return true;
}

static bool exit_syscall(struct check *c, struct go *g)
{
    if (g->state != WAITS)
        return BROKEN("g %" PRIu64 " is not waiting during syscall exit", its_g(c));
    g->state = RUNNABLE;
    g->last = c->ev->id;
    return true;
}

static bool create_task(struct check *c)
{
    uint64_t task = c->ev->args[0];
    if (idmap_get(&c->tasks, task))
        return BROKEN("the task %" PRIu64 " exists already", task);
    return idmap_add(&c->tasks, task, 1) || v1_no_memory(c->s);
}

static bool end_task(struct check *c)
{
    if (idmap_get(&c->tasks, c->ev->args[0]))
        idmap_remove(&c->tasks, c->ev->args[0]);
    return true;
}

static void leave_region(struct check *c, struct go *g)
{
    uint32_t i = g->region;
    g->region = c->regions.v[i - 1].outer;
    c->regions.v[i - 1].outer = c->spare;
    c->spare = i;
}

static bool begin_region(struct check *c, struct go *g)
{
    uint32_t i = c->spare;
    if (i) {
        c->spare = c->regions.v[i - 1].outer;
    } else {
        if (c->regions.n == UINT32_MAX || !VEC_ROOM(&c->regions))
            return v1_no_memory(c->s);
        i = (uint32_t)++c->regions.n;
    }
    c->regions.v[i - 1] = (struct region){c->ev->args[0], c->ev->args[2], g->region};
    g->region = i;
    return true;
}

/* Go compares names up to 1.21, and their ids later. */
static bool same_name(const struct check *c, uint64_t a, uint64_t b)
{
    struct v1_text l = v1_string(c->s->t, a), r = v1_string(c->s->t, b);
    return a == b || (c->s->t->view == V1_AS_GO_1_21 && l.size == r.size && !memcmp(l.data, r.data, l.size));
}

static bool region(struct check *c, struct go *g)
{
    if (c->ev->args[1] == 0)
        return begin_region(c, g);
    if (c->ev->args[1] != 1)
        return BROKEN("invalid user region mode %" PRIu64, c->ev->args[1]);
    if (!g->region) /* it began before the trace */
        return true;
    const struct region *r = &c->regions.v[g->region - 1];
    if (r->task != c->ev->args[0] || !same_name(c, r->name, c->ev->args[2]))
        return BROKEN("misuse of region in goroutine %" PRIu64 ": it ends another one than the innermost", its_g(c));
    leave_region(c, g);
    return true;
}

static bool happen(struct check *c, struct go *g, struct proc *p)
{
    bool *stopped = c->s->t->form.stops_all ? &c->stopped : &p->stopped;
    switch ((enum v1_id)c->ev->id) {
    case V1_ProcStart:
        return start_proc(c, p);
    case V1_ProcStop:
        return stop_proc(c, p);
    case V1_GCStart:
        return begin(c, &c->collects, "GC");
    case V1_GCDone:
        return end(c, &c->collects, "GC");
    case V1_STWStart:
        return begin(c, stopped, "stop of the world");
    case V1_STWDone:
        return end(c, stopped, "stop of the world");
    case V1_GCSweepStart:
        return begin(c, &p->sweeps, "sweeping");
    case V1_GCSweepDone:
        return end(c, &p->sweeps, "sweeping");
    case V1_GCMarkAssistStart:
        return begin(c, &g->assists, "mark assist");
    case V1_GCMarkAssistDone: /* it may have begun before the trace */
        g->assists = false;
        return true;
    case V1_GoWaiting:
    case V1_GoInSyscall:
        return wait_from_the_start(c, g);
    case V1_GoCreate:
        return create(c, g, p);
    case V1_GoStart:
    case V1_GoStartLabel:
        return start(c, g, p);
    case V1_GoEnd:
        while (g->region)
            leave_region(c, g);
        return stop(c, g, p, DEAD);
    case V1_GoStop:
        return stop(c, g, p, DEAD);
    case V1_GoSched:
    case V1_GoPreempt:
        g->last = c->ev->id;
        return stop(c, g, p, RUNNABLE);
    case V1_GoUnblock:
        return unblock(c, g, p);
    case V1_GoSysCall:
        g->last = c->ev->id;
        return runs(c, g, p, false);
    case V1_GoSysBlock:
        return stop(c, g, p, WAITS);
    case V1_GoSysExit:
        return exit_syscall(c, g);
    case V1_GoSleep:
    case V1_GoBlock:
    case V1_GoBlockSend:
    case V1_GoBlockRecv:
    case V1_GoBlockSelect:
    case V1_GoBlockSync:
    case V1_GoBlockCond:
    case V1_GoBlockNet:
    case V1_GoBlockGC:
        g->last = c->ev->id;
        return stop(c, g, p, WAITS);
    case V1_UserTaskCreate:
        return create_task(c);
    case V1_UserTaskEnd:
        return end_task(c);
    case V1_UserRegion:
        return region(c, g);
    default:
        return true;
    }
}

/* Go 1.21 takes note of every goroutine that an event is of; later only goroutines that do something count. */
static bool makes_known(const struct check *c)
{
    return c->s->t->view == V1_AS_GO_1_21 || c->ev->id == V1_GCMarkAssistStart || c->ev->id == V1_GCMarkAssistDone;
}

static bool check_all(struct check *c)
{
    struct v1_trace *t = c->s->t;
    if (!grow_gos(c))
        return false;
    c->gos.v[0] = (struct go){.state = RUNS, .known = true};
    for (v1_rewind(t); (c->ev = v1_next(t));) {
        if (!happen(c, &c->gos.v[c->ev->g], &c->procs[c->ev->p]))
            return false;
        struct go *g = &c->gos.v[c->ev->g]; /* there may be more of them now */
        if (UNLIKELY(g->call)) {
            if (c->ev->id == V1_GoSysBlock)
                v1_set_mark(t, g->call - 1, V1_MARK_BLOCKS);
            g->call = 0;
        }
        if (UNLIKELY(c->ev->id == V1_GoSysCall))
            g->call = v1_place(t) + 1;
        if (makes_known(c))
            g->known = true;
    }
    return true;
}

bool v1_check(struct v1_parse *s)
{
    struct check c = {.s = s, .procs = calloc(s->t->ps.n, sizeof *c.procs)};
    bool ok = (c.procs || v1_no_memory(s)) && check_all(&c);
    VEC_FREE(&c.gos);
    free(c.procs);
    VEC_FREE(&c.regions);
    idmap_free(&c.tasks);
    return ok;
}
