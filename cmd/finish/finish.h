/* Makes a trace of a spool, for `thrace finish`, `thrace record`, `thrace stop` and `thrace snapshot`. */
#ifndef THRACE_CMD_FINISH_FINISH_H
#define THRACE_CMD_FINISH_FINISH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/finish/finish_summary.h"
#include "cmd/finish/process_root.h"

struct finish_how {
    const char *out;  /* where the trace goes; NULL: beside the spool, which is X.spool, as X */
    bool quiet;       /* without advice about debug info */
    bool may_be_gone; /* another process may finish it, too: say nothing when it is not there */
    bool anyway;      /* finish one whose process may be alive; for root, also another user's */
    bool takes;       /* another user's is removed as well: it was made for us */
    bool is_over;     /* its process lives, and executes another program: the caller has looked */
    uint32_t of_pid;  /* it must be of this process, by its own pid and its start time; 0: of any */
    uint64_t of_start;
    struct process_root root; /* where the files of its process are */
    /* Gets what the user should know, a line each; who is passed on. */
    __attribute__((format(printf, 2, 3))) void (*report)(const char *who, const char *fmt, ...);
    const char *who;
    FILE *progress; /* gets a bar when it takes long, if it is a terminal */
};

enum finish_result {
    FINISH_DONE,
    FINISH_INVALID, /* it is no spool, or nothing is in it */
    FINISH_FAILED,  /* it cannot be read, or the trace not be written */
};

/*
 * Writes the trace of the spool at path `spool` and removes the spool. On failure it reports the reason and leaves the
 * spool untouched. Any process that has the spool open can cut it off while it is read: that ends this process, with a
 * line on stderr and the exit status FINISH_INVALID.
 */
enum finish_result finish_spool(const char *spool, const struct finish_how *how, struct finish_summary *summary);

#endif
