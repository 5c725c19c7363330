/*
 * A recording that a process cannot make where its trace is to be: it has another file system, or is another user's. It
 * makes it in a common folder, and whoever attached makes the trace from there. Everything here is for one thread.
 */
#ifndef THRACE_CMD_APART_H
#define THRACE_CMD_APART_H

#include "cmd/common_folder.h"
#include "cmd/finish/finish.h"

struct apart {
    struct common_folder folder;
    struct process_root root; /* good as long as root_fd is open, also when the process has ended */
    int root_fd;
    bool is_looked_at; /* the folder is no one that is to be removed */
    char root_path[32], shown[PATH_MAX]; /* the folder's path for whoever reads it */
};

#define APART_NONE                                                                                                    \
    {                                                                                                                  \
        .folder = {.above = -1, .fd = -1}, .root_fd = -1                                                               \
    }

static inline bool apart_is_begun(const struct apart *a) { return a->folder.fd >= 0; }

/* Makes the folder. for_library: one for a copy of the library, too. NULL, or why there is none. */
const char *apart_begin(struct apart *a, const struct process *p, bool for_library);

/* Whether that spool, by its path, is of a recording that was begun so. */
bool apart_has(const char *spool);

/* Opens the folder that the spool is in. path: for us. False: it is none, or somebody has it. */
bool apart_open(struct apart *a, const struct process *p, const char *path);

/* The same of any folder with a spool in it, of a process that has other files than we do. */
bool apart_look(struct apart *a, const struct process *p, const char *path);

/*
 * How its spools are finished: whoever they belong to, with the names of the process's own files, and with complaints
 * that call the folder as everybody finds it. Of one at a time.
 */
void apart_set(const struct apart *a, struct finish_how *how);

/* The text, with the folder called so. Good until the next call. */
const char *apart_show(const struct apart *a, const char *text);

/*
 * Removes the folder, if one was begun and this is the end of it: is_over. What is in it besides the library stays, and
 * a complaint says where.
 */
void apart_end(struct apart *a, const char *verb, bool is_over);

#endif
