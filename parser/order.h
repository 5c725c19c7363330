/*
 * The scheduler as the events so far describe it. Timestamps may lie; what decides whether an event may come next is
 * the state of the goroutines, procs and threads that it names, and their sequence numbers.
 */
#ifndef THRACE_PARSER_ORDER_H
#define THRACE_PARSER_ORDER_H

#include "parser/event.h"

/* Stretches of time that are bound to a goroutine or proc and have begun. */
struct span {
    uint64_t detail; /* a string ID, of STWBegin */
    uint8_t type;    /* the event that begins it */
};

struct spans {
    struct span *v;
    size_t n, cap;
};

/* Text of a generation's table; once text_keep was called, of its own, also when it is empty. */
struct text {
    struct gotrace_str str;
    char *owned;
};

struct region {
    uint64_t task;
    uint64_t id; /* of the name's string, while text is not owned */
    struct text name;
};

struct seq {
    uint64_t generation, n;
};

/* What few goroutines have. It stays with the entry when the goroutine is gone, and never moves. */
struct go_more {
    struct spans spans;
    VEC(struct region) regions;
    size_t nkept; /* of the regions, the outermost: their names are owned */
    bool fresh;   /* in order.fresh_regions */
};

struct go {
    uint64_t id;
    struct seq seq;
    struct go_more *more; /* NULL: neither spans nor regions */
    uint32_t next_free;   /* the next free entry, or 0 */
    uint8_t status;       /* enum go_status; GO_GONE: the entry is free */
};

enum { GO_GONE = 255 };

struct proc {
    uint64_t id;
    struct seq seq;
    uint8_t status; /* enum proc_status */
    struct spans spans;
};

/* A thread and what it runs. The hints are right if what they refer to has the ID. */
struct thread {
    uint64_t id, goroutine, proc;
    struct proc *proc_hint;
    uint32_t go_hint; /* an index in gos */
};

struct task {
    uint64_t id, parent;
    struct text name;
    bool active, fresh; /* fresh: in order.fresh_tasks */
};

/* Objects of one size with addresses that stay; numbered from 1. */
struct pool {
    VEC(char *) blocks;
    size_t n, size;
};

enum gc_state { GC_UNDETERMINED, GC_NOT_RUNNING, GC_RUNNING };

struct order {
    struct idmap go_of, proc_of, thread_of, task_of; /* indices in gos; numbers in the pools; indices + 1 in tasks */
    VEC(struct go) gos; /* the first is never used; entries move when one is added */
    uint32_t free_go;   /* the first free entry, or 0 */
    struct pool procs, threads;
    VEC(struct task) tasks; /* slots may be free: not active, and in no map */
    VEC(uint32_t) free_tasks;
    /*
     * Where in this generation tasks and regions began, so that order_end_generation has as much to do as the
     * generation has events, however many goroutines there are or were.
     */
    VEC(uint32_t) fresh_tasks;
    VEC(struct go_more *) fresh_regions;
    VEC(struct text) ended_tasks; /* names that ended in this generation and were kept from one before */
    struct thread nowhere; /* what batches without a thread run on */

    uint64_t generation, first_generation; /* 0: none so far */
    uint64_t gc_seq;
    enum gc_state gc_state;

    /* More than one event came of the last: these are all of them, in order. */
    struct gotrace_event several[3];
    unsigned nseveral;

    struct failure *f;
};

enum step {
    STEP_OK,   /* the event happens now */
    STEP_WAIT, /* not before another thread's event */
    STEP_BROKEN,
};

bool order_init(struct order *o, struct failure *f); /* false: out of memory */
void order_free(struct order *o);

/*
 * The generation's strings are about to go: copies those that are still needed, and frees what events of the generation
 * referred to. False: out of memory.
 */
bool order_end_generation(struct order *o);

/* Events of this generation come now. */
void order_begin_generation(struct order *o, uint64_t generation);

/* The entry for a thread, made if need be; NULL: out of memory. */
struct thread *order_thread(struct order *o, uint64_t id);

typedef enum step order_step(struct order *o, struct gotrace_event *ev, struct thread *t);

/* By event ID; NULL: no event that happens in a thread. */
extern order_step *const order_steps[256];

/*
 * Tries to let ev happen on t, its thread, and completes ev. When that makes several events, they are in
 * order->several, else nseveral is 0.
 */
static inline enum step order_advance(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    ev->thread = t->id;
    ev->proc = t->proc;
    ev->goroutine = t->goroutine;
    return order_steps[ev->type](o, ev, t);
}

/* ---- for the steps --------------------------------------------------------------------------------------------- */

COLD __attribute__((format(printf, 3, 4))) enum step order_broken(struct order *o, const struct gotrace_event *ev,
                                                                  const char *fmt, ...);

COLD enum step order_no_memory(struct order *o, const struct gotrace_event *ev);

void *pool_get(const struct pool *p, size_t number);
void *pool_add(struct pool *p); /* NULL: out of memory */

struct go *order_add_go(struct order *o, uint64_t id, uint8_t status);
void order_remove_go(struct order *o, struct go *go);
struct proc *order_find_proc(struct order *o, uint64_t id);
struct thread *order_find_thread(struct order *o, uint64_t id);

/* The goroutine, or NULL; valid until one is added. */
static inline struct go *order_find_go(const struct order *o, uint64_t id)
{
    uint32_t at = idmap_get(&o->go_of, id);
    return at ? &o->gos.v[at] : NULL;
}

/* What t runs, or NULL. */
static inline struct go *current_go(struct order *o, struct thread *t)
{
    struct go *go = &o->gos.v[t->go_hint];
    if (LIKELY(go->id == t->goroutine && go->status != GO_GONE))
        return go;
    t->go_hint = idmap_get(&o->go_of, t->goroutine);
    return t->go_hint ? &o->gos.v[t->go_hint] : NULL;
}

static inline void run_go(const struct order *o, struct thread *t, const struct go *go)
{
    t->goroutine = go->id;
    t->go_hint = (uint32_t)(go - o->gos.v);
}

/* NULL: out of memory. */
struct go_more *order_more(struct go *go);

static inline struct proc *current_proc(struct order *o, struct thread *t)
{
    struct proc *proc = t->proc_hint;
    if (LIKELY(proc && proc->id == t->proc))
        return proc;
    return t->proc_hint = order_find_proc(o, t->proc);
}

static inline bool seq_follows(const struct order *o, uint64_t n, struct seq prev)
{
    return o->generation == prev.generation && n == prev.n + 1;
}

/* What an event demands of its context. */
enum need { MUST_NOT, MAY, MUST };

COLD enum step order_unmet(struct order *o, const struct gotrace_event *ev, enum need proc, enum need go);

/* A thread is always needed. */
static inline enum step order_require(struct order *o, const struct gotrace_event *ev, enum need proc, enum need go)
{
    bool ok = ev->thread != ID_NONE && (proc == MAY || (ev->proc != ID_NONE) == (proc == MUST)) &&
              (go == MAY || (ev->goroutine != ID_NONE) == (go == MUST));
    return LIKELY(ok) ? STEP_OK : order_unmet(o, ev, proc, go);
}

order_step step_proc_start, step_proc_stop, step_proc_steal, step_proc_status;
order_step step_go_create, step_go_create_syscall, step_go_start, step_go_destroy, step_go_destroy_syscall;
order_step step_go_stop, step_go_block, step_go_unblock, step_go_switch, step_go_status;
order_step step_syscall_begin, step_syscall_end, step_syscall_end_blocked;
order_step step_go_span_begin, step_go_span_active, step_go_span_end;
order_step step_gc_active, step_gc_begin, step_gc_end, step_sweep_begin, step_sweep_active, step_sweep_end;
order_step step_heap_metric, step_annotation, step_plain;
order_step step_task_begin, step_task_end, step_region_begin, step_region_end;

void text_free(struct text *t);
bool text_keep(struct text *t);
void order_free_regions(struct go_more *more);

#endif
