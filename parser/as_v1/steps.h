/* What the steps from an event to those of v1 share: goroutines and procs as a reader of v1 sees them. */
#ifndef THRACE_PARSER_AS_V1_STEPS_H
#define THRACE_PARSER_AS_V1_STEPS_H

#include "parser/as_v1/as_v1.h"
#include "parser/event.h"
#include "parser/v1/builder.h"

enum as_v1_state { V1G_DEAD, V1G_RUNNABLE, V1G_RUNS, V1G_WAITS, V1G_FOREVER };

struct as_v1_go {
    uint64_t seq;   /* how often its state changed */
    uint64_t calls; /* its system calls that blocked */
    uint32_t proc;  /* where it runs, index + 1 */
    uint8_t state;  /* enum as_v1_state */
    bool known, assists, timers;
    bool early; /* runnable, though it was created waiting or in a system call */
};

struct as_v1_proc {
    int32_t p;
    uint64_t g; /* that runs on it */
    uint64_t last; /* the ticks of its last event */
    bool runs, has_g, sweeps, stopped, has_held;
    struct v1_made held; /* comes next, unless what follows makes it another event */
};

/* Goroutines that were there at the beginning. */
struct as_v1_first {
    uint64_t g, start;
    uint8_t then; /* V1_GoWaiting, V1_GoInSyscall or V1_None */
};

struct as_v1 {
    struct v1_builder b;
    struct as_v1_losses losses;
    struct failure *f;
    bool from_v1;
    bool begun;       /* what was there at the beginning is known to have been said */
    bool has_time;
    int64_t zero;     /* the time that is START_TICKS */
    uint64_t latest; /* the ticks of the last event */
    uint64_t seq, gc_seq;
    uint64_t leads;
    uint64_t procs_value;
    uint64_t stop_g;    /* who stopped the world, */
    uint32_t stop_proc; /* and where, index + 1; 0: it is not stopped */
    bool collects;
    struct idmap go_of, proc_of, tasks; /* index + 1; 1 */
    VEC(struct as_v1_go) gos;
    VEC(struct as_v1_proc) procs; /* the first is none: threads without a proc */
    VEC(struct as_v1_first) first;
    struct idmap stacks; /* of the generation `serial`: IDs to those of the builder */
    uint64_t serial;
};

enum { NOWHERE = 0 }; /* the proc that is none */

/*
 * Ticks are nanoseconds. Before START_TICKS is room for what was there at the beginning: goroutines, and procs with the
 * goroutines that run on them.
 */
#define AS_V1_START_TICKS (UINT64_C(1) << 40)
enum { AS_V1_MAX_PROCS = 16384, AS_V1_LEAD = 2 * AS_V1_MAX_PROCS };

/* Indices in gos and procs; -1: out of memory, or there can be no such proc, and f says so. */
int64_t as_v1_go(struct as_v1 *v, uint64_t g);
int64_t as_v1_proc(struct as_v1 *v, uint64_t p);

/* Where an event happened: its proc, that of its goroutine if the proc is one of v1 that is none, or NOWHERE. */
int64_t as_v1_place(struct as_v1 *v, const struct gotrace_event *ev);

/* Writes an event on a proc; its p and seq are filled in, and its ticks when they are 0: those of ev. */
bool as_v1_put(struct as_v1 *v, uint32_t proc, const struct gotrace_event *ev, struct v1_made made);

/* Likewise, when the next event of the proc comes: the proc's held, which that may change. */
bool as_v1_hold(struct as_v1 *v, uint32_t proc, const struct gotrace_event *ev, struct v1_made made);
bool as_v1_release(struct as_v1 *v, uint32_t proc);

uint64_t as_v1_ticks(const struct as_v1 *v, const struct gotrace_event *ev);
uint64_t as_v1_string(struct as_v1 *v, struct gotrace_str s);
uint64_t as_v1_stack(struct as_v1 *v, struct gotrace_stack s);

/* Counts the event as dropped; true. */
bool as_v1_drop(struct as_v1 *v, const struct gotrace_event *ev);

/* What goroutines and procs do, what collects garbage, and what users say. */
bool as_v1_transition(struct as_v1 *v, const struct gotrace_event *ev);
bool as_v1_range(struct as_v1 *v, const struct gotrace_event *ev);
bool as_v1_user(struct as_v1 *v, const struct gotrace_event *ev);

#endif
