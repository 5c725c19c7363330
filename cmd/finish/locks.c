#include "config.h"

#include "cmd/finish/locks.h"

void rec_locks_init(struct rec_locks *l, const struct spool_header *h, uint64_t hz)
{
    l->counted = h->locks.counted;
    l->others = h->locks.others;
    l->missed = h->locks.missed;
    l->ns = 1e9 / (double)hz / (double)(UINT64_C(1) << h->clock.shift);
}

uint64_t rec_lock_percentile(const struct rec_lock *l, unsigned percent)
{
    uint64_t all = 0, before = 0;
    for (unsigned i = 0; i < LOCK_BUCKETS; i++)
        all += l->holds[i];
    double rank = (double)all * percent / 100;
    for (unsigned i = 0; i < LOCK_BUCKETS; before += l->holds[i++]) {
        if (!l->holds[i] || (double)(before + l->holds[i]) < rank)
            continue;
        double begin = (double)lock_bucket_begin(i);
        double to = i + 1 < LOCK_BUCKETS ? (double)lock_bucket_begin(i + 1) : (double)l->longest;
        double at = begin + (to - begin) * (rank - (double)before) / (double)l->holds[i];
        return at < (double)l->longest ? (uint64_t)at : l->longest;
    }
    return l->longest;
}
