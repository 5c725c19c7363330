/*
 * What the steps from bytes to a struct v1_trace share. v1_parse (parse.c) runs them one after the other:
 *
 *   1. v1_scan     goes over all records, checks each by itself, fills in the tables, and notes which runs of events
 *                  each proc wrote
 *   2. v1_merge    puts the events in order by what goroutines can do, as Go does since 1.7; v1_sequence does it before
 *                  that, by sequence numbers. Kept is whose event comes next (kept.h)
 *   3. v1_clock    sorts ends of system calls by their time, and finds out how long a tick is
 *   4. v1_futile   leaves out futile wakeups
 *   5. v1_check    holds the outcome against what can happen, and marks what follows from the order
 *
 * From the third on they go over the events as everybody does, by v1_next. Reading the records again takes less time
 * than fresh memory would for what they say.
 */
#ifndef THRACE_PARSER_V1_PARSE_H
#define THRACE_PARSER_V1_PARSE_H

#include "parser/hints.h"
#include "parser/v1/kept.h"

/*
 * Go makes a proc for each processor that it may use, so that this is out of reach. Below it the time that merging takes
 * stays in proportion to the trace, whatever it says.
 */
enum { V1_MAX_PROCS = 16384 };
_Static_assert(V1_SPECIAL_PS + V1_MAX_PROCS + 1 <= UINT16_MAX, "the order has 16 bits for a proc, samples included");

struct v1_parse {
    struct v1_trace *t;
    struct v1_error *e;
    size_t procs_before_samples; /* so many had written before the first sample was */
    size_t strings_cap, stacks_cap;
    struct idmap proc_ids; /* index + 1 */
    struct idmap p_ids;    /* to indices in the trace, + 1 */
    struct idmap timers;   /* goroutines that run timers */
    size_t nfutile;        /* events that tell of a futile wakeup */
};

bool v1_scan(struct v1_parse *s);
bool v1_merge(struct v1_parse *s);
bool v1_sequence(struct v1_parse *s);
bool v1_clock(struct v1_parse *s);
bool v1_futile(struct v1_parse *s);
bool v1_check(struct v1_parse *s);

/* An array of n elements, of 0 < size bytes each, that is gone over from one end to the other. NULL: out of memory. */
void *v1_alloc(size_t n, size_t size);

/* Puts CPU samples in order of time. */
bool v1_sort_samples(struct v1_parse *s);

/* Adds a stack to the trace, as number nstacks. */
bool v1_add_stack(struct v1_parse *s, const struct v1_stack *stack);

/* The index of a goroutine. False: out of memory. */
bool v1_new_g(struct v1_parse *s, uint64_t g, uint32_t *index);
static inline bool v1_index_g(struct v1_parse *s, uint64_t g, uint32_t *index)
{
    *index = idmap_get(&s->t->g_ids, g);
    return LIKELY(*index) || !g || v1_new_g(s, g, index);
}

/* The index of a proc, which the record of that ID at `at` names. False: there are too many, or out of memory. */
bool v1_index_p(struct v1_parse *s, int32_t p, uint64_t at, unsigned id, uint16_t *index);

/* Says so, and returns false. */
bool v1_no_memory(struct v1_parse *s);

#endif
