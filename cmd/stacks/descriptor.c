#include "config.h"

#include "cmd/stacks/descriptor.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- sockets, as /proc/PID/net lists them ------------------------------------------------------------------------- */

/* "0100007F:1F90", or 32 digits: words of four bytes in the machine's order. */
static bool take_address(const char *text, char *into, size_t size, bool *is_any)
{
    struct in6_addr address = {0};
    unsigned port;
    char name[INET6_ADDRSTRLEN];
    const char *colon = strchr(text, ':');
    size_t digits = colon ? (size_t)(colon - text) : 0;
    if ((digits != 8 && digits != 32) || sscanf(colon, ":%x", &port) != 1)
        return false;
    for (size_t i = 0; i < digits / 8; i++) {
        unsigned word;
        if (sscanf(text + 8 * i, "%8x", &word) != 1)
            return false;
        memcpy((uint8_t *)&address + 4 * i, &word, sizeof word);
    }
    static const struct in6_addr none;
    *is_any = !memcmp(&address, &none, sizeof none);
    if (!inet_ntop(digits == 8 ? AF_INET : AF_INET6, &address, name, sizeof name))
        return false;
    if (*is_any)
        snprintf(into, size, ":%u", port);
    else
        snprintf(into, size, digits == 8 ? "%s:%u" : "[%s]:%u", name, port);
    return true;
}

/* A line of tcp, tcp6, udp or udp6: "0: LOCAL REMOTE STATE … INODE". */
static bool tell_internet(const char *line, unsigned long long inode, char *into, size_t size)
{
    enum { LISTENS = 0x0a };
    char local[80], remote[80], here[80], there[80];
    unsigned long long number;
    unsigned state;
    bool any;
    if (sscanf(line, " %*d: %79s %79s %x %*s %*s %*s %*s %*s %llu", local, remote, &state, &number) != 4 ||
        number != inode || !take_address(local, here, sizeof here, &any) ||
        !take_address(remote, there, sizeof there, &any))
        return false;
    if (state == LISTENS)
        snprintf(into, size, "listener %s", here);
    else if (any)
        snprintf(into, size, "socket %s", here);
    else
        snprintf(into, size, "socket %s→%s", here, there);
    return true;
}

/* A line of unix: "0000000000000000: REFS PROTOCOL FLAGS TYPE STATE INODE PATH". */
static bool tell_local(const char *line, unsigned long long inode, char *into, size_t size)
{
    unsigned long long number;
    unsigned flags;
    int at = 0;
    if (sscanf(line, "%*s %*s %*s %x %*s %*s %llu %n", &flags, &number, &at) != 2 || number != inode)
        return false;
    const char *path = at ? line + at : "";
    snprintf(into, size, "%s%s%s", flags & 0x10000 ? "listener" : "unix socket", *path ? " " : "", path);
    return true;
}

static bool find_socket(const struct process *p, const char *list, unsigned long long inode, char *into, size_t size)
{
    char path[64], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/net/%s", (long)p->pid, list);
    FILE *f = fopen(path, "re");
    while (f && !found && getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        found = (!strcmp(list, "unix") ? tell_local : tell_internet)(line, inode, into, size);
    }
    free(line);
    if (f)
        fclose(f);
    return found;
}

static void tell_socket(const struct process *p, unsigned long long inode, char *into, size_t size)
{
    static const char *const lists[] = {"tcp", "tcp6", "unix", "udp", "udp6"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (find_socket(p, lists[i], inode, into, size))
            return;
    snprintf(into, size, "socket %llu", inode);
}

/* --- descriptors -------------------------------------------------------------------------------------------------- */

void descriptor_tell(const struct process *p, int fd, char *into, size_t size)
{
    char path[64], target[PATH_MAX];
    unsigned long long inode;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)p->pid, fd);
    ssize_t n = p->core ? 0 : readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    if (n <= 0)
        snprintf(into, size, "descriptor %d", fd);
    else if (sscanf(target, "socket:[%llu]", &inode) == 1)
        tell_socket(p, inode, into, size);
    else if (sscanf(target, "pipe:[%llu]", &inode) == 1)
        snprintf(into, size, "pipe %llu", inode);
    else if (!strncmp(target, "anon_inode:", 11)) {
        const char *name = target + 11 + (target[11] == '[');
        snprintf(into, size, "%.*s", (int)strcspn(name, "]"), name);
    } else
        snprintf(into, size, "%s", target);
}

size_t descriptor_watched(const struct process *p, int fd)
{
    char path[64], *line = NULL;
    size_t room = 0, n = 0;
    snprintf(path, sizeof path, "/proc/%ld/fdinfo/%d", (long)p->pid, fd);
    FILE *f = fopen(path, "re");
    while (f && getline(&line, &room, f) > 0)
        n += !strncmp(line, "tfd:", 4);
    free(line);
    if (f)
        fclose(f);
    return n;
}
