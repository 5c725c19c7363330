/*
 * Events of v1 traces as events of v2, by the rules that golang.org/x/exp/trace has for it: docs/v1.md says them. The
 * trace is one generation, whose tables have its strings and stacks under numbers of their own.
 */
#ifndef THRACE_PARSER_AS_V2_AS_V2_H
#define THRACE_PARSER_AS_V2_AS_V2_H

#include "parser/event.h"
#include "parser/raw_buffer.h"
#include "parser/v1/trace.h"

/* What v2 says with a string and v1 with the kind of an event. */
enum as_v2_word {
    WORD_NONE,
    WORD_FOREVER,
    WORD_PREEMPTED,
    WORD_GOSCHED,
    WORD_SLEEP,
    WORD_CHAN_SEND,
    WORD_CHAN_RECEIVE,
    WORD_NETWORK,
    WORD_SYNC,
    WORD_COND,
    WORD_SELECT,
    WORD_MARK_ASSIST,
    WORD_STOP, /* the first reason to stop the world, in the order of Go 1.21's numbers */
    WORD_STOP_LAST = WORD_STOP + 16,
    WORDS,
};

/* Which numbers the tables have for what. Those of the trace's strings and stacks are the indices of its own tables. */
struct as_v2_ids {
    uint64_t words;         /* that of WORD_NONE; the others follow */
    uint64_t message;       /* of what was logged: one for all, as an event at a time needs it */
    struct idmap start_pcs; /* before 1.7: the PC at which a goroutine starts, to a stack */
};

/* Fills in the tables. False: f says why. */
bool as_v2_tables(struct generation *g, struct v1_trace *t, struct as_v2_ids *ids, struct failure *f);

struct as_v2_proc {
    uint64_t thread;
    bool has_thread;
    bool known; /* something was said of it */
};

struct as_v2_task {
    uint64_t parent, name;
};

struct as_v2 {
    struct v1_trace trace;
    struct raw_buffer bytes; /* of the trace, unless they are the caller's */
    struct generation *tables;
    struct as_v2_ids ids;
    uint64_t syncs;
    int64_t last;
    uint64_t stop_reason;
    bool ended;
    bool begun;             /* what was there when tracing began is known */
    VEC(uint64_t) created;  /* goroutines that were there then; */
    struct idmap unheard;   /* those of them without a status: runnable, as it turns out */
    size_t told;            /* so many of created are done with */
    int64_t told_at;
    struct as_v2_proc *procs; /* by their index in the trace */
    struct idmap task_of;   /* index + 1 */
    VEC(struct as_v2_task) tasks;
    bool has_second;        /* of one v1 event */
    struct gotrace_event made, second;
};

/* The time of the Sync event at the beginning; the first event is at 0. */
enum { AS_V2_SYNC_TIME = -1 };

/*
 * Reads all of the trace that s has, from its first byte on, whose tables g becomes. NULL: f says why. The caller frees
 * it, and g, which has to stay where it is as long.
 */
struct as_v2 *as_v2_open(struct source *s, struct generation *g, struct failure *f);
void as_v2_free(struct as_v2 *v);

/* The next event is the first one again. */
void as_v2_again(struct as_v2 *v);

/* The next event; NULL: there is none, or f says why. */
const struct gotrace_event *as_v2_next(struct as_v2 *v, struct failure *f);

#endif
