/* Stretches of time, counted by what they have in common. Memory is bounded: late keys share one group, "others". */
#ifndef THRACE_PARSER_ANALYZE_STAT_GROUPS_H
#define THRACE_PARSER_ANALYZE_STAT_GROUPS_H

#include <stdint.h>

#include "parser/idmap.h"
#include "parser/vec.h"

enum { STAT_NGROUPS = 4096 };

struct stat_group {
    uint64_t key;
    uint32_t number;             /* in the order of first sight, from 0; max: the others */
    uint64_t count, total, max;  /* times in ns */
    uint32_t *spread;            /* spread.h, coarse, or NULL */
};

enum { STAT_LATE = 8 };

/* What is to be counted. */
struct stat_late {
    uint64_t key, hash, count, total;
    uint32_t known; /* what the index said of the key, or the group's number + 1 */
};

struct stat_groups {
    VEC(struct stat_group) list;
    /*
     * Where the groups are by their keys: a hash, of which the slot has a part. A seed keeps it from being foreseen.
     * With an idmap `thrace stat` takes 5 to 10 % longer where there are thousands of groups: it has the keys once more.
     */
    struct stat_slot {
        uint32_t tag, known; /* known: number + 1; 0: it is free */
    } *slots;
    size_t nslots; /* a power of two, or 0 */
    uint64_t seed;
    struct stat_group others;
    struct stat_late late[STAT_LATE]; /* number n is late[n % STAT_LATE] */
    uint64_t nlate, settled;          /* how many there have been, and are counted */
    size_t max; /* how many are kept apart */
    bool want_spread;
    bool failed; /* memory is short */
};

/* With room for STAT_NGROUPS, or for max of them. */
void stat_groups_init(struct stat_groups *gs, bool want_spread);
void stat_groups_init_many(struct stat_groups *gs, size_t max);
void stat_groups_free(struct stat_groups *gs);

/* Counts one stretch under key; the group's number. */
uint32_t stat_groups_add(struct stat_groups *gs, uint64_t key, uint64_t ns);

/*
 * The same for many of one key, whose largest is the total, where nobody asks for the number. It is counted some calls
 * later, when what that takes has come from memory, or by stat_groups_settle(); and before what stat_groups_add()
 * counts.
 */
void stat_groups_add_late(struct stat_groups *gs, uint64_t key, uint64_t count, uint64_t total);
void stat_groups_settle(struct stat_groups *gs);

/*
 * The same for one, where somebody asks for the number: the group is found, or made, at once. Nothing else may be
 * counted late in these groups, or they would be in another order.
 */
uint32_t stat_groups_add_found(struct stat_groups *gs, uint64_t key, uint64_t ns);

/* The key will be asked for soon. */
void stat_groups_prefetch(const struct stat_groups *gs, uint64_t key);

/* Adds a group of others, without its spread. */
void stat_groups_sum(struct stat_groups *gs, uint64_t key, const struct stat_group *of);

/* What percent of the group's stretches do not exceed, at most 1/16 too large. */
uint64_t stat_group_percentile(const struct stat_group *g, unsigned percent);

/* Keys for a thread of something that has a number of so many bits; of the goroutine's ID the others matter. */
enum { STAT_PAIR_BITS = 14 };
#define STAT_PAIR_THREAD (UINT64_MAX >> STAT_PAIR_BITS)
static inline uint64_t stat_pair_key(uint32_t number, uint64_t thread)
{
    return (uint64_t)number << (64 - STAT_PAIR_BITS) | (thread & STAT_PAIR_THREAD);
}
static inline uint32_t stat_pair_number(uint64_t key) { return (uint32_t)(key >> (64 - STAT_PAIR_BITS)); }
static inline bool stat_pair_is_of(uint64_t key, uint64_t thread) { return !((key ^ thread) & STAT_PAIR_THREAD); }

#endif
