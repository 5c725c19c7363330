/* syscall(2), by numbers: futexes, and what has a wrapper under its own name, too. */
#include "entry-points.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#define P(x) (long)(x)

static uint32_t word = 1, odd[2];
static struct pollfd not_ready[1] = {{PIPE_IN, POLLIN, 0}};
static struct timespec zero, wrong = {0, -1};
static struct epoll_event events[4];
static const struct iovec vec[1] = {{buffer, 4}};
static struct msghdr message = {.msg_iov = (struct iovec *)vec, .msg_iovlen = 1};
static struct mmsghdr messages[1] = {{.msg_hdr = {.msg_iov = (struct iovec *)vec, .msg_iovlen = 1}}};
static struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/none/none"};
static int answer;
/* The kernel writes what is left of it. */
#ifdef SYS_select
static struct timeval brief = {0, 20000};
#endif
static struct timespec brief_too = {0, 20000000};
static uint64_t no_signals;

static void set_up(void)
{
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    place(pair[0], SIDE_A);
    place(pair[1], SIDE_B);
    place(socket(AF_UNIX, SOCK_STREAM, 0), CLIENT);
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
    CALL(NULL, SYS_readv, READY_IN, P(vec), 1),
    CALL(NULL, SYS_preadv, FILE_FD, P(vec), 1, 2, 0),
    CALL(NULL, SYS_preadv2, FILE_FD, P(vec), 1, 2, 0, 0),
    CALL(NULL, SYS_writev, OTHER_OUT, P(vec), 1),
    CALL(NULL, SYS_pwritev, OTHER_OUT, P(vec), 1, 0, 0),
    CALL(NULL, SYS_pwritev2, OTHER_OUT, P(vec), 1, -1, -1, 0),
    CALL(NULL, SYS_sendfile, OTHER_OUT, FILE_FD, 0, 4),
    CALL(NULL, SYS_splice, READY_IN, 0, OTHER_OUT, 0, 4, 0),
    CALL(NULL, SYS_copy_file_range, FILE_FD, 0, NO_FD, 0, 4, 0),
    CALL(NULL, SYS_ioctl, READY_IN, FIONREAD, P(&answer)),
    CALL(NULL, SYS_io_uring_enter, NO_FD, 0, 0, 0, 0),
    CALL("select", SYS_io_uring_enter, NO_FD, 0, 1, IORING_ENTER_GETEVENTS, 0),
    CALL(NULL, SYS_accept, NO_FD, 0, 0),
    CALL(NULL, SYS_accept4, NO_FD, 0, 0, 0),
    CALL("network", SYS_connect, CLIENT, P(&nowhere), sizeof nowhere),
    CALL(NULL, SYS_sendto, SIDE_A, P(buffer), 4, 0, 0, 0),
    CALL(NULL, SYS_sendmsg, SIDE_A, P(&message), 0),
    CALL(NULL, SYS_sendmmsg, SIDE_A, P(messages), 1, 0),
    CALL(NULL, SYS_recvmsg, SIDE_B, P(&message), 0),
    CALL(NULL, SYS_recvmmsg, SIDE_B, P(messages), 1, 0, 0),
    CALL(NULL, SYS_fdatasync, PIPE_IN),
    CALL(NULL, SYS_fallocate, PIPE_OUT, 0, 0, 4),
    CALL(NULL, SYS_flock, FILE_FD, LOCK_UN),
    CALL(NULL, SYS_waitid, P_ALL, 0, 0, WEXITED, 0),
#ifdef SYS_poll
    CALL("select", SYS_poll, P(not_ready), 1, 20),
    CALL("select", SYS_select, 0, 0, 0, 0, P(&brief)),
    CALL("select", SYS_epoll_wait, EPOLL, P(events), 4, 20),
#endif
    CALL("select", SYS_pselect6, 0, 0, 0, 0, P(&brief_too), 0),
#ifdef SYS_epoll_pwait2
    CALL("select", SYS_epoll_pwait2, EPOLL, P(events), 4, P(&in_20_ms), 0, 8),
#endif
    CALL("select", SYS_rt_sigtimedwait, P(&no_signals), 0, P(&in_20_ms), 8),
    CALL("select", SYS_rt_sigsuspend, BAD_ADDRESS, 8),
    CALL("sleep", SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, P(&in_20_ms), 0),
#ifdef SYS_futex_waitv
    CALL("sync", SYS_futex_waitv, 0, 0, 0, 0, 0),
#endif
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
