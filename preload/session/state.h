/*
 * Sessions: one recording each, in a spool of its own. A process has as many as it likes, one after the other. Between
 * them the threads keep their records and their statuses (track_enter in preload/section.h), so that the next one
 * begins with what every live thread is doing. This is what start, stop, maintain and snapshot share.
 */
#ifndef THRACE_PRELOAD_SESSION_STATE_H
#define THRACE_PRELOAD_SESSION_STATE_H

#include "lib/lock.h"
#include "lib/options/options.h"
#include "lib/spool.h"

struct session {
    struct lock lock; /* ranks before advance */
    const struct options *options;
    const char *pattern;
    uint32_t number; /* of sessions, and of this one */
    uint32_t outgrown; /* the one of which it was said that the flight recorder is too small */
    uint32_t last_n; /* the highest number that a path was given */
    bool recorded;   /* the mapping has been there */
    bool ends;       /* somebody was still writing when the last one was stopped: its place is not free yet */
    bool over;       /* the last one has ended */
    uint64_t root;   /* session_root, when this one began */
    char out[SPOOL_PATH_MAX];
};

extern struct session session;

/* Once, in the constructor, and again in the child of a fork that is to be recorded. */
void session_init(const struct options *o, bool child);

/* The options name another trace, and the sessions are counted anew: the library was brought back. */
void session_reopen(void);

/* The number of the session that is under way, or was last; from 1. 0: none was. */
uint32_t session_number(void);

/* The spool of the session under way, or of the last one. */
const char *session_spool(void);

/* Path of the executable. */
const char *session_exe(void);

/* What `thrace status` tells. */
struct control_reply;
void session_describe(struct control_reply *r);

/* For fork: nobody is in the middle of starting or stopping. */
void session_lock(void);
void session_unlock(void);
void session_forget_lock(void);

/* --- paths -------------------------------------------------------------------------------------------------------- */

/* Out of a number: the trace's path and the spool's. False: too long. */
bool session_paths(uint32_t n, char *out, char *spool);
bool session_is_numbered(void);
bool session_path_exists(const char *path);

/* A process that is not the one that OUT is meant for has its pid in the name. False: it has it already. */
bool session_name_child(void);

/* Stands for the root directory of the process; 0: it cannot be looked at. */
uint64_t session_root(void);

/*
 * Calls each(arg, path) for every spool of this process that is there, whoever it was before it executed this program.
 */
void session_each_spool(void (*each)(void *arg, const char *path), void *arg);

/* Records what a generation does not say of itself: what is mapped, and which functions are wrapped. */
void session_record_surroundings(void);

#endif
