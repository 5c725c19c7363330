/* The v2 event table as C: wire ids and, for each, what include/gotrace/events.def says of it. */
#ifndef THRACE_LIB_WIRE_EVENTS_H
#define THRACE_LIB_WIRE_EVENTS_H

#include <stdint.h>

#include "gotrace/events.h"

enum event_id {
    EV_None = 0,
#define GOTRACE_EVENT(id, name, since, cls, exp, strs, stks, pair, ...) EV_##name = id,
#include "gotrace/events.def"
#undef GOTRACE_EVENT
};

enum event_class { EVENT_NONE, EVENT_BATCH, EVENT_TABLE, EVENT_TIMED };
enum event_experiment { EXPERIMENT_NONE, EXPERIMENT_ALLOC_FREE };

enum {
    EVENT_MAX_ARGS = 5,        /* arguments of one event, dt included */
    BATCH_MAX_SIZE = 64 << 10, /* bytes of one batch after its header */
    STRING_MAX_SIZE = 1024,    /* bytes of one string */
    STACK_MAX_FRAMES = 128,    /* frames of one stack */
    TRACE_HEADER_SIZE = 16,    /* "go 1.NN trace" and three NUL bytes */
};

/* What a thread ID, proc ID or goroutine ID says when there is none. */
#define ID_NONE UINT64_MAX
#define GO_NONE UINT64_C(0)

enum go_status {
    GO_RUNNABLE = GOTRACE_GO_RUNNABLE,
    GO_RUNNING = GOTRACE_GO_RUNNING,
    GO_SYSCALL = GOTRACE_GO_SYSCALL,
    GO_WAITING = GOTRACE_GO_WAITING,
};
enum proc_status {
    PROC_RUNNING = GOTRACE_PROC_RUNNING,
    PROC_IDLE = GOTRACE_PROC_IDLE,
    PROC_SYSCALL = GOTRACE_PROC_SYSCALL,
    PROC_SYSCALL_ABANDONED = GOTRACE_PROC_SYSCALL_ABANDONED,
};

struct event_info {
    const char *name; /* NULL: no event has this id */
    const char *const *args;
    uint8_t nargs;
    uint8_t since; /* 1.NN */
    uint8_t cls;   /* enum event_class */
    uint8_t experiment;
    uint8_t strings; /* bit i: argument i is a string id */
    uint8_t stacks;  /* bit i: argument i is a stack id */
    uint8_t pair;    /* the event id this one ends or continues, or EV_None */
};

extern const struct event_info event_table[256];

#endif
