/*
 * CPU samples of a recording. They were written whenever they were taken, each with a stack of its own; here they get
 * the generation that was open at their time, and equal stacks of a generation become one.
 */
#ifndef THRACE_CMD_FINISH_SAMPLES_H
#define THRACE_CMD_FINISH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/finish/recording_modules.h"
#include "cmd/finish/spool_read.h"
#include "cmd/finish/stack_table.h"
#include "cmd/finish/trace_time.h"
#include "gotrace/builder.h"

struct sample {
    uint64_t generation, time, m, p, g, stack_id;
    uint64_t weight; /* how often the trace gets it */
};

struct samples {
    struct sample *v;
    size_t n, cap;
    struct {
        uint64_t generation, time;
    } * generations; /* when each began */
    size_t ngenerations;
    uint64_t repeats; /* left, by the counts of the recording */
    uint32_t *table; /* by hash: index + 1 of a stack of the table */
    size_t nstacks, table_size;
};

/* Learns when the generations began. False when memory ran out. */
bool samples_begin(struct samples *s, const struct spool_file *f);

/* Reads one META_SAMPLE record from [p, end), without its tag; its stack goes to the others. False: no memory. */
bool samples_read(struct samples *s, struct stack_table *stacks, const struct rec_modules *modules, const uint8_t *p,
                  const uint8_t *end);

/* No more are read: from now on the stacks may be put in another order. */
void samples_end(struct samples *s);

/*
 * Cuts the weight of samples, in a damaged or forged spool, to the time that passed: a thread has no more CPU time.
 * Returns how much was cut. Call it when all samples are read.
 */
uint64_t samples_bound(struct samples *s, const struct spool_header *h, uint64_t ticks_hz);

/* 0, or -1: the builder says why. */
int samples_write(const struct samples *s, struct gotrace_builder *b, uint64_t generation,
                  const struct trace_time *time);

void samples_free(struct samples *s);

#endif
