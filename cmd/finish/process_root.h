/* The files of a process that may have another root directory than we do. */
#ifndef THRACE_CMD_FINISH_PROCESS_ROOT_H
#define THRACE_CMD_FINISH_PROCESS_ROOT_H

#include <limits.h>
#include <sys/types.h>

struct process_root {
    const char *path; /* its root directory for us, without a slash at the end; NULL: it has ours */
    uid_t user;       /* whose it is */
};

enum { PROCESS_ROOT_PATH = PATH_MAX + 64, PROCESS_ROOT_OWN = 64 };

/* That of a process, which it has as long as it runs: /proc/PID/root, or a thread's, in `path`, where it has other files than we do. */
void process_root_look(struct process_root *root, char path[PROCESS_ROOT_OWN], pid_t pid);

/* That of the process through whose root directory the path leads, /proc/PID/root/…, or ours. */
void process_root_of_path(struct process_root *root, char own[PROCESS_ROOT_OWN], const char *path);

/*
 * Where we find the file that the process has at that path. Links lead where they lead the process. Returns the path
 * itself, or `found`, which is "" where it has none.
 */
const char *process_root_find(const struct process_root *root, const char *path, char found[PROCESS_ROOT_PATH]);

#endif
