/*
 * A spool as it is taken in hand: opened once, by a descriptor that all else goes through, so that nobody can put
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
    bool foreign; /* another user's: what it says is nobody's word, and it stays */
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
 * Waits until nobody else finishes it: `thrace stop` and the process that ends may want to at once. False: it is gone,
 * the other one has made the trace.
 */
bool spool_claim_lock(struct spool_claim *c);

/* Closes it; removes it before, if that is wanted and the name is still its own. */
void spool_claim_end(struct spool_claim *c, const char *path, bool remove);

#endif
