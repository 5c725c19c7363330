/* What a critical path adds up to. Each of the sums below is all of it. */
#ifndef THRACE_PARSER_ANALYZE_PATH_SUMS_H
#define THRACE_PARSER_ANALYZE_PATH_SUMS_H

#include "parser/analyze/path_walk.h"
#include "parser/analyze/stat_groups.h"

enum { PATH_DEEDS = 1 << 16 };

struct path_name {
    uint32_t name; /* text, 0: none */
    uint32_t nthreads;
    uint64_t ns;
};

struct path_sums {
    size_t longest; /* how many of the pieces are kept */
    const struct path_collect *c;
    uint64_t total;
    uint64_t state[GOTRACE_STATE_IDLE];
    struct stat_groups deeds;   /* by path_deed_key(); one more stretch for each piece */
    struct stat_groups objects; /* by text, or 0 */
    VEC(struct path_name) names;
    struct idmap name_index;    /* text + 1 to the place in names + 1 */
    struct idmap seen;          /* threads */
    VEC(struct path_piece) pieces; /* the longest; in the order of time once all is added up */
    uint64_t nothers, others;   /* the pieces that are not kept: how many, and ns */
    bool failed;                /* memory is short */
};

/* What somebody did; object is that of a wait, else 0. */
static inline uint64_t path_deed_key(uint8_t state, bool sampled, uint16_t reason, uint16_t what, uint16_t object)
{
    return (uint64_t)state << 60 | (uint64_t)sampled << 48 | (uint64_t)object << 32 | (uint64_t)reason << 16 | what;
}
static inline uint32_t path_deed_state(uint64_t key) { return (uint32_t)(key >> 60); }
static inline bool path_deed_sampled(uint64_t key) { return key >> 48 & 1; }
static inline uint32_t path_deed_object(uint64_t key) { return key >> 32 & 0xffff; }
static inline uint32_t path_deed_reason(uint64_t key) { return key >> 16 & 0xffff; }
static inline uint32_t path_deed_what(uint64_t key) { return key & 0xffff; }

/* Follows the path and adds it up, with the longest pieces. False: memory is short, or c->log.error is set. */
bool path_sum_up(struct path_sums *s, struct path_collect *c, const struct path_end *end, size_t longest);
void path_sums_free(struct path_sums *s);

#endif
