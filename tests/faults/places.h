/*
 * Places in a program, by the calls that led there, and what happened first at each. Not for several threads at once.
 */
#ifndef THRACE_TESTS_FAULTS_PLACES_H
#define THRACE_TESTS_FAULTS_PLACES_H

#include <stdint.h>
#include <stdio.h>

enum { PLACES_SLOTS = 1 << 12 /* of which half are used, at most: what comes then is no new place */ };

struct places {
    uint64_t seen[PLACES_SLOTS]; /* 0: free */
    unsigned long numbers[PLACES_SLOTS / 2];
    unsigned n;
};

#define PLACE_NONE UINT64_C(0xcbf29ce484222325)

/* The place that is called from there. */
static inline uint64_t place_with(uint64_t place, uint64_t pc)
{
    place = (place ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
    return place ^ place >> 29;
}

static inline void places_add(struct places *p, uint64_t place, unsigned long number)
{
    unsigned at = place % PLACES_SLOTS;
    place += !place;
    while (p->seen[at] && p->seen[at] != place)
        at = (at + 1) % PLACES_SLOTS;
    if (p->seen[at] || p->n == PLACES_SLOTS / 2)
        return;
    p->seen[at] = place;
    p->numbers[p->n++] = number;
}

static inline void places_print(const struct places *p, FILE *f, const char *between)
{
    for (unsigned i = 0; i < p->n; i++)
        fprintf(f, "%.*s%lu", i > 0, between, p->numbers[i]);
}

#endif
