/* Numbers that look random and are the same in every run: a test that fails says its seed. */
#ifndef THRACE_TESTS_RANDOM_H
#define THRACE_TESTS_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t x;
};

static inline struct random random_seed(uint64_t seed) { return (struct random){seed * 2654435761u + 1}; }

static inline uint32_t random_below(struct random *r, uint32_t n)
{
    r->x ^= r->x << 13;
    r->x ^= r->x >> 7;
    r->x ^= r->x << 17;
    return (uint32_t)(r->x >> 33) % n;
}

static inline int random_one_in(struct random *r, uint32_t n) { return !random_below(r, n); }

#endif
