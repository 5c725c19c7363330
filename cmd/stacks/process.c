#include "config.h"

#include "cmd/stacks/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"

const char no_memory[] = "out of memory";

ssize_t process_text(const struct process *p, const char *file, char *into, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)p->pid, file);
    int fd = p->core ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t n = 0;
    ssize_t got = 1;
    while (n < size - 1 && got > 0) {
        got = read(fd, into + n, size - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    into[n] = 0;
    return got < 0 ? -1 : (ssize_t)n;
}

const char *status_field(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, len) && line[len] == ':')
            return line + len + 1 + strspn(line + len + 1, " \t");
    }
    return NULL;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static size_t read_running(const struct process *p, uint64_t address, void *into, size_t n)
{
    size_t done = 0;
    while (done < n) {
        struct iovec here = {(char *)into + done, n - done}, there = {(void *)(uintptr_t)(address + done), n - done};
        ssize_t got = process_vm_readv(p->task, &here, 1, &there, 1, 0);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

bool process_load(const struct process *p, uint64_t address, void *into, size_t n)
{
    return p->read(p, address, into, n) == n;
}

/* --- mappings ----------------------------------------------------------------------------------------------------- */

static void forget_maps(struct process *p)
{
    for (size_t i = 0; i < p->maps.n; i++)
        free(p->maps.v[i].path);
    p->maps.n = 0;
}

/* "55d0-55d1 r-xp 00002000 fe:00 1234   /usr/bin/x" */
static bool take_mapping(struct mapping *m, char *line)
{
    unsigned long long start, end, offset, inode;
    char rights[5];
    int at = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %n", &start, &end, rights, &offset, &inode, &at) < 5 || start >= end)
        return false;
    *m = (struct mapping){.start = start,
                          .end = end,
                          .offset = offset,
                          .inode = inode,
                          .read = rights[0] == 'r',
                          .write = rights[1] == 'w',
                          .exec = rights[2] == 'x'};
    line[strcspn(line, "\n")] = 0;
    m->path = strdup(at ? line + at : "");
    return true;
}

const char *process_read_maps(struct process *p)
{
    char path[64], *line = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    if (p->core)
        return NULL;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/maps", (long)p->pid, (long)p->task);
    FILE *f = fopen(path, "re");
    if (!f)
        return strerror(errno);
    forget_maps(p);
    while (!wrong && getline(&line, &size, f) > 0) {
        struct mapping m;
        if (!take_mapping(&m, line))
            continue;
        if (!m.path || !VEC_ROOM(&p->maps)) {
            free(m.path);
            wrong = no_memory;
        } else {
            p->maps.v[p->maps.n++] = m;
        }
    }
    free(line);
    fclose(f);
    return wrong;
}

const struct mapping *process_mapping(const struct process *p, uint64_t address)
{
    size_t lo = 0, hi = p->maps.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (p->maps.v[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && address < p->maps.v[lo - 1].end ? &p->maps.v[lo - 1] : NULL;
}

struct search {
    struct process *p;
    const char *wrong;
};

static bool read_maps_of(void *arg, pid_t tid)
{
    struct search *s = arg;
    s->p->task = tid;
    s->wrong = process_read_maps(s->p);
    return !s->wrong && !s->p->maps.n;
}

/* The same, of the first thread that has any. */
static const char *read_any_maps(struct process *p)
{
    struct search s = {p, process_read_maps(p)};
    if (!s.wrong && !p->maps.n)
        process_each_thread(p->pid, read_maps_of, &s);
    return s.wrong;
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static const char *read_status(struct process *p)
{
    char status[8192];
    struct process_stat stat;
    const char *wrong = process_look(p->pid, &stat);
    if (wrong || process_text(p, "status", status, sizeof status) < 0)
        return wrong ? wrong : process_why("there is no such process");
    const char *name = status_field(status, "Name"), *uid = status_field(status, "Uid");
    snprintf(p->name, sizeof p->name, "%.*s", name ? (int)strcspn(name, "\n") : 1, name ? name : "?");
    p->uid = uid ? (uid_t)strtoul(uid, NULL, 10) : (uid_t)-1;
    p->own_pid = (pid_t)stat.innermost;
    p->started = stat.start;
    return NULL;
}

static void find_files(struct process *p)
{
    struct stat ours, theirs;
    char folder[PROCESS_FOLDER], exe[64];
    process_folder(folder, p->pid);
    snprintf(exe, sizeof exe, "%s/exe", folder);
    ssize_t n = readlink(exe, p->exe, sizeof p->exe - 1);
    p->exe[n > 0 ? n : 0] = 0;
    snprintf(p->root, sizeof p->root, "%s/root", folder);
    if (stat(p->root, &theirs) || stat("/", &ours) || (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino))
        p->root[0] = 0;
}

int process_open_root(const struct process *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/root", (long)p->pid, (long)p->task);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* What the kernel asks for is what ptrace does: without it nothing of the process may be read. */
static const char *why_refused(const struct process *p)
{
    static char text[160];
    char scope[8] = "";
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, scope, sizeof scope - 1);
        scope[n > 0 ? n : 0] = 0;
        close(fd);
    }
    if (geteuid() && geteuid() != p->uid)
        snprintf(text, sizeof text, "it belongs to user %lu: be that user, or root", (unsigned long)p->uid);
    else if (geteuid() && atoi(scope) > 0)
        snprintf(text, sizeof text, "the kernel lets nobody look into other processes: be root, or set"
                                    " /proc/sys/kernel/yama/ptrace_scope to 0");
    else
        snprintf(text, sizeof text, "the kernel does not let us look into it: it may have changed its user, or have"
                                    " made itself undumpable");
    return text;
}

bool process_ends(const struct process *p) { return process_is_ending(p->pid); }

const char *process_open(struct process *p, pid_t pid)
{
    memset(p, 0, sizeof *p);
    p->read = read_running;
    p->pid = p->task = pid;
    const char *wrong = read_status(p);
    if (wrong)
        return wrong;
    find_files(p);
    wrong = read_any_maps(p);
    char byte;
    if (wrong == no_memory)
        return wrong;
    if (!wrong && !p->maps.n)
        return "it has no memory: it is a thread of the kernel, or has ended";
    if (wrong || (!process_load(p, p->maps.v[0].start, &byte, 1) && errno == EPERM))
        return process_ends(p) ? "it has ended" : why_refused(p);
    return NULL;
}

void process_close(struct process *p)
{
    forget_maps(p);
    VEC_FREE(&p->maps);
}
