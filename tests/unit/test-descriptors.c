/* What descriptors are called. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

#include "preload/descriptors.h"
#include "preload/socket_address.h"

static char name[128], wanted[128];

static const char *describe(int fd, enum object_kind kind)
{
    name[descriptor_describe(fd, kind, name, 96)] = 0;
    return name;
}

static int listen_on(const void *address, socklen_t size, int family)
{
    int fd = socket(family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, address, size), 0);
    assert_int_equal(listen(fd, 4), 0);
    return fd;
}

static unsigned port_of(int fd)
{
    struct sockaddr_in a;
    socklen_t size = sizeof a;
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    return ntohs(a.sin_port);
}

static void an_internet_socket_has_both_ends(void **state)
{
    struct sockaddr_in any = {.sin_family = AF_INET}, own = any, to = any;
    int listener = listen_on(&any, sizeof any, AF_INET);
    unsigned port = port_of(listener);
    snprintf(wanted, sizeof wanted, "listener :%u", port);
    assert_string_equal(describe(listener, OBJECT_SOCKET), wanted);

    int fd = socket(AF_INET, SOCK_STREAM, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t)port);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    snprintf(wanted, sizeof wanted, "socket 127.0.0.1:%u→:%u", port_of(fd), port);
    assert_string_equal(describe(fd, OBJECT_SOCKET), wanted);
    close(fd);

    fd = socket(AF_INET, SOCK_DGRAM, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof own), 0);
    snprintf(wanted, sizeof wanted, "socket 127.0.0.1:%u", port_of(fd));
    assert_string_equal(describe(fd, OBJECT_SOCKET), wanted);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    snprintf(wanted, sizeof wanted, "socket 127.0.0.1:%u→127.0.0.2:%u", port_of(fd), port);
    assert_string_equal(describe(fd, OBJECT_SOCKET), wanted);
    close(fd);
    close(listener);
}

/* As inet_ntop writes them. */
static void addresses_of_version_6_are_short(void **state)
{
    static const char *const addresses[] = {"::1", "2001:db8::", "fe80::1:2", "1:0:0:2::3", "1:0:0:2:0:0:3:4",
                                            "1:0:2:3:4:5:6:7", "1:2:3:4:5:6:7:8", "::2:0:0:0:0", "abcd:ef01::10"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        union socket_address a = {.in6 = {.sin6_family = AF_INET6, .sin6_port = htons(8080)}};
        char normal[64];
        struct text t = {name, name + sizeof name - 1};
        assert_int_equal(inet_pton(AF_INET6, addresses[i], &a.in6.sin6_addr), 1);
        assert_non_null(inet_ntop(AF_INET6, &a.in6.sin6_addr, normal, sizeof normal));
        socket_address_put(&t, &a, NULL);
        *t.p = 0;
        snprintf(wanted, sizeof wanted, "[%s]:8080", normal);
        assert_string_equal(name, wanted);
    }
}

static void a_unix_socket_has_its_path(void **state)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX}, abstract = path;
    int pair[2];
    snprintf(path.sun_path, sizeof path.sun_path, "%s/thrace-test-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             getpid());
    int listener = listen_on(&path, sizeof path, AF_UNIX), fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(wanted, sizeof wanted, "listener unix %s", path.sun_path);
    assert_string_equal(describe(listener, OBJECT_SOCKET), wanted);
    assert_int_equal(connect(fd, (struct sockaddr *)&path, sizeof path), 0);
    snprintf(wanted, sizeof wanted, "socket unix %s", path.sun_path);
    assert_string_equal(describe(fd, OBJECT_SOCKET), wanted);
    unlink(path.sun_path);
    close(fd);
    close(listener);

    int len = snprintf(abstract.sun_path + 1, sizeof abstract.sun_path - 1, "thrace-test-%d", getpid());
    listener = listen_on(&abstract, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len), AF_UNIX);
    snprintf(wanted, sizeof wanted, "listener unix @thrace-test-%d", getpid());
    assert_string_equal(describe(listener, OBJECT_SOCKET), wanted);
    close(listener);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    snprintf(wanted, sizeof wanted, "socket unix %d", pair[0]);
    assert_string_equal(describe(pair[0], OBJECT_SOCKET), wanted);
    close(pair[0]);
    close(pair[1]);
}

static void others_have_a_path_or_a_number(void **state)
{
    int ends[2], event = eventfd(0, 0), epoll = epoll_create1(0);
    char path[64];
    struct stat st;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fstat(ends[0], &st), 0);
    snprintf(wanted, sizeof wanted, "pipe %lu", (unsigned long)st.st_ino);
    assert_string_equal(describe(ends[0], OBJECT_PIPE), wanted);
    snprintf(wanted, sizeof wanted, "eventfd %d", event);
    assert_string_equal(describe(event, OBJECT_EVENTFD), wanted);
    snprintf(wanted, sizeof wanted, "epoll %d", epoll);
    assert_string_equal(describe(epoll, OBJECT_EPOLL), wanted);

    snprintf(path, sizeof path, "/tmp/thrace-test-fifo-%d", getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    int fifo = open(path, O_RDWR);
    unlink(path);
    assert_true(fifo >= 0);
    snprintf(wanted, sizeof wanted, "pipe %s (deleted)", path);
    assert_string_equal(describe(fifo, OBJECT_PIPE), wanted);
    close(fifo);
    close(ends[0]);
    close(ends[1]);
    close(event);
    close(epoll);
}

static void what_is_closed_or_long_is_no_harm(void **state)
{
    char few[8];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    snprintf(wanted, sizeof wanted, "socket %d", ends[1]);
    assert_string_equal(describe(ends[1], OBJECT_SOCKET), wanted);
    snprintf(wanted, sizeof wanted, "pipe %d", ends[1]);
    assert_string_equal(describe(ends[1], OBJECT_PIPE), wanted);
    memset(few, 'x', sizeof few);
    assert_int_equal(descriptor_describe(ends[0], OBJECT_PIPE, few, 6), 6);
    assert_memory_equal(few, "pipe ", 5);
    assert_int_equal(few[6], 'x');
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_internet_socket_has_both_ends), cmocka_unit_test(addresses_of_version_6_are_short),
        cmocka_unit_test(a_unix_socket_has_its_path),       cmocka_unit_test(others_have_a_path_or_a_number),
        cmocka_unit_test(what_is_closed_or_long_is_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
