#include "config.h"

#include "cmd/stacks/restarts.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* A socket with a time limit: what waits for it fails with EINTR. Also where that cannot be told. */
static bool has_time_limit(const struct process *p, int fd)
{
    bool limited = true;
    int process = (int)syscall(SYS_pidfd_open, p->pid, 0);
    int socket = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
    struct timeval in, out;
    socklen_t size = sizeof in;
    if (socket >= 0 && !getsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &in, &size) &&
        !getsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &out, &size))
        limited = in.tv_sec || in.tv_usec || out.tv_sec || out.tv_usec;
    if (socket >= 0)
        close(socket);
    if (process >= 0)
        close(process);
    return limited;
}

/* A read of what has no data yet begins anew; one of a file waits for a file system, which may give up. */
static bool reads_again(const struct process *p, uint64_t fd)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)p->pid, (int)fd);
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
        return false;
    return !S_ISSOCK(st.st_mode) || !has_time_limit(p, (int)fd);
}

bool goes_on_after_stop(const struct process *p, const struct thread *t)
{
    switch (t->call) {
    case NO_CALL:
    case SYS_futex:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_restart_syscall:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_rt_sigsuspend:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_flock:
#ifdef SYS_poll
    case SYS_poll:
#endif
#ifdef SYS_select
    case SYS_select:
#endif
#ifdef SYS_pause
    case SYS_pause:
#endif
        return true;
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4:
        return reads_again(p, t->args[0]);
    case SYS_recvfrom:
        return !(t->args[3] & MSG_WAITALL) && reads_again(p, t->args[0]);
    case SYS_recvmsg:
        return !(t->args[2] & MSG_WAITALL) && reads_again(p, t->args[0]);
    default:
        return false;
    }
}
