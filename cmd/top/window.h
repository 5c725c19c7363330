/*
 * What threads did in one generation of a recording, summed up as thrace stat does, and what they are in at its end.
 */
#ifndef THRACE_CMD_TOP_WINDOW_H
#define THRACE_CMD_TOP_WINDOW_H

#include "cmd/finish/process_root.h"
#include "cmd/top/open_waits.h"
#include "parser/analyze/stat_collect.h"

/* A thread that exists at the end of the window. */
struct window_thread {
    uint64_t g, tid;    /* tid: of the system, as the process sees it; GOTRACE_NONE: not known */
    enum gotrace_state state;
    int64_t since;      /* it is in it; in ns of the trace */
    bool known;         /* that is when it began, and not only the first that is known of it */
    char *name, *what;  /* what it waits for, or the call that it is in; "" if neither is known */
};

struct window {
    struct stat stat;
    int64_t begin, end; /* in ns of the trace */
    uint64_t events, wakeups;
    VEC(struct window_thread) threads;
};

/*
 * Of the newest generation that is over. hz: ticks of the recording in a second. open: the waits that threads are in
 * when the generation begins. only: an extended regular expression, of the names of threads that count, or NULL: all
 * do. NULL, and *wrong says why.
 */
struct window *window_new(struct spool_file *f, const struct process_root *root, uint64_t hz,
                          const struct open_waits *open, const char *only, const char **wrong);
void window_free(struct window *w);

#endif
