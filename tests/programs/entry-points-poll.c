/* Polling. */
#include "entry-points.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#define P(x) (long)(x)

static struct pollfd ready[1] = {{READY_IN, POLLIN, 0}}, not_ready[1] = {{PIPE_IN, POLLIN, 0}};
static struct pollfd several[3] = {{OTHER_IN, POLLIN, 0}, {-1, POLLIN, 0}, {PIPE_IN, POLLIN, 0}};
static fd_set none, pipe_set, working_set;
static struct timeval tv_zero, tv_short = {0, 20000}, tv_wrong = {-1, 0};
static struct timespec zero, wrong = {0, -1};
static sigset_t no_signals;
static struct epoll_event events[4];

static void set_up(void)
{
    FD_SET(PIPE_IN, &pipe_set);
    place(epoll_create1(0), EPOLL);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = PIPE_IN};
    CHECK(epoll_ctl(EPOLL, EPOLL_CTL_ADD, PIPE_IN, &e) == 0);
}

static const struct at_once calls[] = {
    {"poll", INT, NULL, {P(ready), 1, -1}},
    {"poll", INT, NULL, {P(not_ready), 1, 0}},
    {"poll", INT, "select", {P(not_ready), 1, 20}},
    {"poll", INT, "select", {0, 0, 20}},
    {"poll", INT, NULL, {BAD_ADDRESS, 1, 20}},
    {"__poll_chk", INT, NULL, {P(ready), 1, -1, sizeof ready}},
    {"__poll_chk", INT, NULL, {BAD_ADDRESS, 1, -1, sizeof ready}},
    {"ppoll", INT, NULL, {P(ready), 1, 0, 0}},
    {"ppoll", INT, NULL, {P(not_ready), 1, P(&zero), 0}},
    {"ppoll", INT, "select", {P(not_ready), 1, P(&in_20_ms), P(&no_signals)}},
    {"ppoll", INT, "select", {P(not_ready), 1, P(&wrong), 0}},
    {"ppoll", INT, NULL, {BAD_ADDRESS, 1, 0, 0}},
    {"__ppoll_chk", INT, NULL, {P(ready), 1, 0, 0, sizeof ready}},
    {"__ppoll_chk", INT, NULL, {BAD_ADDRESS, 1, 0, 0, sizeof ready}},
    {"select", INT, "select", {0, 0, 0, 0, P(&tv_short)}},
    {"select", INT, NULL, {0, 0, 0, 0, P(&tv_zero)}},
    {"select", INT, "select", {0, 0, 0, 0, P(&tv_wrong)}},
    {"select", INT, "select", {101, BAD_ADDRESS, 0, 0, 0}},
    {"pselect", INT, "select", {0, 0, 0, 0, P(&in_20_ms), 0}},
    {"pselect", INT, NULL, {0, 0, 0, 0, P(&zero), 0}},
    {"pselect", INT, "select", {-1, 0, 0, 0, 0, 0}},
    {"epoll_wait", INT, NULL, {EPOLL, P(events), 4, 0}},
    {"epoll_wait", INT, "select", {EPOLL, P(events), 4, 20}},
    {"epoll_wait", INT, NULL, {NO_FD, P(events), 4, 20}},
    {"epoll_wait", INT, NULL, {PIPE_IN, P(events), 4, 20}},
    {"epoll_wait", INT, NULL, {EPOLL, P(events), 0, 20}},
    {"epoll_pwait", INT, "select", {EPOLL, P(events), 4, 20, P(&no_signals)}},
    {"epoll_pwait", INT, NULL, {NO_FD, P(events), 4, 20, 0}},
    {"epoll_pwait2", INT, "select", {EPOLL, P(events), 4, P(&in_20_ms), 0}},
    {"epoll_pwait2", INT, "select", {EPOLL, P(events), 4, BAD_ADDRESS, 0}},
    {"epoll_ctl", INT, NULL, {EPOLL, EPOLL_CTL_ADD, OTHER_IN, P(events)}},
    {"epoll_ctl", INT, NULL, {EPOLL, EPOLL_CTL_DEL, OTHER_IN, 0}},
    {"epoll_ctl", INT, NULL, {EPOLL, EPOLL_CTL_ADD, NO_FD, P(events)}},
    {"epoll_ctl", INT, NULL, {EPOLL, EPOLL_CTL_ADD, OTHER_IN, BAD_ADDRESS}},
    {"epoll_create", NEW_FD, NULL, {1}},
    {"epoll_create", NEW_FD, NULL, {0}},
    {"epoll_create1", NEW_FD, NULL, {EPOLL_CLOEXEC}},
    {"epoll_create1", NEW_FD, NULL, {1}},
    {0},
};

static void empty_pipe(void)
{
    empty(PIPE_IN);
    working_set = pipe_set;
}

static void feed(void) { CHECK(write(PIPE_OUT, buffer, 8) == 8); }

#define WAITS(function, ...)                                                                                           \
    {function, INT, "select", "main", empty_pipe, feed, {__VA_ARGS__}}

static const struct waiting waits[] = {
    WAITS("poll", P(not_ready), 1, -1),
    WAITS("poll", P(several), 3, 3600000),
    WAITS("__poll_chk", P(not_ready), 1, -1, sizeof not_ready),
    WAITS("ppoll", P(not_ready), 1, 0, P(&no_signals)),
    WAITS("ppoll", P(several), 3, P(&in_an_hour), 0),
    WAITS("__ppoll_chk", P(not_ready), 1, 0, 0, sizeof not_ready),
    WAITS("select", PIPE_IN + 1, P(&working_set), P(&none), 0, 0),
    WAITS("pselect", PIPE_IN + 1, P(&working_set), 0, 0, P(&in_an_hour), P(&no_signals)),
    WAITS("epoll_wait", EPOLL, P(events), 4, -1),
    WAITS("epoll_pwait", EPOLL, P(events), 4, -1, P(&no_signals)),
    WAITS("epoll_pwait2", EPOLL, P(events), 4, P(&in_an_hour), 0),
    {0},
};

const struct group poll_group = {"poll", set_up, calls, waits};
