/*
 * For how long threads could run and did not: from when they were made or woken, or lost the processor, to when they
 * have one. In a recording without the kernel's word it ends when the thread says so.
 */
#ifndef THRACE_PARSER_ANALYZE_RUN_QUEUE_H
#define THRACE_PARSER_ANALYZE_RUN_QUEUE_H

#include "parser/analyze/stat_groups.h"

/* Two lengths for each power of ten, from a microsecond to ten seconds; the last one has what is longer. */
enum { RUN_QUEUE_LENGTHS = 16, RUN_QUEUE_KNOWN = 8 };

struct run_queue {
    struct run_queue_length {
        uint64_t count, total; /* ns */
    } lengths[RUN_QUEUE_LENGTHS];
    struct stat_group all;      /* at the end, with its spread */
    struct stat_groups reasons; /* by text: why they could run */
    struct stat_groups objects; /* by the number of what they had waited for, until they ran */
    struct run_queue_known {
        uint32_t reason, number; /* number: of its group + 1 */
    } known[RUN_QUEUE_KNOWN];
    bool failed; /* memory is short */
};

void run_queue_init(struct run_queue *q);
void run_queue_free(struct run_queue *q);

/* One stretch. object: number + 1 of what the thread was woken from; 0: from nothing. */
void run_queue_add(struct run_queue *q, uint32_t reason, uint32_t object, uint64_t ns);

/* There are no more. */
void run_queue_end(struct run_queue *q);

/* Those of that length are no longer than that; UINT64_MAX: as long as they like. */
uint64_t run_queue_at_most(unsigned length);

/* Of the waits for an object, by its number; NULL: nobody was woken. */
const struct stat_group *run_queue_of(const struct run_queue *q, uint32_t object);

static inline bool run_queue_failed(const struct run_queue *q) {
    return q->failed || q->reasons.failed || q->objects.failed;
}

#endif
