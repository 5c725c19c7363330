/*
 * How a system call is shown. A wrapper enters the hook, calls one of these, which leaves it, and does the real call;
 * the end of its WAIT_SCOPE ends what they began.
 */
#ifndef THRACE_PRELOAD_CALLS_H
#define THRACE_PRELOAD_CALLS_H

#include <poll.h>

#include "preload/fds.h"
#include "preload/hook.h"

/* The hook and the wait of one call, by pointers h and w. */
#define CALL_SCOPE(h, w)                                                                                               \
    WAIT_SCOPE w##_scope = {.t = NULL};                                                                                \
    struct wait *const w = &w##_scope;                                                                                 \
    struct hook h##_storage, *const h = &h##_storage

/*
 * A system call: the thread keeps its P, until another one needs it. With a minimal length (THRACE_MIN_CALL) nothing is
 * written before it has ended; it looks like running until then.
 */
void call_begin(struct hook *h, struct wait *w);

/* The end of such a call: shows all of it, or counts it. */
void call_end_unshown(struct wait *w);

/* A wait, for whatever the reason says. */
void call_wait(struct hook *h, struct wait *w, enum sched_reason reason);

/*
 * To receive from the descriptor, or send to it. When it is a blocking one and a poll says that it would wait, the call
 * is a wait, else a system call. The kernel is asked by poll and not by trying, because a trial would end in a short
 * read or a partial write where the program asked for a full one.
 */
void call_receive(struct hook *h, struct wait *w, int fd, bool nonblocking);
void call_send(struct hook *h, struct wait *w, int fd, bool nonblocking);
void call_connect(struct hook *h, struct wait *w, int fd);

/* For polling: `now` says that the call will not wait. */
void call_epoll(struct hook *h, struct wait *w, int epoll, bool now);
void call_poll(struct hook *h, struct wait *w, struct pollfd *fds, nfds_t n, bool now);

/* The calling thread makes the descriptor readable at its other end: wakes who receives or polls there. */
void call_wake_receiver(struct hook *h, int fd);

/* --- the words of calls.def and syscalls.def, where h and w are in scope ------------------------------------------- */

#define PLAIN call_begin(h, w)
#define RECEIVE(fd) call_receive(h, w, fd, false)
#define RECEIVE_FLAGS(fd, flags) call_receive(h, w, fd, (flags) & MSG_DONTWAIT)
#define SEND(fd) call_send(h, w, fd, false)
#define SEND_FLAGS(fd, flags) call_send(h, w, fd, (flags) & MSG_DONTWAIT)
#define SPLICE(in, out, flags) call_wake_receiver(h, out), call_receive(h, w, in, (flags) & SPLICE_F_NONBLOCK)
#define CONNECT(fd) call_connect(h, w, fd)
#define WAITS(reason) call_wait(h, w, REASON_##reason)
#define WAITS_UNLESS(now, reason) ((now) ? call_begin(h, w) : call_wait(h, w, REASON_##reason))
#define EPOLL(fd, now) call_epoll(h, w, fd, now)
#define POLL(fds, n, now) call_poll(h, w, fds, n, now)
#define CLOSE(from, to) fd_closed((unsigned)(from), (unsigned)(to)), call_begin(h, w)

#endif
