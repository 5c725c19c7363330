#include "config.h"

#include "cmd/finish/process_life.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool was_not_found(void) { return errno == ENOENT || errno == ESRCH; }

/* Without memory, which may be short. NULL: errno says why. */
static char *read_proc(const char *pid, const char *what, char *buf, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, what);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t n = 0;
    ssize_t got = 0;
    while (n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
        n += (size_t)got;
    int error = n ? 0 : got < 0 ? errno : ESRCH;
    close(fd);
    buf[n] = 0;
    errno = error;
    return n ? buf : NULL;
}

/* The pid that the process itself has, if it is in a namespace of its own; else 0. */
static uint32_t innermost_pid(const char *pid)
{
    static char buf[8192];
    const char *line = read_proc(pid, "status", buf, sizeof buf) ? strstr(buf, "\nNSpid:") : NULL;
    if (!line)
        return 0;
    buf[line + 1 + strcspn(line + 1, "\n") - buf] = 0;
    const char *last = strrchr(line, '\t');
    return last ? (uint32_t)strtoul(last + 1, NULL, 10) : 0;
}

static int stat_of(const char *pid, struct process_stat *s)
{
    static char buf[2048];
    unsigned long long start;
    if (!read_proc(pid, "stat", buf, sizeof buf))
        return -1;
    const char *p = strrchr(buf, ')');
    errno = EIO;
    if (!p || sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                     &s->state, &start) != 2)
        return -1;
    s->start = start;
    s->innermost = innermost_pid(pid);
    return 0;
}

int process_stat(pid_t pid, struct process_stat *s)
{
    char text[16];
    memset(s, 0, sizeof *s);
    snprintf(text, sizeof text, "%ld", (long)pid);
    return stat_of(text, s);
}

const char *process_why(const char *not_found) { return was_not_found() ? not_found : strerror(errno); }

const char *process_look(pid_t pid, struct process_stat *s)
{
    return process_stat(pid, s) ? process_why("there is no such process") : NULL;
}

/* Of a link such as "pid:[4026531836]". */
static uint64_t namespace_of(const char *pid)
{
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/%s/ns/pid", pid);
    ssize_t n = readlink(path, text, sizeof text - 1);
    text[n < 0 ? 0 : n] = 0;
    const char *number = strchr(text, '[');
    return number ? strtoull(number + 1, NULL, 10) : 0;
}

static bool is_number(const char *name) { return isdigit((unsigned char)*name); }

/* Another user's process may hide its namespace, but not its pids and its start time. */
static bool is_same_process(const char *pid, const struct spool_header *h)
{
    struct process_stat s;
    uint64_t namespace = namespace_of(pid);
    return (!namespace || namespace == h->pid_namespace) && !stat_of(pid, &s) && s.start == h->pid_start &&
           s.innermost == h->pid && s.state != 'Z';
}

static bool is_anywhere(const struct spool_header *h)
{
    bool found = false;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && !found && (e = readdir(d));)
        found = is_number(e->d_name) && is_same_process(e->d_name, h);
    if (d)
        closedir(d);
    return found;
}

bool process_is_of_this_boot(const struct spool_header *h)
{
    static const char none[sizeof h->boot_id];
    char now[sizeof h->boot_id + 8];
    if (!memcmp(h->boot_id, none, sizeof none) || !read_proc("sys", "kernel/random/boot_id", now, sizeof now))
        return true;
    return !strncmp(now, h->boot_id, sizeof h->boot_id);
}

/* /proc may be that of the namespace around ours (unshare --pid without --mount-proc). */
static bool proc_is_ours(void)
{
    char text[16], own[16];
    ssize_t n = readlink("/proc/self", text, sizeof text - 1);
    text[n < 0 ? 0 : n] = 0;
    snprintf(own, sizeof own, "%ld", (long)getpid());
    return !strcmp(text, own);
}

/* The inode of the namespace that contains all processes of the machine (include/linux/proc_ns.h). */
#define FIRST_PID_NAMESPACE UINT64_C(0xEFFFFFFC)

enum life process_life(const struct spool_header *h)
{
    struct process_stat s;
    if (h->state != SPOOL_RECORDING || !process_is_of_this_boot(h))
        return LIFE_OVER;
    uint64_t ours = namespace_of("self");
    bool same = !h->pid_namespace || !ours || h->pid_namespace == ours;
    if (same && (proc_is_ours() || access("/proc/self", F_OK))) {
        if (!process_stat((pid_t)h->pid, &s)) {
            bool it = s.start == h->pid_start && s.state != 'Z';
            return it ? LIFE_ON : h->pid_start ? LIFE_OVER : LIFE_UNKNOWN;
        }
        bool there = h->pid && h->pid <= INT32_MAX && (!kill((pid_t)h->pid, 0) || errno == EPERM);
        return there ? LIFE_UNKNOWN : LIFE_OVER; /* there is no /proc, or it hides others' processes */
    }
    if (is_anywhere(h))
        return LIFE_ON;
    return same || ours == FIRST_PID_NAMESPACE ? LIFE_OVER : LIFE_UNKNOWN;
}

/* The folder has a link for each thread, beside two of its own. */
bool process_has_ended(pid_t pid, const struct process_stat *s)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    return s->state == 'X' || (s->state == 'Z' && (stat(path, &st) ? was_not_found() : st.st_nlink <= 3));
}

bool process_goes_on(pid_t pid, uint64_t start)
{
    struct process_stat s;
    if (process_stat(pid, &s))
        return !was_not_found();
    return s.start == start && !process_has_ended(pid, &s);
}

bool process_each_thread(pid_t pid, bool (*each)(void *arg, pid_t tid), void *arg)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *d = opendir(path);
    if (!d)
        return false;
    bool more = true;
    for (struct dirent *e; more && (errno = 0, e = readdir(d));)
        more = !is_number(e->d_name) || each(arg, (pid_t)strtol(e->d_name, NULL, 10));
    int error = more ? errno : 0;
    closedir(d);
    errno = error;
    return !error;
}

struct living {
    pid_t pid, task; /* 0: none so far */
};

static bool take_living(void *arg, pid_t tid)
{
    struct living *l = arg;
    struct process_stat s;
    char task[48];
    snprintf(task, sizeof task, "%ld/task/%ld", (long)l->pid, (long)tid);
    if (!stat_of(task, &s) && s.state != 'Z' && s.state != 'X')
        l->task = tid;
    return !l->task;
}

void process_folder(char folder[PROCESS_FOLDER], pid_t pid)
{
    struct process_stat s;
    struct living l = {pid, 0};
    snprintf(folder, PROCESS_FOLDER, "/proc/%ld", (long)pid);
    if (!process_stat(pid, &s) && s.state == 'Z')
        process_each_thread(pid, take_living, &l);
    if (l.task)
        snprintf(folder, PROCESS_FOLDER, "/proc/%ld/task/%ld", (long)pid, (long)l.task);
}

bool process_shares(const char *folder, const char *what)
{
    char own[64], its[96];
    struct stat ours, theirs;
    snprintf(own, sizeof own, "/proc/self/%s", what);
    snprintf(its, sizeof its, "%s/%s", folder, what);
    return stat(its, &theirs) ||
           (!stat(own, &ours) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

struct ending {
    pid_t pid;
    bool all; /* so far */
};

/* EXITING: the kernel's PF_EXITING. */
static bool is_ending(void *arg, pid_t tid)
{
    static char buf[8192];
    enum { EXITING = 4 };
    struct ending *ending = arg;
    char task[64], state = 0;
    unsigned flags = 0;
    snprintf(task, sizeof task, "%ld/task/%ld", (long)ending->pid, (long)tid);
    const char *p = read_proc(task, "stat", buf, sizeof buf) ? strrchr(buf, ')') : NULL;
    if (!p && !was_not_found())
        return ending->all = false;
    if (!p || sscanf(p + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2 || flags & EXITING)
        return true;
    p = read_proc(task, "status", buf, sizeof buf) ? strstr(buf, "\nSigPnd:") : NULL;
    ending->all = p ? strtoull(p + sizeof "\nSigPnd:", NULL, 16) >> (SIGKILL - 1) & 1 : was_not_found();
    return ending->all;
}

bool process_is_ending(pid_t pid)
{
    struct ending ending = {pid, true};
    return process_each_thread(pid, is_ending, &ending) ? ending.all : was_not_found();
}
