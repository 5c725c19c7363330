/* Finds what a program that `thrace record` ran left behind. */
#ifndef THRACE_CMD_FINISH_ORPHANED_SPOOLS_H
#define THRACE_CMD_FINISH_ORPHANED_SPOOLS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum orphan_kind {
    ORPHAN_READY,    /* to be finished */
    ORPHAN_IN_USE,   /* its process goes on */
    ORPHAN_UNKNOWN,  /* nobody knows whether its process goes on */
    ORPHAN_FOREIGN,  /* root has run it, and it is another user's */
    ORPHAN_EMPTY, /* nothing is in it yet, not even whose it is */
    ORPHAN_FINISHED, /* its process has made a trace of it by itself */
};

struct orphaned_spool {
    char path[PATH_MAX];
    uint64_t start_ns;
    uint32_t pid;
    bool main; /* of the process that was launched */
    enum orphan_kind kind;
};

struct orphaned_spools {
    struct orphaned_spool *v; /* those of the main process first; else in the order in which they began */
    size_t n, cap;
    int error; /* 0, or why the folder or a file of such a name could not be looked at: there may be more */
};

/* A moment, in ns. Somebody may set the first of these clocks, by which files have their times, meanwhile. */
struct since {
    uint64_t wall_ns; /* CLOCK_REALTIME_COARSE: what is made from now on is not older */
    uint64_t boot_ns; /* CLOCK_BOOTTIME; 0: not known */
    uint64_t mono_ns; /* CLOCK_MONOTONIC; 0: not known */
};

struct since since_now(void);

/*
 * Finds the spools that the process with the pid `launched` and its children have left, in the folder of the pattern
 * `out` and under names that the pattern gives, made since then. A process that was killed while it made its spool has
 * left one, too.
 */
void orphaned_spools_find(struct orphaned_spools *orphans, const char *out, uint32_t launched, struct since since);

/* Finds traces that were made since then, likewise. */
void finished_traces_find(struct orphaned_spools *orphans, const char *out, struct since since);

void orphaned_spools_free(struct orphaned_spools *orphans);

#endif
