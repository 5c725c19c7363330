/* How locks were used, as a recording has counted it: strings of the trace that no event refers to (docs/model.md). */
#ifndef THRACE_PARSER_ANALYZE_LOCK_STATS_H
#define THRACE_PARSER_ANALYZE_LOCK_STATS_H

#include <stdbool.h>

#include "gotrace/reader.h"
#include "parser/vec.h"

enum { LOCK_STATS_MAX = 1 << 16 };

/* Of one lock, or of those who read under it. */
struct lock_stat {
    uint64_t taken, contended; /* how often; after a wait */
    uint64_t held, p50, p99, longest; /* ns */
    uint64_t by;               /* the goroutine that held it longest */
    char *object;              /* its name. The others are "" where they are not known */
    const char *function, *place, *thread; /* where the longest hold ended, "file:line", and the goroutine's name */
    const char *stack; /* there: lines "function (file:line)", the innermost first */
};

struct lock_stats {
    VEC(struct lock_stat) list; /* the one that was held longest in all comes first, once it is sorted */
    bool counted;    /* the recording was asked for it */
    uint64_t others; /* how often locks were taken that are not in the list */
    uint64_t missed; /* … or that nothing could be counted of */
    bool failed;     /* memory is short */
};

/* Takes what is in the generation that a Sync event begins; of another event nothing. */
void lock_stats_event(struct lock_stats *s, const struct gotrace_event *ev);

void lock_stats_sort(struct lock_stats *s);
void lock_stats_free(struct lock_stats *s);

#endif
