/*
 * What threads, procs and goroutines do in the trace that is written, and the events of each thread that wait to become
 * a batch. Index 0 is nothing; of threads it is where events happen that happen on none.
 *
 * All of the trace is gone through twice. The first time nothing is written: it shows how what begins will end.
 */
#ifndef THRACE_PARSER_FROM_V1_WORLD_H
#define THRACE_PARSER_FROM_V1_WORLD_H

#include "gotrace/builder.h"
#include "parser/as_v2/as_v2.h"
#include "parser/convert.h"

/*
 * Times are this much later than those of as_v2, whose first is -1 and whose second 0: no time may be below 1, as the
 * strict rules say of a clock.
 */
enum { LATER = 2 };

/* Threads that no v1 trace names: Go numbers its own, or has the system's numbers. */
#define MADE_UP (UINT64_C(1) << 32)

struct v2_thread {
    uint64_t id;
    uint32_t go, proc;
    uint32_t next_runner, last_runner; /* while it runs a goroutine: the other threads that do, in a ring with 0 */
    bool made_up;
    struct raw_buffer body; /* events of the next batch */
    uint64_t base, last;    /* the times of its first and last event */
};

/* A stop of the world that began; go 0: none. */
struct v2_stop {
    uint32_t go;
    size_t number;
};

struct v2_proc {
    uint64_t id, seq;
    uint32_t thread, home; /* that has it, and had it last */
    bool known;            /* a status was written */
    struct v2_stop stop;   /* where each proc has its own */
};

struct v2_go {
    uint64_t id, seq;
    uint32_t thread;
    uint8_t state;         /* enum gotrace_state */
    bool created;          /* nothing happened to it since */
    bool written_runnable; /* it waits, and the version has no event to say so */
    bool stops;            /* the world */
    bool assists, assisted;
    size_t stop, assist; /* their numbers */
};

/* What of a goroutine is to be known before it happens. */
enum { PLAN_CALL = 1, PLAN_WAIT = 2, PLAN_ASSIST = 4 };

struct world {
    const struct wire_version *to;
    struct as_v2 *from;
    struct generation *tables; /* of from */
    struct gotrace_builder *out;
    struct converted *done;
    bool writes, no_memory;

    VEC(struct v2_thread) threads;
    VEC(struct v2_proc) procs;
    VEC(struct v2_go) gos;
    struct idmap thread_of, proc_of, go_of;
    VEC(uint32_t) spare; /* threads that were made up, and may be free */
    uint64_t made_up;

    uint64_t gc_seq;
    bool collects;
    size_t collection; /* its number */
    struct v2_stop stop;

    struct idmap plan_of;    /* of goroutines */
    VEC(uint8_t) begins;     /* of collections, stops and assists, in order: whether it is to be dropped */
    size_t nbegins;          /* so many were met this time */

    uint64_t now, last;      /* when the event is to happen, and when the one before did */
    uint64_t *strings, *stacks; /* the ids in the builder of those in tables; 0: not known yet */
};

bool world_init(struct world *w);

/* As it was when tracing began, but for what is planned. */
void world_again(struct world *w);
void world_free(struct world *w);

/* Writes what threads still have. */
void world_flush(struct world *w);

/* Found, or added; 0: out of memory. */
uint32_t world_thread(struct world *w, uint64_t id);
uint32_t world_proc(struct world *w, uint64_t id);
uint32_t world_go(struct world *w, uint64_t id);

/* Writes an event on a thread: the one of v1, or one right before it that is made up. */
void put(struct world *w, uint32_t thread, uint8_t type, const uint64_t *args);
void put_before(struct world *w, uint32_t thread, uint8_t type, const uint64_t *args);

/* ---- who runs where -------------------------------------------------------------------------------------------- */

/* A thread that does nothing. */
uint32_t spare_thread(struct world *w);

static inline bool is_busy(const struct v2_thread *t) { return t->go || t->proc; }

/* The goroutine is on the thread from now on: it runs, or is in a system call. */
void bind_go(struct world *w, uint32_t go, uint32_t thread, uint8_t state);

/* It is on none. */
void unbind_go(struct world *w, uint32_t go, uint8_t state);

void bind_proc(struct world *w, uint32_t proc, uint32_t thread);

/* The thread of a proc, which gets one if it has none. */
uint32_t hold(struct world *w, uint32_t proc);

/* Likewise, and no goroutine is in a system call there. */
uint32_t hold_free(struct world *w, uint32_t proc);

/* Takes the proc away from its thread. What runs there can only be in a system call, said or not. */
void stop_proc(struct world *w, uint32_t proc, void (*put_stop)(struct world *, uint32_t, uint8_t, const uint64_t *));

/* A thread on which a goroutine runs, 0: none. */
uint32_t any_runner(const struct world *w);

/* ---- tables ---------------------------------------------------------------------------------------------------- */

/* The arguments as the builder knows them, strings and stacks included. */
void translate(struct world *w, const struct gotrace_event *ev, uint64_t args[EVENT_MAX_ARGS]);

#endif
