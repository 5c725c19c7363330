/*
 * What is summed up of who is to blame: for each object and each name of its owners the time that others waited, and
 * of that for each thing that such an owner did meanwhile. Where it waited itself, the chain says for what, and whom.
 * Memory is bounded: what is not kept apart is missing in the smaller sums, never in the larger ones.
 */
#ifndef THRACE_PARSER_ANALYZE_BLAME_SUMS_H
#define THRACE_PARSER_ANALYZE_BLAME_SUMS_H

#include "parser/analyze/stat_groups.h"

enum { BLAME_CHAINS = 4095, BLAME_OWNERS = 1 << 14, BLAME_DEEDS = 1 << 16, BLAME_THREADS = 1 << 16 };

/* A link: who is at the end of the chain before it waits for the object, and is woken by whom it leads to. */
struct blame_chain {
    uint32_t before; /* number of a chain; 0: it begins here */
    uint32_t object; /* number + 1; 0: who is at the end was made by whom it leads to */
    uint32_t name;   /* text: whom it leads to; "": no thread of the trace */
};

struct blame_sums {
    struct stat_groups owners; /* by blame_owner_key() */
    struct stat_groups deeds;  /* by blame_deed_key() */
    struct stat_groups each;   /* by stat_pair_key(owner, thread): how long others waited for it */
    VEC(uint32_t) nthreads;    /* of each owner, by its number: how many threads of that name; known at the end */
    VEC(struct blame_chain) chains; /* number n is v[n - 1] */
    struct idmap index;
    bool failed; /* memory is short */
};

/* What an owner did: a stretch of its own, or that of another one at the end of the chain. */
struct blame_deed {
    uint32_t chain, what; /* what: text, as in critical_step */
    uint8_t state;        /* enum gotrace_state; UNDETERMINED: it is not known */
    bool sampled;
};

void blame_sums_init(struct blame_sums *b);
void blame_sums_free(struct blame_sums *b);

/* The chain that goes on from `before`, if there is room for another one; else `before`. */
uint32_t blame_chain_on(struct blame_sums *b, uint32_t before, uint32_t object, uint32_t name);

/* The owner's time will be added soon. */
void blame_expect_owner(const struct blame_sums *b, uint32_t object, uint32_t name);

void blame_add_owner(struct blame_sums *b, uint32_t object, uint32_t name, uint64_t thread, uint64_t ns);
void blame_add_deed(struct blame_sums *b, uint32_t object, uint32_t name, const struct blame_deed *d, uint64_t ns);

/* Nothing is added any more: all of it is in the sums. */
void blame_sums_end(struct blame_sums *b);

#define BLAME_OBJECT_MASK (UINT64_MAX << 49)
#define BLAME_OWNER_MASK (UINT64_MAX << 33)
static inline uint64_t blame_object_key(uint32_t object) { return (uint64_t)object << 49; }
static inline uint64_t blame_owner_key(uint32_t object, uint32_t name)
{
    return blame_object_key(object) | (uint64_t)name << 33;
}
static inline uint32_t blame_owner_name(uint64_t key) { return key >> 33 & 0xffff; }
uint64_t blame_deed_key(uint32_t object, uint32_t name, const struct blame_deed *d);
struct blame_deed blame_deed_of(uint64_t key);

#endif
