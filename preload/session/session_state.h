/* What the files of sessions share: session.c begins them, the others stop, serve and copy them. */
#ifndef THRACE_PRELOAD_SESSION_SESSION_STATE_H
#define THRACE_PRELOAD_SESSION_SESSION_STATE_H

#include "lib/spool.h"
#include "lib/options/options.h"
#include "preload/session/session.h"

struct session {
    struct lock lock; /* ranks before advance */
    const struct options *options;
    const char *pattern;
    uint32_t number; /* of sessions, and of this one */
    uint32_t last_n; /* the highest number that a path was given */
    bool recorded;   /* the mapping has been there */
    bool ends;       /* somebody was still writing when the last one was stopped: its place is not free yet */
    bool over;       /* the last one has ended */
    uint64_t root;   /* session_root, when this one began */
    char out[SPOOL_PATH_MAX];
};

extern struct session session;

/* Out of a number: the trace's path and the spool's. False: too long. */
bool session_paths(uint32_t n, char *out, char *spool);
bool session_is_numbered(void);
bool session_path_exists(const char *path);

/* Stands for the root directory of the process; 0: it cannot be looked at. */
uint64_t session_root(void);

/* Records what a generation does not say of itself: what is mapped, and which functions are wrapped. */
void session_record_surroundings(void);

/*
 * Moves what is full to the log and grows the pool as need be. fd: the spool's, or a negative errno when it cannot be
 * opened any more. 0, or a negative errno.
 */
int session_drain(int fd);

#endif
