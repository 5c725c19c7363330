/*
 * How a system call is shown. A wrapper enters the hook, calls one of these, which leaves it, and does the real call;
 * the end of its WAIT_SCOPE ends what they began.
 */
#ifndef THRACE_PRELOAD_HOOKS_CALLS_H
#define THRACE_PRELOAD_HOOKS_CALLS_H

#include <errno.h>
#include <poll.h>
#include <sys/select.h>

#include "lib/options/options.h"
#include "preload/hooks/fds.h"
#include "preload/wrapper.h"

/* The hook and the wait of one call, by pointers h and w. */
#define CALL_SCOPE(h, w)                                                                                               \
    WAIT_SCOPE w##_scope = {.t = NULL};                                                                                \
    struct wait *const w = &w##_scope;                                                                                 \
    struct hook h##_storage, *const h = &h##_storage

/* The result is the one that says that the call failed: the end of the scope shows its errno. Keeps that as it is. */
#define NOTE_FAILED(w, result, failed)                                                                                 \
    do {                                                                                                               \
        if (unlikely((result) == (failed)) && !(w)->own_errors)                                                        \
            (w)->error = error_to_show(errno);                                                                         \
    } while (0)

static inline int error_to_show(int error)
{
    return config.errors == ERRORS_ALL || (config.errors == ERRORS_MOST && error != EAGAIN) ? error : 0;
}

/*
 * A system call: the thread keeps its P, until another one needs it. With a minimal length (THRACE_MIN_CALL) nothing is
 * written before it has ended; it looks like running until then.
 */
void call_begin(struct hook *h, struct wait *w);

/* The same on a descriptor, which is in front of the stack if THRACE_CALL_OBJECTS asks for it. */
void call_concerns(struct hook *h, struct wait *w, int fd);
static inline void call_on(struct hook *h, struct wait *w, int fd)
{
    if (unlikely(config.call_objects))
        call_concerns(h, w, fd);
    call_begin(h, w);
}

/* A wait, for whatever the reason says. */
void call_wait(struct hook *h, struct wait *w, enum sched_reason reason);

/*
 * To receive from the descriptor, or send to it. When it is a blocking one and a poll says that it would wait, the call
 * is a wait, else a system call. The kernel is asked by poll and not by trying, because a trial would end in a short
 * read or a partial write where the program asked for a full one.
 */
enum call_manner {
    CALL_NOW = 1,      /* does not wait, whatever the descriptor says */
    CALL_IN_PARTS = 2, /* what wakes it may not be enough for it: nobody is said to have ended its wait */
};
void call_receive(struct hook *h, struct wait *w, int fd, enum call_manner manner);
void call_send(struct hook *h, struct wait *w, int fd, enum call_manner manner);
void call_connect(struct hook *h, struct wait *w, int fd);

/* The same for n bytes, which say whether it makes room for a sender, or can be helped by one receiver. */
void call_read(struct hook *h, struct wait *w, int fd, size_t n);
void call_write(struct hook *h, struct wait *w, int fd, size_t n);
void call_splice(struct hook *h, struct wait *w, int in, int out, enum call_manner manner);

/* For polling: `now` says that the call will not wait. */
void call_epoll(struct hook *h, struct wait *w, int epoll, bool now);
void call_poll(struct hook *h, struct wait *w, struct pollfd *fds, nfds_t n, bool now);
void call_select(struct hook *h, struct wait *w, int n, fd_set *const sets[3], bool now);

/*
 * For polling by a call that can itself be asked not to wait: it is, and only when it finds nothing does it wait. True:
 * do that, and then, after the trial, the second one says what the call waits for. If the trial had a result, it was
 * the call, and the end of the scope shows it. False: the real call is all there is to do.
 */
bool call_tries(struct hook *h, struct wait *w, bool now);
void call_epoll_waits(struct hook *h, struct wait *w, int epoll);
void call_poll_waits(struct hook *h, struct wait *w, const struct pollfd *fds, nfds_t n);
enum { POLL_LOOK_MAX = 16 }; /* descriptors that are looked at one by one */

/* --- the words of calls.def and syscalls.def, where h and w are in scope ------------------------------------------ */

#define PLAIN call_begin(h, w)
#define ON(fd) call_on(h, w, (int)(fd))
#define RECEIVE(fd) call_receive(h, w, fd, 0)
#define RECEIVE_FLAGS(fd, flags) call_receive(h, w, fd, manner_of(flags))
#define RECEIVE_MANY(fd, n, flags)                                                                                     \
    call_receive(h, w, fd, manner_of(flags) | ((n) > 1 && !((flags) & MSG_WAITFORONE) ? CALL_IN_PARTS : 0))
#define READ(fd, n) (fd_is_other(fd) ? call_on(h, w, fd) : call_read(h, w, fd, n))
#define SEND(fd) call_send(h, w, fd, CALL_IN_PARTS)
#define SEND_FLAGS(fd, flags) call_send(h, w, fd, (flags) & MSG_DONTWAIT ? CALL_NOW : CALL_IN_PARTS)
#define WRITE(fd, n) (fd_is_other(fd) ? call_on(h, w, fd) : call_write(h, w, fd, n))
#define SPLICE(in, out, flags) call_splice(h, w, in, out, (flags) & SPLICE_F_NONBLOCK ? CALL_NOW : 0)
#define CONNECT(fd) call_connect(h, w, fd)
#define WAITS(reason) call_wait(h, w, REASON_##reason)
#define LOOKS_UP ((w)->own_errors = true, call_wait(h, w, REASON_NETWORK))
#define WAITS_UNLESS(now, reason) ((now) ? call_begin(h, w) : call_wait(h, w, REASON_##reason))
#define EPOLL(fd, now) call_epoll(h, w, fd, now)
#define POLL(fds, n, now) call_poll(h, w, fds, n, now)
#define EPOLL_TRIED(fd, now, trial) TRIED(now, trial, call_epoll_waits(h, w, fd))
#define POLL_TRIED(fds, n, now, trial)                                                                                 \
    if ((n) > POLL_LOOK_MAX)                                                                                           \
        call_poll(h, w, fds, n, now);                                                                                  \
    else                                                                                                               \
        TRIED(now, trial, call_poll_waits(h, w, fds, n))
#define TRIED(now, trial, waits)                                                                                       \
    if (call_tries(h, w, now)) {                                                                                       \
        int found_ = real_call trial;                                                                                  \
        NOTE_FAILED(w, found_, -1);                                                                                    \
        if (found_)                                                                                                    \
            return found_;                                                                                             \
        waits;                                                                                                         \
    }
#define SELECT(n, in, out, err, now) call_select(h, w, n, (fd_set *const[]){in, out, err}, now)
#define FORGET(fd) fd_closed((unsigned)(fd), (unsigned)(fd)), call_begin(h, w)

static inline enum call_manner manner_of(int flags)
{
    return (flags & MSG_DONTWAIT ? CALL_NOW : 0) | (flags & MSG_WAITALL ? CALL_IN_PARTS : 0);
}

#endif
