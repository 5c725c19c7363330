/*
 * The entry points of calls.def. Each is this: when the class is not recorded, the real call, jumped to: a return that
 * follows a system call is often mispredicted and costs more than all of the entry point. Else show what begins, when
 * the thread may; do the real call; show, by the end of the scope, that it ended, however it did.
 *
 * The functions have names of their own in C, so that no declaration, macro or fortified redirection of libc's headers
 * has a say in them.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>

#include "preload/hooks/calls.h"
#include "preload/retry.h"
#include "preload/upcalls.h"

static bool is_now(const struct timespec *timeout) { return timeout && !timeout->tv_sec && !timeout->tv_nsec; }

/* --- what the result says of descriptors and mappings ------------------------------------------------------------- */

#define NOTHING ((void)0)
#define OPENED fd_opened(result, FD_UNKNOWN, false)
#define OPENED_AS(kind, nonblocking) fd_opened(result, FD_##kind, nonblocking)
#define OPENED_SOCKET(nonblocking) fd_opened(result, FD_SOCKET, nonblocking)
#define OPENED_COPY(fd) fd_copied(fd, result)
#define OPENED_TWO(v) (result ? NOTHING : (fd_opened((v)[0], FD_UNKNOWN, false), fd_opened((v)[1], FD_UNKNOWN, false)))
#define OPENED_PAIR(v, nonblocking) (result ? NOTHING : fd_paired((v)[0], (v)[1], nonblocking))
#define MAPPED(n) (result == MAP_FAILED ? NOTHING : upcalls.mapped((int64_t)(n)))
#define UNMAPPED(n) (result ? NOTHING : upcalls.mapped(-(int64_t)(n)))
#define WATCHED(epoll, op, fd, event)                                                                                  \
    (result ? NOTHING : fd_watched(epoll, fd, (op) != EPOLL_CTL_DEL && wakes_always(event)))
#define FCNTL(fd, command, arg) learn_from_fcntl(fd, command, arg, result)
#define IOCTL(fd, request, arg) (result || (request) != FIONBIO ? NOTHING : fd_set_nonblocking(fd, *(const int *)(arg)))
#define SOCKET_OPTION(level, option) (result || !is_timeout(level, option) ? NOTHING : upcalls.socket_times_out())

static bool is_timeout(int level, int option)
{
    return level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
}

/* What is watched for one event only is not watched any more when that has come, of which nobody here may know. */
static bool wakes_always(const struct epoll_event *e) { return e->events & EPOLLIN && !(e->events & EPOLLONESHOT); }

static void learn_from_fcntl(int fd, int command, long arg, int result)
{
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        fd_copied(fd, result);
    else if (command == F_SETFL && result != -1)
        fd_set_nonblocking(fd, arg & O_NONBLOCK);
}

/* --- the entry points --------------------------------------------------------------------------------------------- */

/* What is to be done before the call: after it the number may be another thread's already. */
#define CLOSED(from, to) NOTHING
#define BEFORE_CLOSED(from, to) fd_closed((unsigned)(from), (unsigned)(to))
#define BEFORE_NOTHING NOTHING
#define BEFORE_OPENED NOTHING
#define BEFORE_OPENED_AS(kind, nonblocking) NOTHING
#define BEFORE_OPENED_SOCKET(nonblocking) NOTHING
#define BEFORE_OPENED_COPY(fd) NOTHING
#define BEFORE_OPENED_TWO(v) NOTHING
#define BEFORE_OPENED_PAIR(v, nonblocking) NOTHING
#define BEFORE_WATCHED(epoll, op, fd, event) NOTHING
#define BEFORE_MAPPED(n) NOTHING
#define BEFORE_UNMAPPED(n) NOTHING
#define BEFORE_FCNTL(fd, command, arg) NOTHING
#define BEFORE_IOCTL(fd, request, arg) NOTHING
#define BEFORE_SOCKET_OPTION(level, option) NOTHING

/*
 * Calls that took or gave nothing when they fail with EINTR, and have no timeout among their arguments, are done again
 * when that is because of a sample.
 */
#define RETRY_PLAIN 0
#define RETRY_ON(fd) 0
#define RETRY_READ(fd, n) 1
#define RETRY_RECEIVE(fd) 1
#define RETRY_RECEIVE_FLAGS(fd, flags) 1
#define RETRY_RECEIVE_MANY(fd, n, flags) 0
#define RETRY_WRITE(fd, n) 1
#define RETRY_SEND(fd) 1
#define RETRY_SEND_FLAGS(fd, flags) 1
#define RETRY_SPLICE(in, out, flags) 1
#define RETRY_CONNECT(fd) 0
#define RETRY_WAITS(reason) 0
#define RETRY_LOOKS_UP 0
#define RETRY_WAITS_UNLESS(now, reason) 0
#define RETRY_EPOLL(fd, now) 0
#define RETRY_POLL(fds, n, now) 0
#define RETRY_EPOLL_TRIED(fd, now, trial) 0
#define RETRY_POLL_TRIED(fds, n, now, trial) 0
#define RETRY_SELECT(n, in, out, err, now) 0
#define RETRY_FORGET(fd) 0
#define REAL(again, ret, name, args) ((again) ? RETRIED((ret)-1, real.name args, (void)0) : real.name args)

/* The classes that a call is of interest for: its own, and what it changes: all that look at descriptors, the heap. */
#define CLASSES_NOTHING 0u
#define FOLLOWED (CLASS_IO | CLASS_NET | CLASS_POLL | CLASS_IPC | (uint32_t)CLASS_STDIO)
#define CLASSES_CLOSED(from, to) FOLLOWED
#define CLASSES_OPENED FOLLOWED
#define CLASSES_OPENED_AS(kind, nonblocking) FOLLOWED
#define CLASSES_OPENED_SOCKET(nonblocking) FOLLOWED
#define CLASSES_OPENED_COPY(fd) FOLLOWED
#define CLASSES_OPENED_TWO(v) FOLLOWED
#define CLASSES_OPENED_PAIR(v, nonblocking) FOLLOWED
#define CLASSES_WATCHED(epoll, op, fd, event) FOLLOWED
#define CLASSES_MAPPED(n) CLASS_HEAP
#define CLASSES_UNMAPPED(n) CLASS_HEAP
#define CLASSES_FCNTL(fd, command, arg) FOLLOWED
#define CLASSES_IOCTL(fd, request, arg) FOLLOWED
#define CLASSES_SOCKET_OPTION(level, option) RECORDING_ON

#define THRACE_CALL(class, shown, after, ret, name, params, args)                                                      \
    static __attribute__((noinline)) ret name##_emitted params                                                           \
    {                                                                                                                  \
        CALL_SCOPE(h, w);                                                                                              \
        BEFORE_##after;                                                                                                \
        if ((!(CLASSES_##after) || wrapped(CLASS_##class)) && HOOK_ENTER(h, name)) {                                   \
            __attribute__((unused)) ret(*const real_call) params = real.name;                                          \
            shown;                                                                                                     \
        }                                                                                                              \
        ret result = REAL(RETRY_##shown, ret, name, args);                                                             \
        NOTE_FAILED(w, result, (ret)-1);                                                                               \
        after;                                                                                                         \
        return result;                                                                                                 \
    }                                                                                                                  \
    EXPORT ret entry_##name params __asm__(#name);                                                                     \
    ret entry_##name params                                                                                            \
    {                                                                                                                  \
        return wrapped(CLASS_##class | CLASSES_##after) ? name##_emitted args : real.name args;                          \
    }
#define THRACE_CALL_VOID(class, shown, after, name, params, args)                                                      \
    static __attribute__((noinline)) void name##_emitted params                                                          \
    {                                                                                                                  \
        CALL_SCOPE(h, w);                                                                                              \
        BEFORE_##after;                                                                                                \
        if ((!(CLASSES_##after) || wrapped(CLASS_##class)) && HOOK_ENTER(h, name))                                     \
            shown;                                                                                                     \
        real.name args;                                                                                                \
        after;                                                                                                         \
    }                                                                                                                  \
    EXPORT void entry_##name params __asm__(#name);                                                                    \
    void entry_##name params                                                                                           \
    {                                                                                                                  \
        wrapped(CLASS_##class | CLASSES_##after) ? name##_emitted args : real.name args;                                 \
    }
#include "preload/calls.def"
