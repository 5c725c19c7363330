/* The builder's insides, shared by its parts. */
#ifndef THRACE_PARSER_BUILDER_H
#define THRACE_PARSER_BUILDER_H

#include "gotrace/builder.h"
#include "lib/wire/version.h"
#include "parser/builder_batch.h"
#include "parser/builder_intern.h"
#include "parser/failure.h"

struct gotrace_builder {
    const struct wire_version *version;
    struct failure failure;
    bool finished, in_memory;
    bool in_generation, in_batch, synced;
    uint64_t gen;
    uint64_t earliest, latest; /* times of the generation's events; earliest > latest: none yet */
    uint64_t frequency, sync_time, mono, sec, nsec;
    struct intern strings, stacks;
    struct wire_batch timed, string_table, stack_table, samples;
    gotrace_write_fn *write;
    void *arg;
    struct raw_buffer out; /* what is to be written, or in memory all of it */
};

/* Each remembers the first error and returns -1: what the caller asks for cannot be; */
__attribute__((format(printf, 2, 3))) int builder_refuse(struct gotrace_builder *b, const char *fmt, ...);

/* memory is short. */
int builder_no_memory(struct gotrace_builder *b);

/* Whether b works and is inside a generation; fails otherwise. */
bool builder_ready(struct gotrace_builder *b);

/* Takes note that the generation has something that happened at time. */
void builder_saw(struct gotrace_builder *b, uint64_t time);

/* Writes the batch, unless it is empty, and empties it. kind as in wire_batch_open. */
int builder_flush_batch(struct gotrace_builder *b, struct wire_batch *batch, uint8_t kind);

/* Writes bytes as they are. */
int builder_write(struct gotrace_builder *b, const void *data, size_t size);

#endif
