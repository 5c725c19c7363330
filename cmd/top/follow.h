/*
 * Follows the recording of a process that runs, generation by generation. Its spool is only read, as a file, so the
 * process does not notice, and nobody can cut it off under us. Everything here is for one thread.
 *
 * A batch moves from a thread's chunk to a packed one and to the log. All are read in that order, so that none is
 * missed; the same one twice is told by its time and thread. What is of a generation that is over does not change any
 * more.
 */
#ifndef THRACE_CMD_TOP_FOLLOW_H
#define THRACE_CMD_TOP_FOLLOW_H

#include "cmd/top/held_batches.h"
#include "cmd/top/lasting_records.h"
#include "cmd/top/open_waits.h"

struct follow {
    int fd;
    struct spool_header header; /* as it was when it was last read */
    uint64_t log_at;            /* what comes before it in the log was read */
    uint64_t shown;             /* the last generation that was given out, or was over before */
    uint64_t over;              /* the last one that is over */
    bool began;
    struct held_batches held; /* of later ones */
    struct lasting_records known;
    bool (*stop)(void); /* the caller's: whether reading is to end early; NULL: never */
    struct open_waits waits;
    uint8_t *block; /* of the log */
};

/*
 * fd: the spool, which stays the caller's. What was recorded so far is gone through once, for what threads are in.
 * NULL, or why not. To be closed in either case.
 */
const char *follow_open(struct follow *f, int fd);
void follow_close(struct follow *f);

/* Reads what is new. NULL, or why that cannot go on: follow_stopped, if the caller said so. */
const char *follow_read(struct follow *f);
extern const char follow_stopped[];

/* The recording has ended: nothing will be new. */
bool follow_has_ended(const struct follow *f);

/*
 * The next generation that is over, as `thrace finish` has a spool; it lives until follow_next_end(). False: there is
 * none so far, or *wrong says what went wrong.
 */
bool follow_next(struct follow *f, struct spool_file *file, const char **wrong);
const char *follow_next_end(struct follow *f, struct spool_file *file);

#endif
