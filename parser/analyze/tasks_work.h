/* Types of tasks and regions, and what is summed up for each. */
#ifndef THRACE_PARSER_ANALYZE_TASKS_WORK_H
#define THRACE_PARSER_ANALYZE_TASKS_WORK_H

#include "parser/analyze/spans.h"
#include "parser/analyze/stat_groups.h"

enum { TASK_NTYPES = 128 }; /* later ones share a type, number TASK_NTYPES, "others" */

struct task_type {
    uint32_t text;
    uint64_t count, total, max; /* of those whose begin and end are in the trace; ns */
    uint64_t unfinished;        /* the others */
    uint64_t worked;            /* ns of the threads that worked for them */
    uint32_t *spread;           /* spread.h, fine */
};

struct task_types {
    VEC(struct task_type) list;
    struct idmap index; /* text to number + 1 */
    bool failed;        /* memory is short */
};

void task_types_free(struct task_types *types);

/* The number of the type with this text; it is a place in list. */
uint32_t task_type_of(struct task_types *types, uint32_t text);

void task_type_add(struct task_types *types, uint32_t type, uint64_t ns);

/* One whose begin or end is not in the trace. */
void task_type_unfinished(struct task_types *types, uint32_t type);

/* What percent of those of the type do not exceed, at most 1/512 too large. */
uint64_t task_type_percentile(const struct task_type *type, unsigned percent);

/* Of a key as below, all that says which type. */
#define TASK_WORK_MASK (UINT64_MAX << 40)
static inline uint64_t task_work_of(uint32_t type) { return (uint64_t)type << 40; }

/* What the threads that worked for tasks of a type did: state, reason and place of a stretch. */
static inline uint64_t task_work_key(uint32_t type, const struct span_thread *t)
{
    _Static_assert(STAT_NTEXTS <= 1 << 16, "a text fits into 16 bits");
    _Static_assert(GOTRACE_STATE_IDLE < 1 << 8, "a state fits into 8 bits");
    return task_work_of(type) | (uint64_t)t->state << 32 | t->reason << 16 | t->what;
}
static inline uint32_t task_work_state(uint64_t key) { return key >> 32 & 0xff; }
static inline uint32_t task_work_reason(uint64_t key) { return key >> 16 & 0xffff; }
static inline uint32_t task_work_what(uint64_t key) { return key & 0xffff; }

#endif
