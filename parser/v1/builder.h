/*
 * Writes v1 traces of one version: the caller says what happens on each proc, in the order of that proc's time, and the
 * builder makes batches, strings and stacks of it. events.def says which arguments a version has; those that came later
 * are left out.
 *
 * Memory: the open batches, of at most 64 KiB a proc, and each string and stack once, as a v1 trace has one table of
 * them. Not for users of the library: what v1 accepts depends on states and counters of goroutines, which as_v1 keeps.
 */
#ifndef THRACE_PARSER_V1_BUILDER_H
#define THRACE_PARSER_V1_BUILDER_H

#include "parser/builder_intern.h"
#include "parser/v1/trace.h"
#include "parser/vec.h"

/* Takes all of size bytes; false: they cannot be written. */
typedef bool v1_write(void *arg, const void *data, size_t size);

enum { V1_BATCH_MAX = 64 << 10 };

struct v1_open_batch {
    int32_t p;
    uint64_t ticks, seq; /* of the first event */
    uint64_t last_ticks, last_seq;
    struct raw_buffer events;
};

struct v1_builder {
    unsigned nn;
    struct v1_form form;
    v1_write *write;
    void *arg;
    VEC(struct v1_open_batch) open;
    struct idmap open_of; /* procs, plus 1, and whether it is of samples, to index + 1 */
    struct raw_buffer tables; /* strings and stacks that are not written yet */
    struct intern strings, stacks;
    bool has_batch;
    bool write_failed, no_memory; /* nothing can be done any more */
};

/* What happens. Sequence numbers count all events, and matter before 1.7 only. */
struct v1_made {
    uint8_t id; /* enum v1_id */
    int32_t p;  /* -1: a thread without a proc */
    uint64_t ticks, seq;
    uint64_t args[V1_MAX_ARGS];
    uint64_t stack;
    struct v1_text message; /* of UserLog */
};

/* Begins a trace of version 1.nn. Functions return false once writing fails or memory is short. */
bool v1_builder_begin(struct v1_builder *b, unsigned nn, v1_write *write, void *arg);

/* Of one proc, no event has a time or sequence number before that of the last one. */
bool v1_builder_event(struct v1_builder *b, const struct v1_made *ev);

/* The ID of a string, which is cut where it is too long; 0: it is empty, or memory is short. */
uint64_t v1_builder_string(struct v1_builder *b, const char *data, size_t size);

/* The ID of a stack, likewise; function and file are IDs of strings, and dropped before 1.7. */
uint64_t v1_builder_stack(struct v1_builder *b, const struct v1_frame *frames, size_t n);

/* A goroutine that runs timers. */
bool v1_builder_timers(struct v1_builder *b, uint64_t g);

/* Writes all that is open, and how many ticks a second has. */
bool v1_builder_end(struct v1_builder *b, uint64_t ticks_per_second);

void v1_builder_free(struct v1_builder *b);

#endif
