#include "preload/descriptors.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/rawsys.h"
#include "lib/text.h"
#include "preload/socket_address.h"

static void put(struct text *t, const char *s) { text_put_string(t, s, UINT32_MAX); }

void descriptor_link(uint32_t tid, uint32_t fd, char *into, size_t size)
{
    char path[64];
    struct text t = {path, path + sizeof path - 1};
    put(&t, "/proc/self/");
    if (tid) {
        put(&t, "task/");
        text_put_number(&t, tid);
        text_put(&t, '/');
    }
    put(&t, "fd/");
    text_put_number(&t, fd);
    *t.p = 0;
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)path, (long)into, (long)size - 1, 0, 0);
    into[sys_failed(n) ? 0 : n] = 0;
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

static socklen_t ask(long call, int fd, union socket_address *a)
{
    socklen_t size = sizeof *a;
    memset(a, 0, sizeof *a);
    long r = raw_syscall(call, fd, (long)a, (long)&size, 0, 0, 0);
    return sys_failed(r) || size > sizeof *a ? 0 : size;
}

static bool listens(int fd)
{
    int value = 0;
    socklen_t size = sizeof value;
    long r = raw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, (long)&value, (long)&size, 0);
    return !sys_failed(r) && value;
}

static void describe_socket(int fd, struct text *t)
{
    union socket_address own, peer;
    bool listener = listens(fd);
    socklen_t own_size = ask(SYS_getsockname, fd, &own), peer_size = listener ? 0 : ask(SYS_getpeername, fd, &peer);
    put(t, listener ? "listener " : "socket ");
    if (own_size && socket_address_has_port(&own)) {
        socket_address_put(t, &own, NULL);
        if (peer_size && socket_address_has_port(&peer)) {
            put(t, "→");
            socket_address_put(t, &peer, &own);
        }
    } else if (own_size && own.any.sa_family == AF_UNIX) {
        put(t, "unix ");
        char *before = t->p;
        socket_address_put_unix(t, &own, own_size);
        if (peer_size && t->p == before)
            socket_address_put_unix(t, &peer, peer_size);
        if (t->p == before) /* one of a pair, say */
            text_put_number(t, (uint32_t)fd);
    } else {
        text_put_number(t, (uint32_t)fd);
    }
}

/* --- all that has a name in /proc ----------------------------------------------------------------------------------- */

enum { LINK_SIZE = 1024 };

/* The end of a path tells more than its beginning. */
static void put_path(struct text *t, const char *path)
{
    size_t len = strlen(path), room = (size_t)(t->end - t->p);
    if (len <= room) {
        put(t, path);
        return;
    }
    put(t, "…");
    room = (size_t)(t->end - t->p);
    path += len - room;
    while (((unsigned char)*path & 0xc0) == 0x80)
        path++;
    put(t, path);
}

/* "pipe:[1234]" is the kernel's for one without a name. */
static void describe_by_link(int fd, enum object_kind kind, struct text *t)
{
    char link[LINK_SIZE];
    descriptor_link(0, (uint32_t)fd, link, sizeof link);
    put(t, object_word(kind));
    text_put(t, ' ');
    const char *number = strchr(link, '[');
    if (link[0] == '/')
        put_path(t, link);
    else if (kind == OBJECT_PIPE && number)
        text_put_string(t, number + 1, (uint32_t)strcspn(number + 1, "]"));
    else
        text_put_number(t, (uint32_t)fd);
}

uint32_t descriptor_describe(int fd, enum object_kind kind, char *text, uint32_t size)
{
    struct text t = {text, text + size};
    if (kind == OBJECT_SOCKET)
        describe_socket(fd, &t);
    else
        describe_by_link(fd, kind, &t);
    return (uint32_t)(t.p - text);
}
