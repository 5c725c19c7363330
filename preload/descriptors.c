#include "preload/descriptors.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/rawsys.h"
#include "lib/text.h"

static void put(struct text *t, const char *s) { text_put_string(t, s, UINT32_MAX); }

static void put_hex(struct text *t, unsigned v)
{
    int shift = 12;
    while (shift && !(v >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        text_put(t, "0123456789abcdef"[v >> shift & 15]);
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

static unsigned in6_word(const struct in6_addr *a, int i)
{
    return (unsigned)a->s6_addr[2 * i] << 8 | a->s6_addr[2 * i + 1];
}

/* The longest row of zeros becomes "::"; of equal ones the first. */
static void put_in6(struct text *t, const struct in6_addr *a)
{
    int best = 8, longest = 1;
    for (int i = 0, n = 0; i < 8; i++) {
        n = in6_word(a, i) ? 0 : n + 1;
        if (n > longest) {
            longest = n;
            best = i - n + 1;
        }
    }
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            put(t, i ? ":" : "::");
            i += longest - 1;
            continue;
        }
        put_hex(t, in6_word(a, i));
        if (i < 7)
            text_put(t, ':');
    }
}

static bool is_any(const union address *a)
{
    static const struct in6_addr none;
    return a->any.sa_family == AF_INET ? !a->in.sin_addr.s_addr : !memcmp(&a->in6.sin6_addr, &none, sizeof none);
}

static bool same_host(const union address *a, const union address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    return a->any.sa_family == AF_INET ? a->in.sin_addr.s_addr == b->in.sin_addr.s_addr
                                       : !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, sizeof a->in6.sin6_addr);
}

static void put_host(struct text *t, const union address *a)
{
    if (a->any.sa_family == AF_INET6) {
        text_put(t, '[');
        put_in6(t, &a->in6.sin6_addr);
        text_put(t, ']');
        return;
    }
    const uint8_t *byte = (const uint8_t *)&a->in.sin_addr;
    for (int i = 0; i < 4; i++) {
        text_put_number(t, byte[i]);
        if (i < 3)
            text_put(t, '.');
    }
}

/* The port is at the same place in both. */
static void put_port(struct text *t, const union address *a)
{
    const uint8_t *port = (const uint8_t *)&a->in.sin_port;
    text_put(t, ':');
    text_put_number(t, (uint32_t)port[0] << 8 | port[1]);
}

static bool is_internet(const union address *a) { return a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6; }

/* An abstract name begins with a NUL, which is shown as @. */
static void put_unix(struct text *t, const union address *a, socklen_t size)
{
    const char *path = a->un.sun_path;
    socklen_t len = size > offsetof(struct sockaddr_un, sun_path) ? size - offsetof(struct sockaddr_un, sun_path) : 0;
    for (socklen_t i = 0; i < len && i < sizeof a->un.sun_path && (path[i] || !i); i++)
        text_put(t, path[i] ? path[i] : '@');
}

static socklen_t ask(long call, int fd, union address *a)
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
    union address own, peer;
    bool listener = listens(fd);
    socklen_t own_size = ask(SYS_getsockname, fd, &own), peer_size = listener ? 0 : ask(SYS_getpeername, fd, &peer);
    put(t, listener ? "listener " : "socket ");
    if (own_size && is_internet(&own)) {
        if (!is_any(&own))
            put_host(t, &own);
        put_port(t, &own);
        if (peer_size && is_internet(&peer)) {
            put(t, "→");
            if (!same_host(&own, &peer))
                put_host(t, &peer);
            put_port(t, &peer);
        }
    } else if (own_size && own.any.sa_family == AF_UNIX) {
        put(t, "unix ");
        char *before = t->p;
        put_unix(t, &own, own_size);
        if (peer_size && t->p == before)
            put_unix(t, &peer, peer_size);
        if (t->p == before) /* one of a pair, say */
            text_put_number(t, (uint32_t)fd);
    } else {
        text_put_number(t, (uint32_t)fd);
    }
}

/* --- all that has a name in /proc ----------------------------------------------------------------------------------- */

enum { LINK_MAX_SHOWN = 96 };

/* "pipe:[1234]" is the kernel's for one without a name. */
static void describe_by_link(int fd, enum object_kind kind, struct text *t)
{
    char path[32], link[LINK_MAX_SHOWN];
    struct text p = {path, path + sizeof path - 1};
    put(&p, "/proc/self/fd/");
    text_put_number(&p, (uint32_t)fd);
    *p.p = 0;
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)path, (long)link, sizeof link - 1, 0, 0);
    link[sys_failed(n) ? 0 : n] = 0;
    put(t, object_word(kind));
    text_put(t, ' ');
    const char *number = strchr(link, '[');
    if (link[0] == '/')
        put(t, link);
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
