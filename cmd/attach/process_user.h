/* Files as a process's user makes and finds them, for root, who works for it. Everything here is for one thread. */
#ifndef THRACE_CMD_ATTACH_PROCESS_USER_H
#define THRACE_CMD_ATTACH_PROCESS_USER_H

#include "cmd/stacks/process.h"

struct process_user {
    uid_t uid;
    gid_t gid;
};

/* Who makes the process's files. False: it has ended. */
bool process_user_of(const struct process *p, struct process_user *u);

/* From now on files are made, and looked for, as by that user, if we are root. Returns who it was before. */
struct process_user process_user_become(struct process_user u);

/* Puts that back. errno stays. */
void process_user_leave(struct process_user before);

#endif
