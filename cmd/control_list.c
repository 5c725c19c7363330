#include "config.h"

#include "cmd/control_list.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/control.h"
#include "lib/text.h"

struct life {
    int parent;
    unsigned long long start; /* in the kernel's ticks */
    char name[32];
};

static bool read_life(pid_t pid, struct life *life)
{
    char path[64], line[1024] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "re");
    if (f) {
        line[fread(line, 1, sizeof line - 1, f)] = 0;
        fclose(f);
    }
    char *name = strchr(line, '('), *end = strrchr(line, ')'); /* anything may be between them */
    if (!name || !end ||
        sscanf(end + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &life->parent, &life->start) != 2)
        return false;
    snprintf(life->name, sizeof life->name, "%.*s", (int)(end - name - 1), name + 1);
    return true;
}

/*
 * The listener at that name, as the kernel reports it. The pid in the name is the one that the process itself sees; it
 * has to do when the process accepts nobody at the moment.
 */
static struct ucred owner_of(const char *name, pid_t pid)
{
    struct ucred who = {pid, geteuid(), 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(name);
    socklen_t size = sizeof who, len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    int fd = n < sizeof address.sun_path ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (fd < 0)
        return who;
    memcpy(address.sun_path + 1, name, n);
    if (!connect(fd, (struct sockaddr *)&address, len))
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size);
    close(fd);
    return who;
}

static int by_number(const void *a, const void *b)
{
    const pid_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* "0000000000000000: 00000002 00000000 00010000 0005 01 29386 @thrace-PID-START": accepts connections, SEQPACKET. */
static bool is_listener(const char *line, const char **name, pid_t *pid, unsigned long long *start)
{
    unsigned flags, type;
    int at = 0;
    if (sscanf(line, "%*s %*s %*s %x %x %*s %*s @%n", &flags, &type, &at) != 2 || !at || !(flags & 0x10000) ||
        type != SOCK_SEQPACKET)
        return false;
    *name = line + at;
    return sscanf(*name, "thrace-%d-%llu", pid, start) == 2 && *pid > 0;
}

bool listeners_find(struct listeners *l)
{
    char *line = NULL;
    size_t size = 0;
    bool ok = true;
    FILE *f = fopen("/proc/net/unix", "re");
    memset(l, 0, sizeof *l);
    while (f && getline(&line, &size, f) > 0) {
        const char *name;
        unsigned long long start;
        struct life life;
        pid_t pid;
        line[strcspn(line, "\n")] = 0;
        if (!is_listener(line, &name, &pid, &start))
            continue;
        struct ucred who = owner_of(name, pid);
        if ((geteuid() && who.uid != geteuid()) || !read_life(who.pid, &life) || life.start != start)
            continue; /* another user's, or somebody who has taken the name */
        ok = VEC_ROOM(&l->list);
        if (!ok)
            break;
        l->list.v[l->list.n++] = who.pid;
    }
    free(line);
    if (f)
        fclose(f);
    if (l->list.n)
        qsort(l->list.v, l->list.n, sizeof *l->list.v, by_number);
    return f && ok;
}

void listeners_free(struct listeners *l) { VEC_FREE(&l->list); }

void command_of(pid_t pid, char *name, size_t size)
{
    char path[64];
    *name = 0;
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *f = fopen(path, "re");
    if (f && fgets(name, (int)size, f))
        name[strcspn(name, "\n")] = 0;
    if (f)
        fclose(f);
    text_make_printable(name);
}

pid_t listener_meant(pid_t pid)
{
    struct listeners l;
    struct life life;
    pid_t meant = pid;
    if (!read_life(pid, &life) || strcmp(life.name, "thrace") != 0 || !listeners_find(&l))
        return pid;
    for (size_t i = 0; i < l.list.n; i++) {
        if (l.list.v[i] == pid) { /* it is recorded itself */
            meant = pid;
            break;
        }
        if (read_life(l.list.v[i], &life) && life.parent == pid)
            meant = l.list.v[i];
    }
    listeners_free(&l);
    return meant;
}
