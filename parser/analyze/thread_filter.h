/* Which threads (goroutines) of a trace a filter lets pass: their names may be known only at its end. */
#ifndef THRACE_PARSER_ANALYZE_THREAD_FILTER_H
#define THRACE_PARSER_ANALYZE_THREAD_FILTER_H

#include "parser/analyze/span_filter.h"

struct thread_filter {
    VEC(uint64_t) bits; /* of the threads, in the order in which they appear in the trace */
    uint64_t nthreads, npassed;
    const char *const *reasons; /* the caller's: only those pass that wait for one of them; none: all do */
    size_t nreasons;
};

/* Reads the trace, for that and for how long it is, which f learns. False: memory is short. */
bool thread_filter_learn(struct thread_filter *t, struct span_filter *f, struct gotrace_reader *r);

/* Whether the nth thread passes, from 0. */
static inline bool thread_filter_passes(const struct thread_filter *t, uint64_t nth)
{
    return nth / 64 < t->bits.n && (t->bits.v[nth / 64] >> nth % 64 & 1);
}

void thread_filter_free(struct thread_filter *t);

#endif
