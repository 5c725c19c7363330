/* The addresses of sockets as text, without libc. */
#ifndef THRACE_PRELOAD_SOCKET_ADDRESS_H
#define THRACE_PRELOAD_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/text.h"

union socket_address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

static inline bool socket_address_has_port(const union socket_address *a)
{
    return a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6;
}

/* "127.0.0.1:80", "[::1]:80"; ":80" for any host, and for the same one as of `other`, which may be NULL. */
void socket_address_put(struct text *t, const union socket_address *a, const union socket_address *other);

/* The path of a Unix socket, or "@" and its abstract name; nothing for one without a name. size: of the address. */
void socket_address_put_unix(struct text *t, const union socket_address *a, socklen_t size);

#endif
