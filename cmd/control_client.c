#include "config.h"

#include "cmd/control_client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char not_listening[] =
    "the process does not listen: it runs without thrace, or without THRACE_CONTROL=1 (thrace record --control)";

static bool read_proc(pid_t pid, const char *what, char *buf, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(buf, 1, size - 1, f);
    fclose(f);
    buf[n] = 0;
    return n > 0;
}

static bool start_time(pid_t pid, uint64_t *start)
{
    char buf[2048];
    unsigned long long v;
    if (!read_proc(pid, "stat", buf, sizeof buf))
        return false;
    const char *p = strrchr(buf, ')');
    bool ok = p && sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                          &v) == 1;
    *start = ok ? v : 0;
    return ok;
}

/* The pid that the process itself has, if it is in a namespace of its own. */
static pid_t own_pid(pid_t pid)
{
    char buf[8192];
    const char *line = read_proc(pid, "status", buf, sizeof buf) ? strstr(buf, "\nNSpid:") : NULL;
    if (!line)
        return pid;
    char *end = strchrnul((char *)(uintptr_t)line + 1, '\n');
    *end = 0;
    const char *last = strrchr(line, '\t');
    return last ? (pid_t)atol(last + 1) : pid;
}

/* Anybody may listen at any name: what counts is who the kernel says it is. */
static bool is_process(int fd, pid_t pid)
{
    struct ucred who;
    socklen_t len = sizeof who;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && who.pid == pid;
}

/* As far as the owner of its files in /proc tells. */
static bool is_obeyed(pid_t pid)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    return !geteuid() || stat(path, &st) || st.st_uid == geteuid();
}

static const char *talk(int fd, pid_t pid, enum control_verb verb, struct control_reply *reply)
{
    struct control_request q = {CONTROL_MAGIC, CONTROL_VERSION, verb, 0};
    const struct timeval patience = {30, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!is_process(fd, pid))
        return "another process listens in its name; nothing was sent";
    ssize_t n = send(fd, &q, sizeof q, MSG_NOSIGNAL) == sizeof q ? recv(fd, reply, sizeof *reply, 0) : -1;
    if (n < 0 && errno == EAGAIN)
        return "the process does not answer";
    if (n <= 0)
        return is_obeyed(pid) ? "the process is ending; it has not answered"
                              : "the process does not obey you: it belongs to another user";
    if (n != sizeof *reply || reply->magic != CONTROL_MAGIC || reply->version != CONTROL_VERSION)
        return "the process was started with another version of thrace";
    reply->spool[sizeof reply->spool - 1] = 0;
    return NULL;
}

const char *control_ask(pid_t pid, enum control_verb verb, struct control_reply *reply)
{
    char name[CONTROL_NAME_MAX];
    uint64_t start;
    if (!start_time(pid, &start))
        return "there is no such process";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = control_name(name, (uint32_t)own_pid(pid), start);
    memcpy(address.sun_path + 1, name, len);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return strerror(errno);
    const char *err = not_listening;
    if (!connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)))
        err = talk(fd, pid, verb, reply);
    close(fd);
    return err;
}
