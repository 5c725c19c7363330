/*
 * What the events of a trace say of which stretch came before which, as records of a path_log: a thread that another
 * one woke has come there on the way of its waker, not by waiting. What the wait was for stands between the two.
 */
#ifndef THRACE_PARSER_ANALYZE_PATH_COLLECT_H
#define THRACE_PARSER_ANALYZE_PATH_COLLECT_H

#include "parser/analyze/consumer.h"
#include "parser/analyze/path_log.h"
#include "parser/analyze/spans.h"

enum { PATH_NOBODY = UINT32_MAX };

struct path_thread {
    uint64_t id;
    uint32_t name; /* text, 0: not known */
    /* When the trace ended: */
    uint8_t state; /* NOT_EXIST: it had ended before */
    uint64_t last; /* number of its last record */
    int64_t acted; /* when it ran or was in a system call the last time, and did something else */
};

/* Of a thread that exists. */
struct path_live {
    uint64_t last;    /* number of its last record */
    int64_t since;    /* the end of that */
    int64_t acted;    /* as in path_thread */
    uint32_t number;  /* of the thread */
    uint32_t sampled; /* text: where a sample found it in this stretch */
    /* The first of the waits for one object that it has tried again and again, as far as no thread ended them: */
    uint32_t tried;       /* the object: text, or 0 */
    uint64_t tried_after; /* number of the record before it */
    int64_t tried_since;
};

struct path_task {
    uint64_t id;
    bool began, ended;
    int64_t begin, end;
    uint32_t ender; /* thread */
};

struct path_collect {
    struct spans spans;
    struct path_log log;
    VEC(struct path_thread) threads;
    VEC(struct path_live) live; /* by their place in spans.live */
    struct path_task task;      /* with the id that was asked for */
    uint64_t actor;             /* the goroutine that made the last event */
    const struct gotrace_event *event; /* this one */
    int version;                /* of the trace: 1.NN */
    bool over;                  /* it is at its end */
    bool failed;                /* memory is short */
};

void path_collect_init(struct path_collect *c);
void path_collect_free(struct path_collect *c);

/* False: memory is short, or c->log.error says what is wrong with its file. */
extern const struct event_consumer path_collector;

#endif
