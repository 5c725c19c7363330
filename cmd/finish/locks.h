/* How locks were used, as a spool has it, and what that comes to. */
#ifndef THRACE_CMD_FINISH_LOCKS_H
#define THRACE_CMD_FINISH_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/lock_stats.h"
#include "lib/spool.h"

/* Times are counts of the recording's clock. */
struct rec_lock {
    size_t object; /* its number in objects.v; merged, that of its name */
    bool read;
    uint64_t taken, contended, held, longest, longest_g;
    size_t where, nwhere; /* stacks.pcs[where …]: the stack that ended the longest hold */
    uint64_t holds[LOCK_BUCKETS];
};

struct rec_locks {
    struct rec_lock *v; /* one for each lock, and use of it, once they are merged */
    size_t n, cap;
    bool counted; /* else nobody asked for it */
    uint64_t others, missed;
    double ns; /* of a count */
};

/* The length of a tick is known. */
void rec_locks_init(struct rec_locks *l, const struct spool_header *h, uint64_t hz);

/* Counts that so many percent of the holds were not longer than, reckoned within a bucket; 0: there were none. */
uint64_t rec_lock_percentile(const struct rec_lock *l, unsigned percent);

#endif
