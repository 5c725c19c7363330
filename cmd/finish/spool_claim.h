/*
 * Claims a spool for finishing. It is opened once, and all else goes through that descriptor, so that nobody can put
 * another file in its place in between.
 */
#ifndef THRACE_CMD_FINISH_SPOOL_CLAIM_H
#define THRACE_CMD_FINISH_SPOOL_CLAIM_H

#include <stdbool.h>
#include <sys/types.h>

struct spool_claim {
    int fd;
    dev_t dev;
    ino_t ino;
    bool gone;    /* there is no such file (any more) */
    bool foreign; /* another user's: it cannot be trusted, and it stays */
    bool is_hostile; /* somebody may lock it for ever: that is waited for for a moment only */
    bool linked;  /* it has a second name */
    bool no_file; /* it is no file, so no spool */
    char why[160];
};

/*
 * Opens it, no link followed, without waiting for a FIFO. A file of another user is refused, unless root says anyway.
 * NULL, or why not; fd is -1 then.
 */
const char *spool_claim_open(struct spool_claim *c, const char *path, bool anyway);

/*
 * Waits until nobody else finishes it: `thrace stop` and the process that ends may both want to. False: it is gone, and
 * the other one has made the trace.
 */
bool spool_claim_lock(struct spool_claim *c);

/* Removes it, if that is wanted and the name is still its own, and closes it. */
void spool_claim_end(struct spool_claim *c, const char *path, bool remove);

#endif
