/* syscall(2), by numbers: futexes, and what has a wrapper under its own name, too. */
#include "entry-points.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define P(x) (long)(x)

static uint32_t word = 1, odd[2];
static struct pollfd not_ready[1] = {{PIPE_IN, POLLIN, 0}};
static struct timespec zero, wrong = {0, -1};
static struct epoll_event events[4];

static void set_up(void)
{
    place(epoll_create1(0), EPOLL);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = PIPE_IN};
    CHECK(epoll_ctl(EPOLL, EPOLL_CTL_ADD, PIPE_IN, &e) == 0);
}

#define CALL(reason, ...) {"syscall", LONG, reason, {__VA_ARGS__}}
#define PASSES_THROUGH ""

static const struct at_once calls[] = {
    CALL(PASSES_THROUGH, SYS_sched_yield),
    CALL(PASSES_THROUGH, 100000),
    CALL(PASSES_THROUGH, -1),
    CALL(NULL, SYS_read, ZERO, P(buffer), 4),
    CALL(NULL, SYS_read, NO_FD, P(buffer), 4),
    CALL(NULL, SYS_read, ZERO, BAD_ADDRESS, 4),
    CALL(NULL, SYS_write, OTHER_OUT, P(buffer), 4),
    CALL(NULL, SYS_write, OTHER_OUT, BAD_ADDRESS, 4),
    CALL(NULL, SYS_pread64, FILE_FD, P(buffer), 4, 2),
    CALL(NULL, SYS_pwrite64, OTHER_OUT, P(buffer), 4, 2),
    CALL(NULL, SYS_close, NO_FD),
    CALL(NULL, SYS_close, -1),
    CALL(NULL, SYS_fsync, PIPE_IN),
    CALL(NULL, SYS_getrandom, P(buffer), 4, 0),
    CALL(NULL, SYS_getrandom, BAD_ADDRESS, 4, 0),
    CALL(NULL, SYS_openat, AT_FDCWD, P(path_of_none), O_RDONLY),
    CALL(NULL, SYS_recvfrom, FILE_FD, P(buffer), 4, 0, 0, 0),
    CALL(EITHER, SYS_ppoll, P(not_ready), 1, P(&zero), 0, 8),
    CALL("select", SYS_ppoll, P(not_ready), 1, P(&wrong), 0, 8),
    CALL(NULL, SYS_ppoll, BAD_ADDRESS, 1, 0, 0, 8),
    CALL("select", SYS_epoll_pwait, EPOLL, P(events), 4, 20, 0, 8),
    CALL(NULL, SYS_epoll_pwait, NO_FD, P(events), 4, 20, 0, 8),
    CALL("sleep", SYS_nanosleep, P(&in_20_ms), 0),
    CALL("sleep", SYS_nanosleep, BAD_ADDRESS, 0),
    CALL(NULL, SYS_wait4, -1, 0, 0, 0),
    CALL(PASSES_THROUGH, SYS_futex, P(&word), FUTEX_WAKE, 1),
    CALL(PASSES_THROUGH, SYS_futex, BAD_ADDRESS, FUTEX_WAKE_PRIVATE, 1),
    CALL(PASSES_THROUGH, SYS_futex, P(&word), FUTEX_WAIT, 2, 0),
    CALL("sync", SYS_futex, P(&word), FUTEX_WAIT_PRIVATE, 1, P(&in_20_ms)),
    CALL("sync", SYS_futex, P(&word), FUTEX_WAIT_PRIVATE, 1, P(&wrong)),
    CALL("sync", SYS_futex, P(&word), FUTEX_WAIT_BITSET_PRIVATE, 1, P(&zero), 0, 2),
    CALL("sync", SYS_futex, P(&word), FUTEX_WAIT_BITSET_PRIVATE, 1, P(&zero), 0, 0),
    CALL(PASSES_THROUGH, SYS_futex, 0, FUTEX_WAIT_PRIVATE, 1, 0),
    CALL(PASSES_THROUGH, SYS_futex, BAD_ADDRESS, FUTEX_WAIT_PRIVATE, 1, 0),
    CALL(PASSES_THROUGH, SYS_futex, BAD_ADDRESS, FUTEX_WAIT_PRIVATE, 0, 0),
    CALL(PASSES_THROUGH, SYS_futex, 1L << 46, FUTEX_WAIT, 0, 0),
    CALL(PASSES_THROUGH, SYS_futex, P(odd) + 1, FUTEX_WAIT_PRIVATE, 0, 0),
    CALL(PASSES_THROUGH, SYS_futex, P(&word), FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, P(odd), 2),
    CALL(PASSES_THROUGH, SYS_futex, P(&word), FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, BAD_ADDRESS, 1),
    CALL(PASSES_THROUGH, SYS_futex, P(&word), 127, 1, 0, 0, 0),
    {0},
};

static void nothing(void) {}
static void empty_pipe(void) { empty(PIPE_IN); }
static void feed(void) { CHECK(write(PIPE_OUT, buffer, 8) == 8); }
static void wake(void) { CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1) == 1); }
static void wake_bits(void) { CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 6) == 1); }

#define WAITS(reason, waker, prepare, wake, ...)                                                                       \
    {"syscall", LONG, reason, waker, prepare, wake, {__VA_ARGS__}}

static const struct waiting waits[] = {
    WAITS("sync", "main", nothing, wake, SYS_futex, P(&word), FUTEX_WAIT_PRIVATE, 1, 0),
    WAITS("sync", "main", nothing, wake, SYS_futex, P(&word), FUTEX_WAIT_PRIVATE, 1, P(&in_an_hour)),
    WAITS("sync", "main", nothing, wake, SYS_futex, P(&word), FUTEX_WAIT_BITSET_PRIVATE, 1, 0, 0, -1),
    WAITS("sync", "self", nothing, wake_bits, SYS_futex, P(&word), FUTEX_WAIT_BITSET_PRIVATE, 1, 0, 0, 4),
    WAITS("chan_receive", "main", empty_pipe, feed, SYS_read, PIPE_IN, P(buffer), 8),
    WAITS("select", "main", empty_pipe, feed, SYS_ppoll, P(not_ready), 1, 0, 0, 8),
    WAITS("select", "main", empty_pipe, feed, SYS_epoll_pwait, EPOLL, P(events), 4, -1, 0, 8),
    {0},
};

const struct group syscall_group = {"syscall", set_up, calls, waits};
