#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/bench/floor.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/perf.h"

enum { SIGNAL = 50 };

static void nothing(int sig) { (void)sig; }

enum floor_way floor_way(const char *name)
{
    static const char *const names[] = {
        [FLOOR_INTERRUPT] = "interrupt", [FLOOR_TRAP] = "trap", [FLOOR_SIGNAL] = "signal", [FLOOR_TIMER] = "timer"};
    for (int i = FLOOR_INTERRUPT; i <= FLOOR_TIMER; i++)
        if (!strcmp(name, names[i]))
            return (enum floor_way)i;
    return FLOOR_NONE;
}

static bool start_timer(long hz)
{
    struct sigevent event = {.sigev_signo = SIGNAL, .sigev_notify = SIGEV_THREAD_ID};
    const struct timespec period = {hz == 1, 1000000000 / hz % 1000000000};
    const struct itimerspec times = {period, period};
    timer_t timer;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    return !timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) && !timer_settime(timer, 0, &times, NULL);
}

static bool start_event(enum floor_way way, long hz)
{
    union perf_attributes a = {.attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof a,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = 1000000000 / (unsigned long)hz,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    }};
    a.flags |= PERF_REMOVE_ON_EXEC | (way == FLOOR_TRAP ? PERF_SIGTRAP : 0);
    const struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return false;
    if (way == FLOOR_SIGNAL &&
        (fcntl(fd, F_SETSIG, SIGNAL) || fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETFL, O_ASYNC)))
        return false;
    return !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

bool floor_start(enum floor_way way, long hz)
{
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    if (way == FLOOR_NONE)
        return true;
    if (sigaction(SIGNAL, &action, NULL) || sigaction(SIGTRAP, &action, NULL))
        return false;
    return way == FLOOR_TIMER ? start_timer(hz) : start_event(way, hz);
}
