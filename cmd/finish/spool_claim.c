#include "config.h"

#include "cmd/finish/spool_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/finish/regular_file.h"

/* Root's file that we may read was put there by somebody who can do anything anyway. */
static bool is_trusted(const struct stat *st) { return st->st_uid == geteuid() || !st->st_uid; }

static const char *refuse(struct spool_claim *c, uid_t owner)
{
    if (geteuid())
        snprintf(c->why, sizeof c->why, "it is the spool of another user, who can finish it");
    else
        snprintf(c->why, sizeof c->why,
                 "it is the spool of user %ld; thrace finish --anyway -o FILE makes a trace of it", (long)owner);
    return c->why;
}

const char *spool_claim_open(struct spool_claim *c, const char *path, bool anyway)
{
    struct stat st;
    const char *err = NULL;
    memset(c, 0, sizeof *c);
    c->fd = regular_file_open(path, &st);
    if (c->fd < 0) {
        c->gone = errno == ENOENT;
        c->no_file = errno == EINVAL;
        return errno == ELOOP ? "it is a symbolic link; name the spool itself"
               : c->no_file   ? "this is not a file"
                              : strerror(errno);
    }
    c->dev = st.st_dev;
    c->ino = st.st_ino;
    c->linked = st.st_nlink > 1;
    c->foreign = !is_trusted(&st);
    if (c->foreign && (geteuid() || !anyway))
        err = refuse(c, st.st_uid);
    if (err) {
        close(c->fd);
        c->fd = -1;
    }
    return err;
}

bool spool_claim_lock(struct spool_claim *c)
{
    enum { TRIES = 200 };
    static const struct timespec pause = {0, 10000000};
    struct stat st;
    if (!c->is_hostile)
        while (flock(c->fd, LOCK_EX) && errno == EINTR)
            ;
    for (int i = 0; c->is_hostile && i < TRIES && flock(c->fd, LOCK_EX | LOCK_NB); i++)
        nanosleep(&pause, NULL); /* somebody may keep it for ever */
    c->gone = !fstat(c->fd, &st) && !st.st_nlink;
    return !c->gone;
}

/* 0, or an errno. What has that name by now may be another recording. */
static int remove_if_same(const struct spool_claim *c, const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT ? 0 : errno;
    bool same = st.st_dev == c->dev && st.st_ino == c->ino;
    return same && unlink(path) ? errno : 0;
}

void spool_claim_end(struct spool_claim *c, const char *path, bool remove)
{
    if (c->fd < 0)
        return;
    int error = remove && !c->foreign ? remove_if_same(c, path) : 0;
    if (error)
        fprintf(stderr, "thrace: %s is not needed any more, and cannot be removed: %s\n", path, strerror(error));
    close(c->fd);
    c->fd = -1;
}
