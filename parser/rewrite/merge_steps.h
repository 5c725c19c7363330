/* What the parts of merging share: merge_learn.c, merge_turns.c, merge_events.c. */
#ifndef THRACE_PARSER_REWRITE_MERGE_STEPS_H
#define THRACE_PARSER_REWRITE_MERGE_STEPS_H

#include "parser/rewrite/merge.h"
#include "parser/rewrite/steps.h"

/* Metrics of the whole program are sums of those of all. */
enum { MERGE_HEAP, MERGE_GOAL, MERGE_PROCS, MERGE_METRICS };

/* One trace of several. */
struct merge_part {
    struct trimming t;
    struct rewriter_source source;
    struct distinct distinct;
    const struct gotrace_event *next;
    int64_t next_time;        /* in the time of all */
    bool open, collects;
    uint64_t thread;          /* one of its threads; only says where, when nothing runs */
    uint64_t metrics[MERGE_METRICS];
};

struct merging {
    struct merge *m;
    struct rewriter w;
    struct distinct_all distinct;
    struct failure *f;
    struct merge_part **heap; /* those that have events, the earliest first */
    size_t n;
    struct {
        uint64_t sum;
        bool due; /* it has changed, and nobody has said so */
    } metrics[MERGE_METRICS];
    uint64_t collecting;             /* parts that collect garbage */
    uint64_t gc_seq;
    bool gc_said, gc_stated;         /* the trace says that somebody does; this generation has said so */
    uint64_t stops;                  /* of the world, that have begun */
    uint64_t alive;                  /* goroutines and procs */
};

/* Brings what was there when the trace began to life. */
bool merge_open(struct merging *m, struct merge_part *p, int64_t time);

/* Ends what is left of it. */
bool merge_close(struct merging *m, struct merge_part *p, int64_t time);

#endif
