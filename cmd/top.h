/* What thrace top knows while it shows a process, for its keys. */
#ifndef THRACE_CMD_TOP_H
#define THRACE_CMD_TOP_H

#include "cmd/finish/process_life.h"
#include "cmd/finish/process_root.h"
#include "cmd/top/cpu_times.h"
#include "cmd/top/follow.h"
#include "cmd/top/screen.h"
#include "cmd/top/window.h"
#include "cmd/visit.h"

enum { TOP_FILTER_MAX = 128 };

struct top {
    struct screen screen;
    char name[64], filter[TOP_FILTER_MAX], message[256];
    struct process_stat process;
    struct process_root root; /* whose path is root_path */
    char root_path[PROCESS_ROOT_OWN];
    struct visit visit;        /* begun: the recording is ours, and ends with us */
    bool visits, with_filter;  /* it may be, also where there is a filter of system calls */
    struct follow follow;
    uint64_t hz; /* ticks of the recording in a second */
    struct window *window; /* NULL: there is none so far */
    struct cpu_times times[2]; /* screen.before and screen.now lead to them */
    uint64_t shown_at;         /* CLOCK_MONOTONIC, in ns */
    size_t shown, most;        /* generations */
    bool full_screen, held, is_over;
    bool unread; /* nobody reads what is written any more */
    int failed; /* generations in a row that could not be summed up */
    size_t line;               /* the first one that is drawn */
    char *text;                /* what was drawn last */
};

/* Does what the key is for. False: it is to end. */
bool top_take_key(struct top *t, int key);

#endif
