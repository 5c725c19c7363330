/* What is found, at the end of a trace: what has a name, a cause and evidence. */
#ifndef THRACE_PARSER_ANALYZE_FINDINGS_JUDGE_H
#define THRACE_PARSER_ANALYZE_FINDINGS_JUDGE_H

#include "parser/analyze/findings_state.h"

enum finding_kind {
#define FINDING(name) FINDING_##name,
#include "parser/analyze/findings.def"
#undef FINDING
    FINDING_KINDS
};

struct finding {
    enum finding_kind kind;
    uint64_t cost;           /* ns of wall time: who waited, or the like */
    uint32_t object, inner;  /* number + 1, or 0: what is waited for; the lock that its owner waits for */
    uint32_t waiter, place;  /* texts, or 0: the name of most of those who wait, and where most wait */
    uint32_t owner, site;    /* texts, or 0: the culprit's name; where it releases or signals, or was made */
    uint32_t doing;          /* text, or 0: what the culprit does meanwhile, and where */
    bool executes;           /* it executes that; else it is a call */
    uint64_t who;            /* goroutine: the culprit, if it is one; else 0 */
    uint64_t nwaiters, nowners, waits, time; /* how many threads and waits there were; ns of these */
    uint64_t part;           /* ns of time, or of cost: what `doing` is to blame for */
    uint64_t n, m;           /* by kind: see findings_*.c */
};

struct finding_list {
    struct finding v[FINDINGS_MAX]; /* the one with the most cost first */
    size_t n;
};

/* Of a trace that is finished. */
void findings_judge(const struct findings *f, struct finding_list *list);

/* ---- for findings_*.c -------------------------------------------------------------------------------------------- */

void finding_add(struct finding_list *list, const struct finding *it);
bool finding_has_object(const struct finding_list *list, uint32_t object);

uint64_t finding_wall(const struct findings *f);
static inline bool finding_is_share(uint64_t part, uint64_t all, unsigned percent)
{
    return all && (double)part >= (double)all * percent / 100;
}

/* The group with the most time among those whose key has that value in the mask; NULL: there is none. */
const struct stat_group *finding_top(const struct stat_groups *gs, uint64_t mask, uint64_t value);
uint64_t finding_sum(const struct stat_groups *gs, uint64_t mask, uint64_t value);

/* Where a function was sampled most often, with the line. */
uint32_t finding_line_of(const struct findings *f, uint32_t function);

/* What the owners of an object did while others waited, but for what they waited for a processor themselves. */
struct finding_deeds {
    uint64_t total, blocked, nested, executed, samples;
    struct finding_deed {
        uint64_t ns;
        uint32_t owner, what; /* texts; of what was executed, the function that was sampled most often */
        uint32_t inner, name; /* a lock's number + 1, and the name of its owner */
    } top_blocked, top_nested, top_executed;
};
struct finding_deeds finding_deeds_of(const struct findings *f, uint32_t object);

/*
 * They executed most of the time, and there are as many samples of that as there would be if they did: at least an eighth
 * of all samples, as the time in which somebody waited is of the wall time, where all processors are busy. Of a lock one
 * in ten is of the time in which it was held for certain. Blocked likewise: some of that time was spent in calls.
 */
bool finding_is_executed(const struct findings *f, uint32_t object, const struct finding_deeds *d);
bool finding_is_blocked(const struct findings *f, uint32_t object, const struct finding_deeds *d);

/* Who did most of it, and what. */
void finding_set_doing(const struct findings *f, struct finding *it, const struct finding_deeds *d, bool executes);

/* A finding about an object, with what its waits and releases say. */
struct finding finding_about(const struct findings *f, uint32_t object, enum finding_kind kind);

/* Who is the culprit, and where it releases the object most often. */
void finding_set_owner(const struct findings *f, struct finding *it, uint32_t object, uint32_t name);

void findings_of_locks(const struct findings *f, uint32_t object, struct finding_list *list);
void findings_of_signals(const struct findings *f, uint32_t object, struct finding_list *list);
void findings_of_others(const struct findings *f, uint32_t object, struct finding_list *list);
void findings_of_threads(const struct findings *f, struct finding_list *list);

#endif
