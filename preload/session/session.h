/*
 * Sessions: one recording each, in a spool of its own. A process has as many as it likes, one after the other. Between
 * them the threads keep their records and their statuses (track_enter in preload/tracer.h), so that the next one begins
 * with what every live thread is doing.
 */
#ifndef THRACE_PRELOAD_SESSION_SESSION_H
#define THRACE_PRELOAD_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options;

/* Once, in the constructor, and again in the child of a fork that is to be recorded. */
void session_init(const struct options *o, bool child);

/*
 * Begins one. 0, or a negative errno: -EALREADY when one is under way, -ESHUTDOWN when this process records no more,
 * -EBUSY when a thread did not leave its section, else why there is no spool; -EEXIST: its path is taken. Not in a
 * hook.
 */
int session_start(void);

/* The same without a look at what is mapped: in the child of a fork. */
int session_start_with_modules(void);

/* Ends it: all that was recorded is in its spool, which is complete. False: none was under way. Not in a hook. */
bool session_stop(void);

/* The same; the path of that spool goes to spool (SPOOL_PATH_MAX bytes): the next one may have begun meanwhile. */
bool session_stop_telling(char *spool);

/* The last one: nothing is hooked any more. */
void session_stop_for_good(void);

/* The helper's descriptor of the spool; {-1, 0} to begin with. */
struct session_file {
    int fd;
    uint32_t session;
};

/* Drains and grows the spool, and begins a generation when that is due. Without a file it opens one when need be. */
void session_chores(struct session_file *f);

/* The number of the session that is under way, or was last; from 1. 0: none was. */
uint32_t session_number(void);

/* Drains and grows the spool, if nobody is at it: from a signal handler, too, with tens of KiB of stack. */
void session_make_room(void);

/*
 * Writes what the flight recorder holds to a spool of its own, whose path goes to spool (SPOOL_PATH_MAX bytes). 0, or a
 * negative errno: -EOPNOTSUPP when it is none, -EALREADY when nothing is recorded. By a thread of the shim's own.
 */
int session_snapshot(char *spool);

/* What `thrace status` tells. */
struct control_reply;
void session_describe(struct control_reply *r);

/* The spool of the session under way, or of the last one. */
const char *session_spool(void);

/*
 * Calls each(arg, path) for every spool of this process that is there, whoever it was before it executed this program.
 */
void session_each_spool(void (*each)(void *arg, const char *path), void *arg);

/* Path of the executable. */
const char *session_exe(void);

/* For fork: nobody is in the middle of starting or stopping. */
void session_lock(void);
void session_unlock(void);
void session_forget_lock(void);

#endif
