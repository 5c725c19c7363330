/*
 * Coroutine switches, for a version that has none. A switch to a goroutine is one step of its sequence there, and two
 * here: a wake-up and a start. A goroutine that is created blocked is created runnable here, and stays so until the
 * first switch to it or wake-up of it, which then needs no wake-up: one step.
 */
#ifndef THRACE_PARSER_CONVERT_SWITCH_H
#define THRACE_PARSER_CONVERT_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/idmap.h"
#include "parser/vec.h"

/* A step of goroutine that is another number of steps here: later ones move by shift, it and they by before. */
struct switch_step {
    uint64_t goroutine, seq;
    int64_t before;
    int8_t shift;
    bool first;
};

struct switches {
    VEC(struct switch_step) steps;   /* of the generation, by goroutine and sequence number */
    VEC(uint64_t) created_blocked;   /* goroutines that were created blocked and did not run so far */
    struct idmap created_blocked_of; /* index + 1 */
};

/* Starts a generation, */
void switches_begin(struct switches *s);

/* which has this event (args without dt); false: out of memory; */
bool switches_see(struct switches *s, uint8_t id, const uint64_t *args);

/* and that was all. */
void switches_sort(struct switches *s);

/* The sequence number here; *first: the step is the first of a goroutine that was created blocked. */
uint64_t switches_seq(const struct switches *s, uint64_t goroutine, uint64_t seq, bool *first);

/* Whether the goroutine was created blocked, in a generation before, and did not run until this one. */
bool switches_created_blocked(const struct switches *s, uint64_t goroutine);

/* Ends the generation; false: out of memory. */
bool switches_end(struct switches *s);

void switches_free(struct switches *s);

#endif
