/* A file with the number of the process that is recorded, for whoever sends it signals or asks for a snapshot. */
#ifndef THRACE_CMD_PID_FILE_H
#define THRACE_CMD_PID_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct pid_file {
    const char *path; /* NULL: there is none, and nothing is done */
    bool made;
    dev_t device;
    ino_t inode;
};

/* Finds out whether it can be made, before there is a process. False: not; why is said. */
bool pid_file_prepare(struct pid_file *f, const char *path);

/* Puts the number in its place, with a new line; what was there before is replaced. Readers see all of it or nothing. */
void pid_file_write(struct pid_file *f, pid_t pid);

/* Takes it away, if it is still this one. */
void pid_file_remove(const struct pid_file *f);

#endif
