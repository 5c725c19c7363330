/*
 * When the machine was suspended in the course of a recording. CLOCK_MONOTONIC stands still meanwhile, and the
 * processor's counter mostly goes on, so what lies in between says nothing of the length of a tick; and times of
 * CLOCK_MONOTONIC are behind those of the trace afterwards.
 */
#ifndef THRACE_LIB_SUSPENSIONS_H
#define THRACE_LIB_SUSPENSIONS_H

#include "lib/clock.h"

enum { SUSPENSIONS_MAX = 8 };

/* Readings before and after each, in order; those beyond the last place are one with it. All zeros: there was none. */
struct suspensions {
    uint32_t n;
    uint32_t pad;
    struct {
        struct clock_pair before, after;
    } v[SUSPENSIONS_MAX];
};

/* A kill in between leaves what was noted before. */
void suspensions_note(struct suspensions *s, struct clock_pair before, struct clock_pair after);

/*
 * The frequency by two readings, without what lies between such readings (clock_frequency). Any numbers may stand in s:
 * what cannot be is passed over.
 */
uint64_t suspensions_frequency(const struct suspensions *s, const struct trace_clock *c, struct clock_pair first,
                               struct clock_pair last);

/* How long the machine was suspended before that tick, in ns, with so many ticks in a second. */
uint64_t suspensions_before(const struct suspensions *s, uint64_t ticks, uint64_t hz);

#endif
