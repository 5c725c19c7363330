#include "config.h"

#include "cmd/visit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/finish/process_life.h"
#include "cmd/top/find_spool.h"

static const char folder_name[] = "/thrace-top.", file_name[] = "top.trace";
enum { RANDOM = 6 }; /* letters behind the folder's name */

/* --- the folder --------------------------------------------------------------------------------------------------- */

/* Who makes the process's files. */
static uid_t user_of(const struct process *p)
{
    char status[8192];
    unsigned user;
    const char *field = process_text(p, "status", status, sizeof status) > 0 ? status_field(status, "Uid") : NULL;
    return field && sscanf(field, "%*u %*u %*u %u", &user) == 1 ? user : (uid_t)-1;
}

/* What the user's process can go through, as far as that shows in the mode. */
static bool leads_on(const char *folder, uid_t user)
{
    struct stat st;
    return !stat(folder, &st) && (!user || st.st_mode & S_IXOTH || (st.st_uid == user && st.st_mode & S_IXUSR));
}

/* The process has the same folder there, and comes to it; nobody else can put another one in the place of ours. */
static bool is_usable(const struct process *p, const char *place, uid_t user)
{
    char above[PATH_MAX];
    struct stat st;
    if (strchr(place, '%') || stat(place, &st) || (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX)) ||
        !attach_shares(p, place))
        return false;
    snprintf(above, sizeof above, "%s", place);
    for (char *slash = NULL; user != geteuid() && slash != above; *slash = 0) {
        if (!leads_on(above, user))
            return false;
        slash = strrchr(above, '/');
    }
    return true;
}

/* Nobody looks, as far as that shows. */
static bool lock(const struct visit *v) { return !flock(v->fd, LOCK_EX | LOCK_NB); }

static bool make_folder_in(struct visit *v, const char *place, uid_t user)
{
    int n = snprintf(v->folder, sizeof v->folder, "%s%sXXXXXX", place, folder_name);
    if (n < 0 || (size_t)n >= sizeof v->folder || !mkdtemp(v->folder))
        return false;
    v->fd = open(v->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (v->fd >= 0 && lock(v) && (user == geteuid() || !fchown(v->fd, user, (gid_t)-1)))
        return true;
    if (v->fd >= 0)
        close(v->fd);
    rmdir(v->folder);
    return false;
}

/*
 * Folders that killed ones left: the process took its files away when it ended. Who has just made one may not have
 * locked it yet.
 */
static void remove_left_folders(const char *place)
{
    enum { OLD = 60 };
    struct stat st;
    DIR *dir = opendir(place);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, folder_name + 1, sizeof folder_name - 2) ||
            strlen(e->d_name) != sizeof folder_name - 2 + RANDOM ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode) ||
            time(NULL) - st.st_mtime < OLD)
            continue;
        struct visit left = {.fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
        if (left.fd >= 0 && lock(&left))
            unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR); /* which it has to be empty for */
        if (left.fd >= 0)
            close(left.fd);
    }
    if (dir)
        closedir(dir);
}

static const char *make_folder(struct visit *v)
{
    const char *const places[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
    uid_t user = user_of(&v->process);
    for (size_t i = 0; user != (uid_t)-1 && i < sizeof places / sizeof *places; i++) {
        char *place = places[i] && *places[i] == '/' ? realpath(places[i], NULL) : NULL;
        if (place)
            remove_left_folders(place);
        bool made = place && is_usable(&v->process, place, user) && make_folder_in(v, place, user);
        free(place);
        if (made)
            return NULL;
    }
    return "there is no folder for its recording that it has as well, and can write to: TMPDIR names one";
}

/* Only what has our names: the folder is the process's user's, who may have put anything there. */
static void empty_folder(const struct visit *v)
{
    int fd = openat(v->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (!strncmp(e->d_name, file_name, sizeof file_name - 1))
            unlinkat(v->fd, e->d_name, 0);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    rmdir(v->folder);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* The length of the folder's path, 0: it is none of ours. */
static size_t folder_of(const char *spool)
{
    const char *slash = strrchr(spool, '/');
    size_t tail = sizeof folder_name - 1 + RANDOM, n = slash ? (size_t)(slash - spool) : 0;
    bool ours = n >= tail && !memcmp(slash - tail, folder_name, sizeof folder_name - 1) &&
                !strncmp(slash + 1, file_name, sizeof file_name - 1);
    return ours && n < PATH_MAX ? n : 0;
}

bool visit_has(const char *spool) { return folder_of(spool); }

bool visit_trace(char *path, size_t size, const char *name, pid_t pid)
{
    enum { TRIES = 10000 };
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    for (int i = 1; i < TRIES; i++) {
        int n = i == 1 ? snprintf(path, size, "%s.%ld.trace", name, (long)pid)
                       : snprintf(path, size, "%s.%ld.%d.trace", name, (long)pid, i);
        if (n > 0 && (size_t)n < size && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
            return errno == ENOENT;
    }
    return false;
}

void visit_forget(const struct visit *v, const char *spool)
{
    size_t n = folder_of(spool);
    if (v->begun && n == strlen(v->folder) && !memcmp(spool, v->folder, n))
        unlinkat(v->fd, spool + n + 1, 0);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

static const char *open_visit(struct visit *v, const char *verb, pid_t pid)
{
    memset(v, 0, sizeof *v);
    v->fd = -1;
    v->attachment.verb = verb;
    v->attachment.p = &v->process;
    return process_open(&v->process, pid);
}

static void close_visit(struct visit *v)
{
    if (v->fd >= 0)
        close(v->fd);
    v->fd = -1;
    v->begun = false;
    process_close(&v->process);
}

const char *visit_begin(struct visit *v, const char *verb, pid_t pid, bool with_filter)
{
    static char out[PATH_MAX + sizeof file_name];
    const char *wrong = open_visit(v, verb, pid);
    if (!wrong)
        wrong = make_folder(v);
    if (!wrong) {
        snprintf(out, sizeof out, "%s/%s", v->folder, file_name);
        wrong = attachment_begin(&v->attachment, out, with_filter);
        if (wrong)
            empty_folder(v);
    }
    v->begun = !wrong;
    if (wrong)
        close_visit(v);
    return wrong;
}

bool visit_take_over(struct visit *v, const char *verb, pid_t pid, const char *spool)
{
    struct stat st;
    size_t n = folder_of(spool);
    bool here = n && strncmp(spool, "/proc/", 6) != 0; /* not in another file system */
    if (!here)
        return false;
    const char *wrong = open_visit(v, verb, pid);
    snprintf(v->folder, sizeof v->folder, "%.*s", (int)n, spool);
    if (!wrong)
        v->fd = open(v->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    v->begun = v->fd >= 0 && !fstat(v->fd, &st) && st.st_uid == user_of(&v->process) && lock(v);
    v->attachment.heard = true;
    if (!v->begun)
        close_visit(v);
    return v->begun;
}

bool visit_end(struct visit *v)
{
    if (!v->begun)
        return true;
    bool over = attachment_end(&v->attachment);
    if (over)
        empty_folder(v);
    close_visit(v);
    return over;
}

bool visit_make_way(const char *verb, pid_t pid)
{
    static char path[FOUND_SPOOL_SIZE];
    static struct visit v;
    struct spool_claim claim = {.fd = -1};
    struct process_stat s;
    bool there = !process_stat(pid, &s) && !find_spool(&claim, path, pid, &s) && visit_has(path);
    spool_claim_end(&claim, "", false);
    if (!there)
        return true;
    if (visit_take_over(&v, verb, pid, path))
        return visit_end(&v);
    complain(verb, "%ld: thrace top looks at it, and it can be recorded once only: end that first", (long)pid);
    return false;
}
