#include "preload/calls.h"

#include "preload/fds.h"

static SLOW void begin_unshown(struct hook *h, struct wait *w)
{
    w->t = h->t;
    w->call = h;
    w->since = now();
}

void call_end_unshown(struct wait *w)
{
    struct hook *h = w->call;
    struct thread *t = h->t;
    uint64_t end = now();
    if (end - w->since < tracer.min_call) {
        short_calls_count(&t->short_calls, h->stack.leaf, 1, end - w->since);
        return;
    }
    if (!hook_enter(h))
        return;
    hook_capture(h);
    if (section_enter(t, STACK_RECORD_MAX + SCHED_TRANSITION_MAX)) {
        if (!sched_syscall_begin(&tracer.sched, &t->sched, hook_stack(h), w->since) ||
            !sched_syscall_end(&tracer.sched, &t->sched, end))
            count_lost();
        section_leave(t);
    }
    hook_leave(h);
}

static void begin(struct hook *h, struct wait *w)
{
    struct thread *t = h->t;
    if (unlikely(tracer.min_call)) {
        begin_unshown(h, w);
        return;
    }
    hook_capture(h);
    if (section_enter(t, STACK_RECORD_MAX)) {
        if (sched_syscall_begin(&tracer.sched, &t->sched, hook_stack(h), now()))
            w->t = t;
        else
            count_lost();
        section_leave(t);
    }
}

void call_begin(struct hook *h, struct wait *w)
{
    if (likely(!wait_track(h, w, GO_SYSCALL)))
        begin(h, w);
    hook_leave(h);
}

void call_wait(struct hook *h, struct wait *w, enum sched_reason reason) { wait_block(h, w, reason); }

static bool is_ready(int fd, short events)
{
    static const struct timespec now;
    struct pollfd p = {.fd = fd, .events = events};
    return raw_syscall(SYS_ppoll, (long)&p, 1, (long)&now, 0, 0, 0) != 0;
}

/* Registered before the last look at it, so that a write in between is not missed. */
static void wait_for_fd(struct hook *h, struct wait *w, int fd, short events, const struct fd_info *info,
                        enum sched_reason reason)
{
    if (is_ready(fd, events)) {
        call_begin(h, w);
        return;
    }
    wait_register(h, fd_object(info->id), events == POLLIN ? WAITER_READER : WAITER_WRITER);
    for (int look = 0; look < MAX_SECOND_LOOKS && !is_ready(fd, events); look++)
        if (wait_block(h, w, reason))
            return;
    wait_forget(h);
    call_begin(h, w);
}

static enum sched_reason receive_reason(enum fd_kind kind)
{
    switch (kind) {
    case FD_SOCKET: return REASON_NETWORK;
    case FD_TIMERFD: return REASON_SLEEP;
    case FD_SIGNALFD: return REASON_SELECT;
    default: return REASON_CHAN_RECEIVE;
    }
}

static bool may_wait(const struct fd_info *info) { return info->kind > FD_OTHER && !info->nonblocking; }

/* What was read makes room for who writes. */
static void wake_sender(struct hook *h, const struct fd_info *info)
{
    if (info->id && waitq_maybe_waiting(&tracer.waits, fd_object(info->id)))
        wake_one(h, fd_object(info->id), WAITER_WRITER);
}

void call_receive(struct hook *h, struct wait *w, int fd, bool nonblocking)
{
    struct fd_info info = fd_look(fd);
    wake_sender(h, &info);
    if (nonblocking || !may_wait(&info))
        call_begin(h, w);
    else
        wait_for_fd(h, w, fd, POLLIN, &info, receive_reason(info.kind));
}

static void wake_receiver(struct hook *h, const struct fd_info *info)
{
    if (!info->peer)
        return;
    if (waitq_maybe_waiting(&tracer.waits, fd_object(info->peer)) &&
        wake_one(h, fd_object(info->peer), WAITER_READER))
        return;
    uint64_t epoll = fd_watcher(info->peer);
    if (epoll && waitq_maybe_waiting(&tracer.waits, fd_object(epoll)))
        wake_one(h, fd_object(epoll), WAITER_READER);
}

void call_wake_receiver(struct hook *h, int fd)
{
    struct fd_info info = fd_look(fd);
    wake_receiver(h, &info);
}

void call_send(struct hook *h, struct wait *w, int fd, bool nonblocking)
{
    struct fd_info info = fd_look(fd);
    wake_receiver(h, &info);
    if (nonblocking || !may_wait(&info))
        call_begin(h, w);
    else
        wait_for_fd(h, w, fd, POLLOUT, &info, info.kind == FD_SOCKET ? REASON_NETWORK : REASON_CHAN_SEND);
}

void call_connect(struct hook *h, struct wait *w, int fd)
{
    struct fd_info info = fd_look(fd);
    if (may_wait(&info))
        call_wait(h, w, REASON_NETWORK);
    else
        call_begin(h, w);
}

void call_epoll(struct hook *h, struct wait *w, int epoll, bool now)
{
    struct fd_info info = fd_look(epoll);
    if (now || info.kind != FD_EPOLL)
        call_begin(h, w);
    else
        wait_for_fd(h, w, epoll, POLLIN, &info, REASON_SELECT);
}

enum { POLL_LOOK_MAX = 16 };

/* The first descriptor that another thread of this process could write to from the other end. */
static uint64_t local_end(const struct pollfd *fds, nfds_t n)
{
    for (nfds_t i = 0; i < n; i++) {
        if (fds[i].fd < 0 || !(fds[i].events & POLLIN))
            continue;
        struct fd_info info = fd_look(fds[i].fd);
        if (info.peer)
            return info.id;
    }
    return 0;
}

/* Looks with the program's own array: the real call fills it in anew, and the kernel knows whether it is one. */
static bool any_ready(struct pollfd *fds, nfds_t n)
{
    static const struct timespec now;
    return raw_syscall(SYS_ppoll, (long)fds, (long)n, (long)&now, 0, 0, 0) != 0;
}

void call_poll(struct hook *h, struct wait *w, struct pollfd *fds, nfds_t n, bool now)
{
    if (now || (n <= POLL_LOOK_MAX && any_ready(fds, n))) {
        call_begin(h, w);
        return;
    }
    uint64_t id = n <= POLL_LOOK_MAX ? local_end(fds, n) : 0;
    if (!id) {
        call_wait(h, w, REASON_SELECT);
        return;
    }
    wait_register(h, fd_object(id), WAITER_READER);
    for (int look = 0; look < MAX_SECOND_LOOKS && !any_ready(fds, n); look++)
        if (wait_block(h, w, REASON_SELECT))
            return;
    wait_forget(h);
    call_begin(h, w);
}
