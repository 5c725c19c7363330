#include "config.h"

#include "cmd/attach/process_user.h"

#include <errno.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <unistd.h>

bool process_user_of(const struct process *p, struct process_user *u)
{
    char status[8192];
    if (process_text(p, "status", status, sizeof status) <= 0)
        return false;
    const char *uid = status_field(status, "Uid"), *gid = status_field(status, "Gid");
    return uid && gid && sscanf(uid, "%*u %*u %*u %u", &u->uid) == 1 && sscanf(gid, "%*u %*u %*u %u", &u->gid) == 1;
}

struct process_user process_user_become(struct process_user u)
{
    struct process_user before = {geteuid(), getegid()};
    if (!geteuid()) {
        before.gid = (gid_t)setfsgid(u.gid);
        before.uid = (uid_t)setfsuid(u.uid);
    }
    return before;
}

void process_user_leave(struct process_user before)
{
    const int error = errno;
    if (!geteuid()) {
        setfsuid(before.uid);
        setfsgid(before.gid);
    }
    errno = error;
}
