/* A bar on a terminal, for work that takes more than a second. */
#ifndef THRACE_CMD_FINISH_PROGRESS_H
#define THRACE_CMD_FINISH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *to;
    const char *what;
    uint64_t start_ns;
    unsigned percent; /* as shown last */
    bool shown;
};

/* Prints nothing when `to` is NULL or not a terminal. Times are of any monotonic clock. */
void progress_start(struct progress *, FILE *to, const char *what, uint64_t now_ns);
void progress_update(struct progress *, uint64_t now_ns, size_t done, size_t total);

/* Wipes the bar. */
void progress_end(struct progress *);

#endif
