/*
 * A recording for as long as somebody looks. thrace top attaches to a process that is not recorded: a flight recorder,
 * in a folder of its own, which is locked meanwhile. At the end nothing is left of it. Where thrace top was killed, the
 * recording goes on, and the folder is not locked any more: who comes next ends it. Everything here is for one thread.
 */
#ifndef THRACE_CMD_VISIT_H
#define THRACE_CMD_VISIT_H

#include <limits.h>
#include <stdbool.h>

#include "cmd/attachment.h"

struct visit {
    struct attachment attachment;
    struct process process;
    struct common_folder folder;
    bool begun;
};

/* Attaches to the process, by the environment of visit_environment_read. NULL, or why not. */
const char *visit_begin(struct visit *v, const char *verb, pid_t pid, bool with_filter);

/* Takes the visit over that records to this spool of the process. False: it is none, or somebody looks. */
bool visit_take_over(struct visit *v, const char *verb, pid_t pid, const char *spool);

/* Detaches, and removes what was recorded. False after a complaint: the recording goes on, and all of it is there. */
bool visit_end(struct visit *v);

/* Where a spool that a snapshot left in the folder is for us; spool: for the process. False: it is not there. */
bool visit_find(const struct visit *v, const char *spool, char *path, size_t size);

/* Its spool's path for us. */
void visit_spool(const struct visit *v, char *path, size_t size);

/* Removes a spool, which a snapshot left in the folder. */
void visit_forget(const struct visit *v, const char *spool);

/* Ends a visit that a killed thrace top has left in the process. False after a complaint: somebody still looks. */
bool visit_make_way(const char *verb, pid_t pid);

/* Whether the spool is one of a visit, by its path. */
bool visit_has(const char *spool);

/*
 * A name for a trace of it, in the current directory: NAME.PID.trace, for 1, NAME.PID.2.trace, and so on, the first one
 * that is free. An empty file is there then, so that nobody else takes it. False: none can be had.
 */
bool visit_trace(char *path, size_t size, const char *name, pid_t pid, int first);

/* Removes that file, if it is still empty. */
void visit_trace_unused(const char *path);

#endif
