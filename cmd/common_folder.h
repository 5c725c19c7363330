/*
 * A folder that a process makes files in, and that we come to as well: for what is recorded, and for the library where
 * the process has none of ours. It is one that both have under the same path, else one of the process's own file
 * system, which we reach by descriptors. The process's user is its owner, and nobody else's may enter it. That user is
 * not trusted: nothing is followed there. Everything here is for one thread.
 */
#ifndef THRACE_CMD_COMMON_FOLDER_H
#define THRACE_CMD_COMMON_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "cmd/stacks/process.h"

struct common_folder {
    char path[PATH_MAX]; /* for the process */
    char here[PATH_MAX]; /* for us */
    char name[NAME_MAX + 1];
    int above, fd; /* the folder that it is in, and itself, which is locked; -1: there is none */
    bool is_taken; /* it could not be opened, as somebody has it */
    bool is_far;   /* it is in the process's own file system, and `here` good as long as it is open */
};

/*
 * Makes one, and locks it. Its name is the prefix and some letters; others of such names that nobody has locked for a
 * minute, and that are empty, are removed. for_library: what is in it has to be executable. NULL, or why there is none.
 */
const char *common_folder_make(struct common_folder *f, const struct process *p, const char *prefix, bool for_library);

/*
 * Opens and locks one that was made like that, and left. path: its own for us, or that behind /proc/PID/root. False:
 * it is no such folder, or somebody has it.
 */
bool common_folder_open(struct common_folder *f, const struct process *p, const char *path, const char *prefix);

/* Opens any folder, to which the path leads likewise, without links. It is not locked, and not to be removed. */
bool common_folder_look(struct common_folder *f, const struct process *p, const char *path);

/* The length of the path of the folder that the file is in, 0: that has no such name. */
size_t common_folder_of(const char *file, const char *prefix);

/* The path for us of a file in it; file: any path of it. False: it is too long. */
bool common_folder_find(const struct common_folder *f, const char *file, char *path, size_t size);

/* Puts a copy of the library into it. Its path for the process is `library`. NULL, or why that cannot be. */
const char *common_folder_put_library(const struct common_folder *f, const struct process *p, const char *from,
                                      char library[PATH_MAX]);

/*
 * Removes the files whose names begin so, NULL: none, and the library; then the folder, unless something else is in
 * it. False: it is left.
 */
bool common_folder_remove(const struct common_folder *f, const char *files);

void common_folder_close(struct common_folder *f);

#endif
