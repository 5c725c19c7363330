#include "config.h"

#include "cmd/common_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cmd/attach/attach.h"
#include "cmd/attach/process_user.h"

enum { RANDOM = 6 }; /* letters behind the prefix */

/* Deep enough: the library looks beside itself. */
#define OUTER "lib"
#define INNER "thrace"
#define NAME "libthrace-preload.so"
static const char *const library_folders[] = {OUTER, INNER};
static const char library_name[] = NAME, library_path[] = "/" OUTER "/" INNER "/" NAME;

/* --- where it can be ---------------------------------------------------------------------------------------------- */

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* By its parts, none of which is a link. above stays open. */
static int open_part_by_part(int above, const char *path)
{
    char part[NAME_MAX + 1];
    int fd = fcntl(above, F_DUPFD_CLOEXEC, 0);
    while (fd >= 0 && *(path += strspn(path, "/"))) {
        size_t n = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", n > NAME_MAX ? 0 : (int)n, path);
        bool leads_on = *part && strcmp(part, "..") != 0;
        int next = leads_on ? openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        close(fd);
        fd = next;
        path += n;
    }
    return fd;
}

/* Nobody else can put another one in the place of ours, but who can do everything there. */
static bool is_usable(const struct common_folder *f, const struct process_user *u, bool for_library)
{
    struct stat st;
    struct statvfs fs;
    if (fstat(f->above, &st) || fstatvfs(f->above, &fs) || (for_library && fs.f_flag & ST_NOEXEC))
        return false;
    const mode_t others = geteuid() ? S_IWOTH : S_IWOTH | S_IWGRP; /* one's own group is one's own affair */
    bool by_others = st.st_mode & others && !(st.st_mode & S_ISVTX);
    return !by_others && (f->is_far || !st.st_uid || st.st_uid == u->uid || st.st_uid == geteuid());
}

/* Nobody has it, as far as that shows; who looks for what was left has it for a moment. */
static bool lock(int fd)
{
    enum { TRIES = 10 };
    static const struct timespec pause = {0, 5000000};
    bool locked = false;
    for (int i = 0; i < TRIES && !(locked = !flock(fd, LOCK_EX | LOCK_NB)); i++)
        nanosleep(&pause, NULL);
    return locked;
}

static bool has_name(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix)) && strlen(name) == strlen(prefix) + RANDOM;
}

/* --- the library in it -------------------------------------------------------------------------------------------- */

/* The folder of the library in it; make: with those above it. */
static int open_library_folder(int in, bool make)
{
    int fd = fcntl(in, F_DUPFD_CLOEXEC, 0);
    for (size_t i = 0; i < sizeof library_folders / sizeof *library_folders && fd >= 0; i++) {
        if (make && mkdirat(fd, library_folders[i], 0700) && errno != EEXIST) {
            close(fd);
            return -1;
        }
        int next = openat(fd, library_folders[i], FOLDER);
        close(fd);
        fd = next;
    }
    return fd;
}

static void remove_library(int in)
{
    int folder = open_library_folder(in, false);
    if (folder >= 0) {
        unlinkat(folder, library_name, 0);
        close(folder);
    }
    folder = openat(in, library_folders[0], FOLDER);
    if (folder >= 0) {
        unlinkat(folder, library_folders[1], AT_REMOVEDIR);
        close(folder);
        unlinkat(in, library_folders[0], AT_REMOVEDIR);
    }
}

/* --- those that were left ----------------------------------------------------------------------------------------- */

/*
 * Folders that killed ones left: the process took its files away when it ended. Who has just made one may not have
 * locked it yet.
 */
static void remove_left_folders(int above, const char *prefix)
{
    enum { OLD = 60 };
    struct stat st;
    int again = openat(above, ".", FOLDER);
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!has_name(e->d_name, prefix) || fstatat(above, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISDIR(st.st_mode) || time(NULL) - st.st_mtime < OLD)
            continue;
        int left = openat(above, e->d_name, FOLDER);
        if (left >= 0 && lock(left)) {
            remove_library(left);
            unlinkat(above, e->d_name, AT_REMOVEDIR); /* which it has to be empty for */
        }
        if (left >= 0)
            close(left);
    }
    if (dir)
        closedir(dir);
    else if (again >= 0)
        close(again);
}

/* --- making it ---------------------------------------------------------------------------------------------------- */

static bool make_name(char name[NAME_MAX + 1], const char *prefix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint8_t random[RANDOM];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    int n = snprintf(name, NAME_MAX + 1, "%s", prefix);
    for (int i = 0; i < RANDOM; i++)
        name[n++] = letters[random[i] % (sizeof letters - 1)];
    name[n] = 0;
    return true;
}

static bool enter(struct common_folder *f, const struct process_user *u)
{
    struct stat st;
    f->fd = openat(f->above, f->name, FOLDER);
    bool is_theirs = f->fd >= 0 && !fstat(f->fd, &st) && st.st_uid == u->uid;
    if (is_theirs && lock(f->fd))
        return true;
    f->is_taken = is_theirs;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    return false;
}

/* In the folder f->above, which the process has as `place`. */
static bool make_in(struct common_folder *f, const char *place, const char *prefix, const struct process_user *u)
{
    remove_left_folders(f->above, prefix);
    if (!make_name(f->name, prefix) || mkdirat(f->above, f->name, 0700))
        return false;
    int n = snprintf(f->path, sizeof f->path, "%s/%s", place, f->name);
    if (n > 0 && (size_t)n < sizeof f->path && enter(f, u))
        return true;
    unlinkat(f->above, f->name, AT_REMOVEDIR);
    return false;
}

static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm", "/run"};
enum { PLACES = sizeof places / sizeof *places };

static void set_here(struct common_folder *f)
{
    if (f->is_far)
        snprintf(f->here, sizeof f->here, "/proc/self/fd/%d", f->fd);
    else
        snprintf(f->here, sizeof f->here, "%s", f->path);
}

static bool make_near(struct common_folder *f, const struct process *p, const char *place, const char *prefix,
                      bool for_library, const struct process_user *u)
{
    char *real = place && *place == '/' ? realpath(place, NULL) : NULL;
    f->above = real && !strchr(real, '%') && attach_shares(p, real) ? open(real, FOLDER) : -1;
    bool made = false;
    if (f->above >= 0 && is_usable(f, u, for_library)) {
        struct process_user before = process_user_become(*u);
        made = !faccessat(AT_FDCWD, real, X_OK, AT_EACCESS) && make_in(f, real, prefix, u);
        process_user_leave(before);
    }
    if (!made && f->above >= 0)
        close(f->above);
    free(real);
    return made;
}

static bool make_far(struct common_folder *f, int root, const char *place, const char *prefix, bool for_library,
                     const struct process_user *u)
{
    struct process_user before = process_user_become(*u);
    f->is_far = true;
    f->above = open_part_by_part(root, place);
    bool made = f->above >= 0 && is_usable(f, u, for_library) && make_in(f, place, prefix, u);
    process_user_leave(before);
    if (!made && f->above >= 0)
        close(f->above);
    return made;
}

const char *common_folder_make(struct common_folder *f, const struct process *p, const char *prefix, bool for_library)
{
    struct process_user u;
    *f = (struct common_folder){.above = -1, .fd = -1};
    if (!process_user_of(p, &u))
        return "it has ended";
    bool made = make_near(f, p, getenv("TMPDIR"), prefix, for_library, &u);
    for (int i = 0; i < PLACES && !made; i++)
        made = make_near(f, p, places[i], prefix, for_library, &u);
    int root = made ? -1 : process_open_root(p);
    for (int i = 0; i < PLACES && !made && root >= 0; i++)
        made = make_far(f, root, places[i], prefix, for_library, &u);
    if (root >= 0)
        close(root);
    if (made) {
        set_here(f);
        return NULL;
    }
    f->above = f->fd = -1;
    return for_library ? "it has another file system, with no folder for the library that it and this command can"
                         " write to, where programs may be executed: /tmp, /var/tmp, /dev/shm, or /run"
                       : "there is no folder for its recording that it has as well, and can write to: TMPDIR names one";
}

/* What is behind /proc/PID/root of the process; NULL: the path is our own. */
static const char *behind_root(const struct process *p, const char *path)
{
    static const char root[] = "/root/";
    char own[32];
    int n = snprintf(own, sizeof own, "/proc/%ld/", (long)p->pid);
    if (strncmp(path, own, (size_t)n) != 0)
        return NULL;
    const char *at = strstr(path, root);
    size_t len = strlen(path), end = sizeof root - 2;
    if (!at && len > end && !strncmp(path + len - end, root, end))
        return "/";
    return at ? at + end : NULL;
}

/* Each folder by its name, without links. */
static void open_by_path(struct common_folder *f, const struct process *p, const char *path)
{
    const char *there = behind_root(p, path);
    *f = (struct common_folder){.above = -1, .fd = -1, .is_far = there};
    snprintf(f->path, sizeof f->path, "%s", there ? there : path);
    const char *slash = strrchr(f->path, '/');
    char *above = slash ? strndup(f->path, (size_t)(slash - f->path)) : NULL;
    int root = there ? process_open_root(p) : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(f->name, sizeof f->name, "%s", slash ? slash + 1 : "");
    f->above = above && root >= 0 ? open_part_by_part(root, above) : -1;
    free(above);
    if (root >= 0)
        close(root);
}

bool common_folder_open(struct common_folder *f, const struct process *p, const char *path, const char *prefix)
{
    struct process_user u;
    open_by_path(f, p, path);
    if (f->above >= 0 && has_name(f->name, prefix) && process_user_of(p, &u) && enter(f, &u)) {
        set_here(f);
        return true;
    }
    common_folder_close(f);
    return false;
}

bool common_folder_look(struct common_folder *f, const struct process *p, const char *path)
{
    open_by_path(f, p, path);
    if (f->above >= 0)
        f->fd = *f->name ? openat(f->above, f->name, FOLDER) : fcntl(f->above, F_DUPFD_CLOEXEC, 0);
    f->is_far = true; /* its path may lead elsewhere by now */
    set_here(f);
    if (f->fd >= 0)
        return true;
    common_folder_close(f);
    return false;
}

size_t common_folder_of(const char *file, const char *prefix)
{
    const char *slash = strrchr(file, '/');
    size_t tail = strlen(prefix) + RANDOM, n = slash ? (size_t)(slash - file) : 0;
    bool ours = n > tail && slash[-(ptrdiff_t)tail - 1] == '/' && !memcmp(slash - tail, prefix, strlen(prefix));
    return ours && n < PATH_MAX ? n : 0;
}

bool common_folder_find(const struct common_folder *f, const char *file, char *path, size_t size)
{
    int n = snprintf(path, size, "%s%s", f->here, strrchr(file, '/'));
    return n > 0 && (size_t)n < size;
}

/* --- what is in it ------------------------------------------------------------------------------------------------ */

static bool copy(int from, int to)
{
    enum { AT_ONCE = 1 << 20 };
    ssize_t n;
    while ((n = sendfile(to, from, NULL, AT_ONCE)) > 0 || (n < 0 && errno == EINTR))
        ;
    return !n;
}

const char *common_folder_put_library(const struct common_folder *f, const struct process *p, const char *from,
                                      char library[PATH_MAX])
{
    struct process_user u;
    if (!process_user_of(p, &u))
        return "it has ended";
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return strerror(errno);
    struct process_user before = process_user_become(u);
    int folder = open_library_folder(f->fd, true);
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int out = folder < 0 ? -1 : openat(folder, library_name, flags, 0500);
    bool copied = out >= 0 && copy(in, out);
    int error = errno;
    copied &= out >= 0 && !close(out);
    process_user_leave(before);
    if (folder >= 0)
        close(folder);
    close(in);
    const size_t len = strlen(f->path);
    bool fits = len + sizeof library_path <= PATH_MAX;
    memcpy(library, f->path, fits ? len : 0);
    memcpy(library + (fits ? len : 0), library_path, sizeof library_path);
    if (copied && fits)
        return NULL;
    static char why[128];
    snprintf(why, sizeof why, "the library cannot be put into its file system: %s",
             copied ? "the path is too long" : strerror(error));
    return why;
}

bool common_folder_remove(const struct common_folder *f, const char *files)
{
    struct stat st;
    int again = openat(f->fd, ".", FOLDER);
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    struct process_user u = {geteuid(), getegid()};
    if (!fstat(f->fd, &st))
        u = (struct process_user){st.st_uid, st.st_gid};
    struct process_user before = process_user_become(u);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (files && !strncmp(e->d_name, files, strlen(files)))
            unlinkat(f->fd, e->d_name, 0);
    remove_library(f->fd);
    bool removed = !unlinkat(f->above, f->name, AT_REMOVEDIR);
    process_user_leave(before);
    if (dir)
        closedir(dir);
    else if (again >= 0)
        close(again);
    return removed;
}

void common_folder_close(struct common_folder *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->above >= 0)
        close(f->above);
    f->fd = f->above = -1;
}
