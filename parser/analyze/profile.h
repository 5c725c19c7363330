/*
 * What a trace has for profilers: CPU samples and stretches of time, added up by their whole stacks and by what else is
 * known of them. One pass; memory is for the different ones.
 */
#ifndef THRACE_PARSER_ANALYZE_PROFILE_H
#define THRACE_PARSER_ANALYZE_PROFILE_H

#include "parser/analyze/consumer.h"
#include "parser/analyze/cpu.h"
#include "parser/analyze/spans.h"
#include "parser/analyze/stack_store.h"

enum profile_kind {
    PROFILE_CPU,      /* samples; ns is what they stand for, by their rate */
    PROFILE_WAIT,     /* where it began to wait */
    PROFILE_SYSCALL,
    PROFILE_RUNNABLE, /* could execute, and did not: where it had stopped, or was made */
    PROFILE_KINDS
};

/* What is known of stretches besides their stacks; of each a text, "" if it is not known or does not apply. */
enum profile_label { PROFILE_THREAD, PROFILE_REASON, PROFILE_OBJECT, PROFILE_WAKER, PROFILE_LABELS };

struct profile_row {
    enum profile_kind kind;
    uint32_t stack;                  /* of the store */
    uint32_t labels[PROFILE_LABELS]; /* texts of spans.texts */
    uint64_t count, ns;
};

/* After profile_init the consumer is shown the trace; then the rows are there. */
struct profile {
    struct spans spans;
    struct stack_store *stacks;
    VEC(struct profile_row) rows;
    struct idmap index; /* hash of a row to its number + 1 */
    VEC(struct profile_thread {
        uint32_t stack;  /* that it entered its stretch with */
        int64_t sampled; /* the last time */
    }) threads;          /* by their place in spans.live */
    struct cpu cpu;      /* gaps between samples */
    uint64_t hz;         /* samples in a second of CPU time */
    bool is_gos, failed; /* memory is short */
};

/* The filter is the caller's, or NULL. False: memory is short. profile_free is due in any case. */
bool profile_init(struct profile *p, struct span_filter *filter);

/* The same with a store that other profiles have, too; it is the caller's, who sets p->stacks to NULL at the end. */
void profile_init_with(struct profile *p, struct span_filter *filter, struct stack_store *stacks);
void profile_free(struct profile *p);

extern const struct event_consumer profile_consumer;

#endif
