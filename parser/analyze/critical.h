/*
 * What decided when things happened: backwards from a moment of a thread, along its stretches, and from a wait that
 * another thread ended to what that one did before. What a thread waited for somebody is not on the way, what the other
 * did meanwhile is.
 *
 * A stretch is kept with the one before it on the way, so a thread that is woken has the way of its waker, for the price
 * of a number. The last CRITICAL_MAX stretches of the trace are kept, whatever its length.
 */
#ifndef THRACE_PARSER_ANALYZE_CRITICAL_H
#define THRACE_PARSER_ANALYZE_CRITICAL_H

#include "parser/analyze/spans.h"

enum { CRITICAL_MAX = 1 << 19, CRITICAL_STEPS = 16 };

struct critical_step {
    uint64_t before; /* the number of the step before, 0: none */
    uint64_t thread; /* goroutine */
    int64_t begin, end;
    uint16_t name, reason, what; /* texts, as in spans; of what runs: what is its region */
    uint8_t state;
    /* For blame.h, whose steps have all stretches of a thread. */
    bool sampled;    /* `what` is where a sample found it */
    uint16_t object; /* that is waited for: its number + 1 */
    uint64_t waker;  /* the last step of who ended the wait */
};

/* Where a thread is on its way. */
struct critical_end {
    uint64_t before; /* the number of its last step */
    int64_t since;   /* what it does since then is no step yet */
};

struct critical {
    struct critical_step *v; /* step number n is v[(n - 1) % cap] */
    size_t cap;              /* a power of two, or 0 */
    uint64_t n;
    bool failed; /* memory is short */
};

void critical_free(struct critical *c);

/* The thread's stretch up to now is a step of its way; what: its region, or 0. NULL: it has no length, or no memory. */
struct critical_step *critical_add(struct critical *c, struct critical_end *e, const struct span_thread *t,
                                   uint32_t what, int64_t now);

/* The step with this number; NULL: there is none, or it is not kept. */
static inline const struct critical_step *critical_step_of(const struct critical *c, uint64_t number)
{
    return number && c->n - number < c->cap ? &c->v[(number - 1) & (c->cap - 1)] : NULL;
}

/* The way to a moment, from some time on. */
struct critical_path {
    struct critical_step steps[CRITICAL_STEPS]; /* the longest, in the order of time; adjoining ones of a kind are one */
    uint32_t nsteps;
    uint64_t nothers, others; /* those that are not among them: how many, and ns of all */
    uint64_t unknown;         /* ns at the beginning: what was done is not kept */
};

void critical_trace(const struct critical *c, struct critical_end e, int64_t from, struct critical_path *path);

#endif
