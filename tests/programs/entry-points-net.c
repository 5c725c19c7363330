/* Sockets. */
#include "entry-points.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#define P(x) (long)(x)

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/none/none"};
static struct sockaddr_in local = {.sin_family = AF_INET};
static struct iovec vec[1] = {{buffer, 8}};
static struct msghdr message = {.msg_iov = vec, .msg_iovlen = 1};
static struct msghdr bad_message = {.msg_iov = (void *)BAD_ADDRESS, .msg_iovlen = 1};
static struct mmsghdr messages[1] = {{.msg_hdr = {.msg_iov = vec, .msg_iovlen = 1}}};
static int pair[2];
static struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
static struct hostent host, *host_found;
#define HOST P(&host), P(buffer)
#define FOUND P(&host_found), P(&host_error)
static int host_error;

static void make_pair(void)
{
    int v[2];
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, v) == 0);
    place(v[0], SIDE_A);
    place(v[1], SIDE_B);
}

static void set_up(void)
{
    make_pair();
    strcpy(address.sun_path, path_of_socket);
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place(socket(AF_UNIX, SOCK_STREAM, 0), LISTENER);
    place(socket(AF_UNIX, SOCK_STREAM, 0), CLIENT);
    CHECK(bind(LISTENER, (struct sockaddr *)&address, sizeof address) == 0 && listen(LISTENER, 0) == 0);
    place(socket(AF_INET, SOCK_DGRAM, 0), SCRATCH_FD);
}

static const struct timeval an_hour = {3600, 0};

/* What is answered from a file or needs no asking. The resolver may read configuration through other entry points. */
#define RESOLVES "network"

static const struct at_once calls[] = {
    {"socket", NEW_FD, NULL, {AF_UNIX, SOCK_STREAM, 0}},
    {"socket", NEW_FD, NULL, {AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0}},
    {"socket", NEW_FD, NULL, {-1, SOCK_STREAM, 0}},
    {"socketpair", INT, NULL, {AF_UNIX, SOCK_SEQPACKET, 0, P(pair)}},
    {"socketpair", INT, NULL, {AF_INET, SOCK_STREAM, 0, P(pair)}},
    {"socketpair", INT, NULL, {AF_UNIX, SOCK_STREAM, 0, BAD_ADDRESS}},
    {"bind", INT, NULL, {SCRATCH_FD, P(&local), sizeof local}},
    {"bind", INT, NULL, {NO_FD, P(&local), sizeof local}},
    {"bind", INT, NULL, {CLIENT, BAD_ADDRESS, 100}},
    {"setsockopt", INT, NULL, {CLIENT, SOL_SOCKET, SO_RCVTIMEO, P(&an_hour), sizeof an_hour}},
    {"setsockopt", INT, NULL, {CLIENT, SOL_SOCKET, SO_RCVTIMEO, BAD_ADDRESS, sizeof an_hour}},
    {"setsockopt", INT, NULL, {NO_FD, SOL_SOCKET, SO_RCVTIMEO, P(&an_hour), sizeof an_hour}},
    {"listen", INT, NULL, {LISTENER, 0}},
    {"listen", INT, NULL, {SCRATCH_FD, 0}},
    {"connect", INT, "network", {CLIENT, P(&nowhere), sizeof nowhere}},
    {"connect", INT, "network", {CLIENT, BAD_ADDRESS, sizeof nowhere}},
    {"connect", INT, NULL, {NO_FD, P(&nowhere), sizeof nowhere}},
    {"connect", INT, "network", {CLIENT, P(&address), sizeof address}},
    {"accept", NEW_FD, NULL, {LISTENER, 0, 0}},
    {"accept", NEW_FD, NULL, {NO_FD, 0, 0}},
    {"accept", NEW_FD, NULL, {FILE_FD, 0, 0}},
    {"accept4", NEW_FD, EITHER, {CLIENT, 0, 0, 0}},
    {"accept4", NEW_FD, EITHER, {LISTENER, 0, 0, 1 << 30}},
    {"send", LONG, NULL, {SIDE_A, P(buffer), 4, 0}},
    {"send", LONG, NULL, {SIDE_A, BAD_ADDRESS, 4, 0}},
    {"send", LONG, NULL, {FILE_FD, P(buffer), 4, 0}},
    {"recv", LONG, NULL, {SIDE_B, P(buffer), 4, 0}},
    {"recv", LONG, NULL, {SIDE_B, P(buffer), 4, MSG_DONTWAIT}},
    {"recv", LONG, NULL, {NO_FD, P(buffer), 4, 0}},
    {"sendto", LONG, NULL, {SIDE_A, P(buffer), 4, MSG_DONTWAIT, 0, 0}},
    {"sendto", LONG, NULL, {SIDE_A, P(buffer), 4, 0, P(&nowhere), sizeof nowhere}},
    {"__recv_chk", LONG, NULL, {SIDE_B, P(buffer), 4, 100, 0}},
    {"__recv_chk", LONG, NULL, {FILE_FD, P(buffer), 4, 100, 0}},
    {"sendmsg", LONG, NULL, {SIDE_A, P(&message), 0}},
    {"sendmsg", LONG, NULL, {SIDE_A, P(&bad_message), 0}},
    {"recvmsg", LONG, NULL, {SIDE_B, P(&message), 0}},
    {"recvmsg", LONG, NULL, {SIDE_B, BAD_ADDRESS, MSG_DONTWAIT}},
    {"sendmmsg", INT, NULL, {SIDE_A, P(messages), 1, 0}},
    {"sendmmsg", INT, NULL, {SIDE_A, BAD_ADDRESS, 1, 0}},
    {"recvmmsg", INT, NULL, {SIDE_B, P(messages), 1, 0, 0}},
    {"recvmmsg", INT, NULL, {SIDE_B, P(messages), 1, MSG_DONTWAIT, 0}},
    {"sendto", LONG, NULL, {SIDE_A, P(buffer), 4, 0, 0, 0}},
    {"recvfrom", LONG, NULL, {SIDE_B, P(buffer), 4, 0, 0, 0}},
    {"recvfrom", LONG, NULL, {FILE_FD, P(buffer), 4, 0, 0, 0}},
    {"send", LONG, NULL, {SIDE_A, P(buffer), 4, 0}},
    {"__recvfrom_chk", LONG, NULL, {SIDE_B, P(buffer), 4, 100, 0, 0, 0}},
    {"__recvfrom_chk", LONG, NULL, {NO_FD, P(buffer), 4, 100, 0, 0, 0}},
    {"shutdown", INT, NULL, {SIDE_A, SHUT_WR}},
    {"shutdown", INT, NULL, {FILE_FD, SHUT_WR}},
    {"getaddrinfo", INT, RESOLVES, {P("127.0.0.1"), P("80"), P(&numeric), P(&found)}},
    {"getaddrinfo", INT, RESOLVES, {P("no number"), P("80"), P(&numeric), P(&found)}},
    {"getnameinfo", INT, RESOLVES, {P(&local), sizeof local, P(buffer), 100, 0, 0, NI_NUMERICHOST}},
    {"getnameinfo", INT, RESOLVES, {P(&local), 1, P(buffer), 100, 0, 0, NI_NUMERICHOST}},
    {"gethostbyname", POINTER, RESOLVES, {P("127.0.0.1")}},
    {"gethostbyname", POINTER, RESOLVES, {P("1.2.3.4.5.")}},
    {"gethostbyname2", POINTER, RESOLVES, {P("127.0.0.1"), AF_INET}},
    {"gethostbyname2", POINTER, RESOLVES, {P("127.0.0.1"), -1}},
    {"gethostbyname_r", INT, RESOLVES, {P("127.0.0.1"), HOST, 1000, FOUND}},
    {"gethostbyname_r", INT, RESOLVES, {P("127.0.0.1"), HOST, 1, FOUND}},
    {"gethostbyname2_r", INT, RESOLVES, {P("127.0.0.1"), AF_INET, HOST, 1000, FOUND}},
    {"gethostbyname2_r", INT, RESOLVES, {P("127.0.0.1"), AF_INET, HOST, 1, FOUND}},
    {"gethostbyaddr", POINTER, RESOLVES, {P(&local.sin_addr), 1, AF_INET}},
    {"gethostbyaddr_r", INT, RESOLVES, {P(&local.sin_addr), 1, AF_INET, HOST, 1000, FOUND}},
    {0},
};

static void empty_side(void)
{
    close(SIDE_A);
    close(SIDE_B);
    make_pair();
}

static void fill_side(void)
{
    empty_side();
    fill(SIDE_A);
}

static void feed(void) { CHECK(send(SIDE_A, buffer, 8, 0) == 8); }
static void make_room(void) { empty(SIDE_B); }

static void no_client(void)
{
    set_nonblocking(LISTENER, true);
    for (int fd; (fd = accept(LISTENER, NULL, NULL)) >= 0;)
        close(fd);
    set_nonblocking(LISTENER, false);
    close(CLIENT);
    place(socket(AF_UNIX, SOCK_STREAM, 0), CLIENT);
}

static void come(void) { CHECK(connect(CLIENT, (struct sockaddr *)&address, sizeof address) == 0); }

/* A queue of one. */
static void crowd(void)
{
    no_client();
    come();
    close(SCRATCH_FD);
    place(socket(AF_UNIX, SOCK_STREAM, 0), SCRATCH_FD);
}

static void let_one_in(void) { close(accept(LISTENER, NULL, NULL)); }

#define RECEIVES(function, result, ...)                                                                                \
    {function, result, "network", "main", empty_side, feed, {SIDE_B, __VA_ARGS__}}
#define SENDS(function, result, ...)                                                                                   \
    {function, result, "network", "self", fill_side, make_room, {SIDE_A, __VA_ARGS__}}

static const struct waiting waits[] = {
    RECEIVES("recv", LONG, P(buffer), 8, 0),
    RECEIVES("__recv_chk", LONG, P(buffer), 8, 100, 0),
    RECEIVES("recvfrom", LONG, P(buffer), 8, 0, 0, 0),
    RECEIVES("__recvfrom_chk", LONG, P(buffer), 8, 100, 0, 0, 0),
    RECEIVES("recvmsg", LONG, P(&message), 0),
    RECEIVES("recvmmsg", INT, P(messages), 1, 0, 0),
    SENDS("send", LONG, P(buffer), 8, 0),
    SENDS("sendto", LONG, P(buffer), 8, 0, 0, 0),
    SENDS("sendmsg", LONG, P(&message), 0),
    SENDS("sendmmsg", INT, P(messages), 1, 0),
    {"accept", NEW_FD, "network", "self", no_client, come, {LISTENER, 0, 0}},
    {"accept4", NEW_FD, "network", "self", no_client, come, {LISTENER, 0, 0, SOCK_CLOEXEC}},
    {"connect", INT, "network", "self", crowd, let_one_in, {SCRATCH_FD, P(&address), sizeof address}},
    {0},
};

const struct group net_group = {"net", set_up, calls, waits};
