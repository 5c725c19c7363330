#include "parser/order.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { POOL_BLOCK = 256 };

/* What events.def has and the rest of this table has not says nothing of who runs where. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
order_step *const order_steps[256] = {
#define GOTRACE_EVENT(id, name, since, cls, ...) [id] = EVENT_##cls == EVENT_TIMED ? step_plain : NULL,
#include "gotrace/events.def"
#undef GOTRACE_EVENT
    [EV_ClockSnapshot] = NULL, /* it is of a generation, and in no thread's batches */
    [EV_ProcsChange] = step_annotation,
    [EV_ProcStart] = step_proc_start,
    [EV_ProcStop] = step_proc_stop,
    [EV_ProcSteal] = step_proc_steal,
    [EV_ProcStatus] = step_proc_status,
    [EV_GoCreate] = step_go_create,
    [EV_GoCreateSyscall] = step_go_create_syscall,
    [EV_GoStart] = step_go_start,
    [EV_GoDestroy] = step_go_destroy,
    [EV_GoDestroySyscall] = step_go_destroy_syscall,
    [EV_GoStop] = step_go_stop,
    [EV_GoBlock] = step_go_block,
    [EV_GoUnblock] = step_go_unblock,
    [EV_GoSyscallBegin] = step_syscall_begin,
    [EV_GoSyscallEnd] = step_syscall_end,
    [EV_GoSyscallEndBlocked] = step_syscall_end_blocked,
    [EV_GoStatus] = step_go_status,
    [EV_STWBegin] = step_go_span_begin,
    [EV_STWEnd] = step_go_span_end,
    [EV_GCActive] = step_gc_active,
    [EV_GCBegin] = step_gc_begin,
    [EV_GCEnd] = step_gc_end,
    [EV_GCSweepActive] = step_sweep_active,
    [EV_GCSweepBegin] = step_sweep_begin,
    [EV_GCSweepEnd] = step_sweep_end,
    [EV_GCMarkAssistActive] = step_go_span_active,
    [EV_GCMarkAssistBegin] = step_go_span_begin,
    [EV_GCMarkAssistEnd] = step_go_span_end,
    [EV_HeapAlloc] = step_heap_metric,
    [EV_HeapGoal] = step_heap_metric,
    [EV_GoLabel] = step_annotation,
    [EV_UserTaskBegin] = step_task_begin,
    [EV_UserTaskEnd] = step_task_end,
    [EV_UserRegionBegin] = step_region_begin,
    [EV_UserRegionEnd] = step_region_end,
    [EV_UserLog] = step_annotation,
    [EV_GoSwitch] = step_go_switch,
    [EV_GoSwitchDestroy] = step_go_switch,
    [EV_GoCreateBlocked] = step_go_create,
    [EV_GoStatusStack] = step_go_status,
};
#pragma GCC diagnostic pop

enum step order_broken(struct order *o, const struct gotrace_event *ev, const char *fmt, ...)
{
    char message[sizeof o->f->message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    fail(o->f, GOTRACE_EBROKEN, event_place(ev), "%s", message);
    return STEP_BROKEN;
}

enum step order_no_memory(struct order *o, const struct gotrace_event *ev)
{
    fail(o->f, GOTRACE_ENOMEM, event_place(ev), "out of memory");
    return STEP_BROKEN;
}

enum step order_unmet(struct order *o, const struct gotrace_event *ev, enum need proc, enum need go)
{
    if (ev->thread == ID_NONE)
        return order_broken(o, ev, "expected a thread but didn't have one");
    if (proc == MUST && ev->proc == ID_NONE)
        return order_broken(o, ev, "expected a proc but didn't have one");
    if (proc == MUST_NOT && ev->proc != ID_NONE)
        return order_broken(o, ev, "expected no proc but had one");
    if (go == MUST && ev->goroutine == ID_NONE)
        return order_broken(o, ev, "expected a goroutine but didn't have one");
    return order_broken(o, ev, "expected no goroutine but had one");
}

void *pool_get(const struct pool *p, size_t number)
{
    return p->blocks.v[(number - 1) / POOL_BLOCK] + (number - 1) % POOL_BLOCK * p->size;
}

void *pool_add(struct pool *p)
{
    if (p->n == p->blocks.n * POOL_BLOCK) {
        char *block = VEC_ROOM(&p->blocks) ? calloc(POOL_BLOCK, p->size) : NULL;
        if (!block)
            return NULL;
        p->blocks.v[p->blocks.n++] = block;
    }
    return pool_get(p, ++p->n);
}

static void pool_free(struct pool *p)
{
    for (size_t i = 0; i < p->blocks.n; i++)
        free(p->blocks.v[i]);
    VEC_FREE(&p->blocks);
}

struct go *order_add_go(struct order *o, uint64_t id, uint8_t status)
{
    uint32_t at = o->free_go;
    if (!at && (!VEC_ROOM(&o->gos) || o->gos.n >= UINT32_MAX))
        return NULL;
    if (!idmap_add(&o->go_of, id, at ? at : (uint32_t)o->gos.n))
        return NULL;
    if (at) {
        o->free_go = o->gos.v[at].next_free;
    } else {
        at = (uint32_t)o->gos.n++;
        o->gos.v[at].more = NULL;
    }
    struct go *go = &o->gos.v[at];
    *go = (struct go){.id = id, .status = status, .seq = {o->generation, 0}, .more = go->more};
    return go;
}

void order_remove_go(struct order *o, struct go *go)
{
    idmap_remove(&o->go_of, go->id);
    if (go->more) {
        order_free_regions(go->more);
        go->more->spans.n = 0;
    }
    go->status = GO_GONE;
    go->next_free = o->free_go;
    o->free_go = (uint32_t)(go - o->gos.v);
}

struct go_more *order_more(struct go *go)
{
    if (!go->more)
        go->more = calloc(1, sizeof *go->more);
    return go->more;
}

struct proc *order_find_proc(struct order *o, uint64_t id)
{
    uint32_t number = idmap_get(&o->proc_of, id);
    return number ? pool_get(&o->procs, number) : NULL;
}

struct thread *order_find_thread(struct order *o, uint64_t id)
{
    uint32_t number = idmap_get(&o->thread_of, id);
    return number ? pool_get(&o->threads, number) : NULL;
}

struct thread *order_thread(struct order *o, uint64_t id)
{
    if (id == ID_NONE) {
        o->nowhere = (struct thread){.id = ID_NONE, .goroutine = ID_NONE, .proc = ID_NONE};
        return &o->nowhere;
    }
    struct thread *t = order_find_thread(o, id);
    if (t)
        return t;
    t = o->threads.n < UINT32_MAX ? pool_add(&o->threads) : NULL;
    if (!t || !idmap_add(&o->thread_of, id, (uint32_t)o->threads.n))
        return NULL;
    *t = (struct thread){.id = id, .goroutine = ID_NONE, .proc = ID_NONE};
    return t;
}

void order_begin_generation(struct order *o, uint64_t generation)
{
    o->generation = generation;
    if (!o->first_generation)
        o->first_generation = generation;
}

static bool keep_regions(struct go_more *more)
{
    for (; more->nkept < more->regions.n; more->nkept++)
        if (!text_keep(&more->regions.v[more->nkept].name))
            return false;
    return true;
}

static void forget_ended_tasks(struct order *o)
{
    while (o->ended_tasks.n)
        text_free(&o->ended_tasks.v[--o->ended_tasks.n]);
}

bool order_end_generation(struct order *o)
{
    for (; o->fresh_regions.n; o->fresh_regions.n--) {
        struct go_more *more = o->fresh_regions.v[o->fresh_regions.n - 1];
        if (!keep_regions(more))
            return false;
        more->fresh = false;
    }
    for (; o->fresh_tasks.n; o->fresh_tasks.n--) {
        struct task *task = &o->tasks.v[o->fresh_tasks.v[o->fresh_tasks.n - 1]];
        if (task->active && !text_keep(&task->name))
            return false;
        task->fresh = false;
    }
    forget_ended_tasks(o);
    return true;
}

bool order_init(struct order *o, struct failure *f)
{
    *o = (struct order){.f = f};
    o->procs.size = sizeof(struct proc);
    o->threads.size = sizeof(struct thread);
    if (!VEC_ROOM(&o->gos))
        return false;
    o->gos.v[o->gos.n++] = (struct go){.status = GO_GONE};
    return true;
}

void order_free(struct order *o)
{
    for (size_t i = 0; i < o->gos.n; i++) {
        struct go_more *more = o->gos.v[i].more;
        if (!more)
            continue;
        order_free_regions(more);
        VEC_FREE(&more->regions);
        VEC_FREE(&more->spans);
        free(more);
    }
    VEC_FREE(&o->gos);
    for (size_t i = 1; i <= o->procs.n; i++)
        VEC_FREE(&((struct proc *)pool_get(&o->procs, i))->spans);
    for (size_t i = 0; i < o->tasks.n; i++)
        text_free(&o->tasks.v[i].name);
    forget_ended_tasks(o);
    VEC_FREE(&o->ended_tasks);
    VEC_FREE(&o->fresh_regions);
    VEC_FREE(&o->fresh_tasks);
    VEC_FREE(&o->tasks);
    VEC_FREE(&o->free_tasks);
    pool_free(&o->procs);
    pool_free(&o->threads);
    idmap_free(&o->go_of);
    idmap_free(&o->proc_of);
    idmap_free(&o->thread_of);
    idmap_free(&o->task_of);
}
