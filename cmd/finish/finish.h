/* Making a trace of a spool: what `thrace finish`, `thrace record` and `thrace stop` share. */
#ifndef THRACE_CMD_FINISH_FINISH_H
#define THRACE_CMD_FINISH_FINISH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/finish/finish_summary.h"

struct finish_how {
    const char *out;  /* where the trace goes; NULL: beside the spool, which is X.spool, as X */
    bool quiet;       /* without advice about debug info */
    bool may_be_gone; /* somebody else may finish it, too: no word when it is not there */
    bool anyway;      /* root only: another user's, too; anybody: one whose process may be alive */
    uint32_t of_pid;  /* it must be of this process, by its own pid and its start time; 0: of any */
    uint64_t of_start;
    /* What the user is to know on the way, a line each; who is passed on. */
    __attribute__((format(printf, 2, 3))) void (*report)(const char *who, const char *fmt, ...);
    const char *who;
    FILE *progress; /* a bar is shown there when it takes long, if that is a terminal */
};

enum finish_result {
    FINISH_DONE,
    FINISH_INVALID, /* it is no spool, or nothing is in it */
    FINISH_FAILED,  /* it cannot be read, or the trace not be written */
};

/*
 * Writes the trace of the spool at path `spool` and removes the spool. On failure the reason is told and the spool is
 * untouched. Whoever has the spool open can cut it off while it is read: that ends the process, with a line on stderr
 * and the exit status FINISH_INVALID.
 */
enum finish_result finish_spool(const char *spool, const struct finish_how *how, struct finish_summary *summary);

#endif
