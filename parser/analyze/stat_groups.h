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

enum { STAT_RECENT_BITS = 6, STAT_LATE = 8 };

/* What is to be counted. */
struct stat_late {
    uint64_t key, count, total;
    uint32_t known; /* what index said of the key */
};

struct stat_groups {
    struct idmap index;
    /* Groups that were counted last: known is what index says. */
    struct {
        uint64_t key;
        uint32_t known;
    } recent[1 << STAT_RECENT_BITS];
    VEC(struct stat_group) list;
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

/* Adds a group of others, without its spread. */
void stat_groups_sum(struct stat_groups *gs, uint64_t key, const struct stat_group *of);

/* What percent of the group's stretches do not exceed, at most 1/16 too large. */
uint64_t stat_group_percentile(const struct stat_group *g, unsigned percent);

#endif
