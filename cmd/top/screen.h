/* What thrace top shows of a window, as text. */
#ifndef THRACE_CMD_TOP_SCREEN_H
#define THRACE_CMD_TOP_SCREEN_H

#include <stdio.h>

#include "cmd/top/cpu_times.h"
#include "cmd/top/window.h"

enum view { VIEW_ALL, VIEW_LOCKS, VIEW_WAITS, VIEW_CALLS, VIEW_THREADS };

/* How threads are sorted: by the processor time that they used, for how long they are in their state, by name. */
enum thread_order { BY_CPU, BY_SINCE, BY_NAME, THREAD_ORDERS };

struct screen {
    enum view view;
    enum thread_order order; /* of threads; … */
    const char *sort;        /* … and the column of other tables, NULL: as they come */
    size_t width;
    size_t rows;             /* of a table that is shown alone; 0: all */
    bool color;
    const char *filter;      /* what threads are shown, for the user; NULL: all */
    const char *name;        /* of the process */
    pid_t pid;
    bool visits;             /* it is attached to for as long as this is shown */
    bool tids_are_ours;      /* the process has the numbers of its threads that we see */
    const struct cpu_times *before, *now;
    uint64_t lost;           /* events, so far */
    bool counts_heap;
    uint64_t heap;           /* bytes in use, as of the last change of generation */
};

/* Writes it. False: memory is short. */
bool screen_put(const struct screen *s, const struct window *w, FILE *out);

#endif
