/*
 * What earlier runs found out about a file, in a folder of the user's own: one entry for each build-id and path. An
 * entry holds as long as every file that was opened or looked for to make it is exactly as it was, or still missing.
 */
#ifndef THRACE_LIB_SYMBOLIZE_CACHE_H
#define THRACE_LIB_SYMBOLIZE_CACHE_H

#include "lib/symbolize/image.h"
#include "lib/symbolize/job.h"

struct cache {
    char path[4096]; /* "" when the job is not for the cache */
    uint64_t *pcs;   /* known from earlier, ascending */
    struct answer known;
};

/* Opens what is known of the job's file. True: everything, which is then in the answer; the answer is initialised. */
bool cache_answer(struct cache *, const struct job *, struct answer *);

/* Keeps a new answer together with what was known. The log says what was opened for it. */
void cache_keep(const struct cache *, const struct job *, const struct answer *, const struct image_log *);
void cache_close(struct cache *);

#endif
