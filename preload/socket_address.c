#include "preload/socket_address.h"

#include <stddef.h>
#include <string.h>

static void put_hex(struct text *t, unsigned v)
{
    int shift = 12;
    while (shift && !(v >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        text_put(t, "0123456789abcdef"[v >> shift & 15]);
}

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
            text_put_string(t, i ? ":" : "::", 2);
            i += longest - 1;
            continue;
        }
        put_hex(t, in6_word(a, i));
        if (i < 7)
            text_put(t, ':');
    }
}

static bool is_any(const union socket_address *a)
{
    static const struct in6_addr none;
    return a->any.sa_family == AF_INET ? !a->in.sin_addr.s_addr : !memcmp(&a->in6.sin6_addr, &none, sizeof none);
}

static bool same_host(const union socket_address *a, const union socket_address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    return a->any.sa_family == AF_INET ? a->in.sin_addr.s_addr == b->in.sin_addr.s_addr
                                       : !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, sizeof a->in6.sin6_addr);
}

static void put_host(struct text *t, const union socket_address *a)
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
static void put_port(struct text *t, const union socket_address *a)
{
    const uint8_t *port = (const uint8_t *)&a->in.sin_port;
    text_put(t, ':');
    text_put_number(t, (uint32_t)port[0] << 8 | port[1]);
}

void socket_address_put(struct text *t, const union socket_address *a, const union socket_address *other)
{
    if (!is_any(a) && (!other || !same_host(a, other)))
        put_host(t, a);
    put_port(t, a);
}

/* An abstract name begins with a NUL, which is shown as @. */
void socket_address_put_unix(struct text *t, const union socket_address *a, socklen_t size)
{
    const char *path = a->un.sun_path;
    socklen_t len = size > offsetof(struct sockaddr_un, sun_path) ? size - offsetof(struct sockaddr_un, sun_path) : 0;
    for (socklen_t i = 0; i < len && i < sizeof a->un.sun_path && (path[i] || !i); i++)
        text_put(t, path[i] ? path[i] : '@');
}
