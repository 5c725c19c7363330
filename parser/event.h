/* What is behind struct gotrace_event. */
#ifndef THRACE_PARSER_EVENT_H
#define THRACE_PARSER_EVENT_H

#include "gotrace/reader.h"
#include "lib/wire/events.h"
#include "parser/generation.h"

/* The wire has no such event: the reader makes it. */
enum { EV_SYNC_POINT = 255 };

struct gotrace_event {
    int64_t time;
    uint64_t thread, proc, goroutine; /* the context before the event */
    uint64_t args[EVENT_MAX_ARGS];    /* without dt; the last is 0 */
    const struct generation *tables;  /* NULL: a Sync event that no generation follows */
    const uint8_t *at;                /* its first byte, in a batch */
    uint64_t origin;                  /* the offset in the trace of what at is relative to, minus that address */
    uint8_t type;                     /* enum event_id or EV_SYNC_POINT */
    uint8_t from, to;                 /* enum gotrace_state, of a status; from also of a ProcSteal */
    struct gotrace_str text;          /* the type of a task that ends */
};

extern const uint8_t event_kinds[256]; /* enum gotrace_kind */

/* A stack of the event's generation. */
static inline struct gotrace_stack event_stack(const struct gotrace_event *ev, uint64_t id)
{
    return (struct gotrace_stack){ev->tables, ev->tables->serial, id};
}

/* The ID of the stack that it happened with; 0: none. Of two it is the last. The table counts dt as an argument. */
static inline uint64_t event_own_stack(const struct gotrace_event *ev)
{
    unsigned which = ev->type == EV_CPUSample ? 2 : event_table[ev->type].stacks;
    return which ? ev->args[31 - __builtin_clz(which) - 1] : 0;
}

/* Whether a transition has a stack of what changes, and its ID. */
static inline bool event_transition_stack(const struct gotrace_event *ev, uint64_t *id)
{
    switch (ev->type) {
    case EV_GoCreate:
    case EV_GoCreateBlocked: /* the new goroutine's, even if it has no frames */
        *id = ev->args[1];
        return true;
    case EV_GoStop:
    case EV_GoBlock:
    case EV_GoSyscallBegin:
    case EV_GoStatusStack:
        return (*id = event_own_stack(ev));
    default:
        return false;
    }
}

struct place event_place(const struct gotrace_event *ev);

/* What a transition says, but for statuses, which carry their states with them: from is FROM_EVENT then. */
struct shape {
    uint8_t kind;  /* enum gotrace_resource_kind; NONE: no transition */
    uint8_t named; /* the resource is the first argument, not the current one */
    uint8_t from, to;
};

/* X(state, its name) for each enum gotrace_state. */
#define EVENT_STATES(X)                                                                                                \
    X(UNDETERMINED, "Undetermined")                                                                                    \
    X(NOT_EXIST, "NotExist")                                                                                           \
    X(RUNNABLE, "Runnable")                                                                                            \
    X(RUNNING, "Running")                                                                                              \
    X(WAITING, "Waiting")                                                                                              \
    X(SYSCALL, "Syscall")                                                                                              \
    X(IDLE, "Idle")

enum { FROM_EVENT = GOTRACE_STATE_IDLE + 1 };

extern const struct shape event_shapes[256];

/* A goroutine's or proc's status on the wire to its state; NULL-safe bounds are the caller's. */
extern const uint8_t go_states[5], proc_states[5];

#endif
