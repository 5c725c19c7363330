#include "preload/hooks/calls.h"

#include <limits.h>
#include <sys/stat.h>

#include "lib/rawsys.h"
#include "preload/objects.h"
#include "preload/readable.h"
#include "preload/short_calls.h"
#include "preload/upcalls.h"

/* --- what a call is on -------------------------------------------------------------------------------------------- */

static bool may_wait_for(const struct fd_info *info) { return info->kind > FD_OTHER; }
static bool may_wait(const struct fd_info *info) { return may_wait_for(info) && !info->nonblocking; }

static void concerns(struct hook *h, int fd, const struct fd_info *info)
{
    static const uint8_t kinds[] = {[FD_PIPE] = OBJECT_PIPE,         [FD_SOCKET] = OBJECT_SOCKET,
                                    [FD_EVENTFD] = OBJECT_EVENTFD,   [FD_TIMERFD] = OBJECT_TIMERFD,
                                    [FD_SIGNALFD] = OBJECT_SIGNALFD, [FD_QUEUE] = OBJECT_QUEUE,
                                    [FD_EPOLL] = OBJECT_EPOLL};
    h->object = (struct object){(enum object_kind)kinds[info->kind], fd, info->id};
}

/* A file or a device has no id of its own: where it is says which it is, whatever the number stood for before. */
static void concerns_file(struct hook *h, int fd)
{
    struct stat st;
    if (sys_failed(raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0)) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
        !(st.st_mode & S_IFMT))
        return;
    uint64_t id = (uint64_t)st.st_ino + (uint64_t)st.st_dev * UINT64_C(0xff51afd7ed558ccd);
    h->object = (struct object){OBJECT_FILE, fd, id * UINT64_C(0x9e3779b97f4a7c15) >> 8 | 1};
}

static void find_object(struct hook *h, int fd)
{
    struct fd_info info = fd_lookup(fd);
    if (may_wait_for(&info))
        concerns(h, fd, &info);
    else if (info.kind == FD_OTHER)
        concerns_file(h, fd);
}

/* Where nothing is recorded, the program may have forbidden system calls. Of a call that may be short, at its end. */
void call_concerns(struct hook *h, struct wait *w, int fd)
{
    if (config.min_call)
        w->on = fd + 1;
    else if (recording())
        find_object(h, fd);
}

/* Bytes of meta records that call_stack may need. */
static inline size_t call_stack_room(void)
{
    return unlikely(config.call_objects) ? WAIT_STACK_RECORDS_MAX : STACK_RECORD_MAX;
}

/* Out of a section: what is said of the object. */
static void capture(struct hook *h)
{
    hook_capture(h);
    if (unlikely(config.call_objects) && object_is_descriptor(h->object.kind) && !h->no_stack && recording())
        object_describe(h->t, &h->object, hook_known_stack(h));
}

static inline uint64_t call_stack(struct hook *h)
{
    return unlikely(config.call_objects) ? hook_wait_stack(h) : hook_stack(h);
}

/* --- calls ---------------------------------------------------------------------------------------------------------- */

/* The end of such a call: shows all of it, or counts it. */
static void end_deferred(struct wait *w)
{
    struct hook *h = w->call;
    struct thread *t = h->t;
    uint64_t end = now();
    if (end - w->since < config.min_call) {
        short_calls_count(&t->short_calls, h->stack.leaf, 1, end - w->since);
        return;
    }
    if (!hook_enter(h))
        return;
    if (unlikely(w->on) && recording())
        find_object(h, w->on - 1);
    capture(h);
    if (section_enter(t, call_stack_room() + SCHED_TRANSITION_MAX + CALL_ERROR_ROOM, LOST_CALL)) {
        if (!sched_syscall_begin(&recorder.sched, &t->sched, call_stack(h), w->since))
            count_lost(LOST_CALL, LOSS_STATE);
        else if (sched_syscall_end(&recorder.sched, &t->sched, end) && w->error) /* if not now, then at the next hook */
            upcalls.call_failed(t, w->error);
        section_leave(t);
    }
    hook_leave(h);
}

static void begin_deferred(struct hook *h, struct wait *w)
{
    w->t = h->t;
    w->end = end_deferred;
    w->call = h;
    w->since = now();
}

static void begin(struct hook *h, struct wait *w)
{
    struct thread *t = h->t;
    if (unlikely(config.min_call)) {
        begin_deferred(h, w);
        return;
    }
    capture(h);
    if (section_enter(t, call_stack_room(), LOST_CALL)) {
        if (sched_syscall_begin(&recorder.sched, &t->sched, call_stack(h), now()))
            w->t = t;
        else
            count_lost(LOST_CALL, LOSS_STATE);
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

/* Nothing is recorded: what the call waits for is of no interest. True: that was all. */
static bool only_tracked(struct hook *h, struct wait *w, bool waits)
{
    if (likely(recording()))
        return false;
    if (waits)
        call_wait(h, w, REASON_SELECT);
    else
        call_begin(h, w);
    return true;
}

/* --- descriptors -------------------------------------------------------------------------------------------------- */

/* poll(2) is the faster of the two; not every architecture has it. */
static long poll_now(struct pollfd *fds, nfds_t n)
{
#ifdef SYS_poll
    return raw_syscall(SYS_poll, (long)fds, (long)n, 0, 0, 0, 0);
#else
    static const struct timespec now;
    return raw_syscall(SYS_ppoll, (long)fds, (long)n, (long)&now, 0, 0, 0);
#endif
}

/* A signal may interrupt even this; its handler has run, and the kernel is asked again. */
static bool any_ready(struct pollfd *fds, nfds_t n)
{
    long r;
    while ((r = poll_now(fds, n)) == -EINTR)
        ;
    return r != 0;
}

static bool is_ready(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return any_ready(&p, 1);
}

/*
 * Registered before the look at it, so that a write in between is not missed. id 0: nobody can end this wait. One look
 * at the price of a system call; the wait that mostly follows costs ten times as much.
 */
static void wait_for_fd(struct hook *h, struct wait *w, int fd, short events, const struct fd_info *info, uint64_t id,
                        enum waiter_kind kind, enum sched_reason reason)
{
    concerns(h, fd, info);
    if (id)
        wait_register(h, fd_object(id), kind);
    for (int look = 0; look < MAX_SECOND_LOOKS && !is_ready(fd, events); look++)
        if (wait_block(h, w, reason))
            return;
    wait_forget(h);
    call_begin(h, w);
}

static enum wait_found wake(struct hook *h, uint64_t id, enum waiter_kind kind)
{
    bool any = id && waitq_maybe_waiting(&recorder.waits, fd_object(id));
    return any ? wake_one(h, fd_object(id), kind) : WAIT_NOBODY;
}

/*
 * True: what is sent to was empty, as the receiver had looked and was asleep. One that watches by epoll may sleep
 * before what it has left there; only an eventfd has room then all the same.
 */
static bool wake_receiver(struct hook *h, const struct fd_info *info)
{
    if (!info->peer)
        return false;
    enum wait_found reader = wake(h, info->peer, WAITER_READER);
    if (reader != WAIT_NOBODY)
        return reader == WAIT_FOUND;
    bool polled = wake(h, fd_poller(info->peer), WAITER_READER) == WAIT_FOUND;
    bool watched = wake(h, fd_watcher(info->peer), WAITER_LATEST) == WAIT_FOUND;
    return polled || (watched && info->kind == FD_EVENTFD);
}

/*
 * Who sends waits for room, and only where the least that is taken out makes enough for it can one receiver be said to
 * have ended the wait: an eventfd, a queue of messages, a full pipe of which a page is read for a write that is atomic.
 * Sockets let a sender go on when a good part of their buffer is free.
 */
static bool is_slot_of_messages(enum fd_kind kind) { return kind == FD_EVENTFD || kind == FD_QUEUE; }

static void receive(struct hook *h, struct wait *w, int fd, size_t n, enum call_manner manner)
{
    static const enum sched_reason reasons[] = {[FD_SOCKET] = REASON_NETWORK, [FD_TIMERFD] = REASON_SLEEP,
                                                [FD_SIGNALFD] = REASON_SELECT, [FD_PIPE] = REASON_CHAN_RECEIVE,
                                                [FD_EVENTFD] = REASON_CHAN_RECEIVE, [FD_QUEUE] = REASON_CHAN_RECEIVE,
                                                [FD_EPOLL] = REASON_SELECT};
    if (only_tracked(h, w, false))
        return;
    struct fd_info info = fd_lookup(fd);
    if (is_slot_of_messages(info.kind) || (info.kind == FD_PIPE && n >= PIPE_BUF))
        wake(h, info.peer, WAITER_WRITER);
    if (manner & CALL_NOW || !may_wait(&info))
        call_on(h, w, fd);
    else
        wait_for_fd(h, w, fd, POLLIN, &info, manner & CALL_IN_PARTS ? 0 : info.id, WAITER_READER, reasons[info.kind]);
}

static void send_to(struct hook *h, struct wait *w, int fd, size_t n, enum call_manner manner)
{
    if (only_tracked(h, w, false))
        return;
    struct fd_info info = fd_lookup(fd);
    bool has_room = (n || info.kind == FD_SOCKET) && wake_receiver(h, &info);
    if (has_room || manner & CALL_NOW || !may_wait(&info)) {
        call_on(h, w, fd);
        return;
    }
    bool helped_by_one = is_slot_of_messages(info.kind) || (info.kind == FD_PIPE && !(manner & CALL_IN_PARTS));
    wait_for_fd(h, w, fd, POLLOUT, &info, helped_by_one ? info.id : 0, WAITER_WRITER,
                info.kind == FD_SOCKET ? REASON_NETWORK : REASON_CHAN_SEND);
}

void call_receive(struct hook *h, struct wait *w, int fd, enum call_manner manner) { receive(h, w, fd, 0, manner); }
void call_read(struct hook *h, struct wait *w, int fd, size_t n) { receive(h, w, fd, n, 0); }
void call_send(struct hook *h, struct wait *w, int fd, enum call_manner manner) { send_to(h, w, fd, 1, manner); }

void call_write(struct hook *h, struct wait *w, int fd, size_t n)
{
    send_to(h, w, fd, n, n > PIPE_BUF ? CALL_IN_PARTS : 0);
}

/* What is there already goes to the receiver at once; what comes later does at a time that nobody here sees. */
void call_splice(struct hook *h, struct wait *w, int in, int out, enum call_manner manner)
{
    if (only_tracked(h, w, false))
        return;
    struct fd_info info = fd_lookup(out);
    if (info.peer && is_ready(in, POLLIN))
        wake_receiver(h, &info);
    call_receive(h, w, in, manner);
}

void call_connect(struct hook *h, struct wait *w, int fd)
{
    if (only_tracked(h, w, false))
        return;
    struct fd_info info = fd_lookup(fd);
    if (may_wait(&info)) {
        concerns(h, fd, &info);
        call_wait(h, w, REASON_NETWORK);
    } else {
        call_on(h, w, fd);
    }
}

/* --- many descriptors at once ------------------------------------------------------------------------------------- */

/* The kernel wakes the thread that came last. */
void call_epoll(struct hook *h, struct wait *w, int epoll, bool now)
{
    if (only_tracked(h, w, !now))
        return;
    struct fd_info info = fd_lookup(epoll);
    if (now || info.kind != FD_EPOLL)
        call_on(h, w, epoll);
    else
        wait_for_fd(h, w, epoll, POLLIN, &info, info.id, WAITER_LATEST, REASON_SELECT);
}

/*
 * A poll is an object of its own, which a write to any of its descriptors looks up. Its id is never used again: what is
 * left of it in the table finds nobody.
 */
static void polled(uint64_t *poll, int fd)
{
    struct fd_info info = fd_lookup(fd);
    if (info.peer)
        fd_polled(info.id, *poll ? *poll : (*poll = fd_new_id()));
}

/* Nothing was ready. Registered, if somebody could end the wait, before each further look. */
static void wait_for_poll(struct hook *h, struct wait *w, uint64_t poll, bool (*ready)(const void *), const void *what)
{
    if (!h->object.kind)
        hook_waits_for(h, OBJECT_FDS, NULL);
    if (!poll) {
        call_wait(h, w, REASON_SELECT);
        return;
    }
    wait_register(h, fd_object(poll), WAITER_READER);
    for (int look = 0; look < MAX_SECOND_LOOKS && !ready(what); look++)
        if (wait_block(h, w, REASON_SELECT))
            return;
    wait_forget(h);
    call_begin(h, w);
}

/* The array can be read: the kernel has done so. Who waits for one descriptor waits for that. */
static uint64_t polled_by(struct hook *h, const struct pollfd *fds, nfds_t n)
{
    uint64_t poll = 0;
    hook_waits_for(h, OBJECT_FDS, NULL);
    if (n == 1 && fds->fd >= 0) {
        struct fd_info info = fd_lookup(fds->fd);
        if (may_wait_for(&info))
            concerns(h, fds->fd, &info);
    }
    for (nfds_t i = 0; n <= POLL_LOOK_MAX && i < n; i++)
        if (fds[i].fd >= 0 && fds[i].events & POLLIN)
            polled(&poll, fds[i].fd);
    return poll;
}

struct array {
    struct pollfd *fds;
    nfds_t n;
};

static bool look_at_array(const void *what)
{
    const struct array *a = what;
    return any_ready(a->fds, a->n);
}

/* Asks with the program's own array: the real call fills it in anew, and the kernel knows whether it is one. */
void call_poll(struct hook *h, struct wait *w, struct pollfd *fds, nfds_t n, bool now)
{
    if (only_tracked(h, w, !now))
        return;
    if (now || (n <= POLL_LOOK_MAX && any_ready(fds, n))) {
        call_begin(h, w);
        return;
    }
    wait_for_poll(h, w, polled_by(h, fds, n), look_at_array, &(struct array){fds, n});
}

bool call_tries(struct hook *h, struct wait *w, bool now)
{
    if (only_tracked(h, w, !now))
        return false;
    if (now) {
        call_begin(h, w);
        return false;
    }
    begin_deferred(h, w);
    hook_leave(h);
    return true;
}

/*
 * After a trial that found nothing. What arrives between that and the entry as a waiter ends the wait at once, unseen.
 */
static void waits(struct hook *h, struct wait *w, uint64_t id, enum waiter_kind kind)
{
    if (id)
        wait_register(h, fd_object(id), kind);
    while (!wait_block(h, w, REASON_SELECT))
        ;
}

static bool tried_in_vain(struct hook *h, struct wait *w)
{
    *w = (struct wait){.t = NULL};
    return hook_enter(h);
}

void call_epoll_waits(struct hook *h, struct wait *w, int epoll)
{
    if (tried_in_vain(h, w)) {
        struct fd_info info = fd_lookup(epoll);
        concerns(h, epoll, &info);
        waits(h, w, info.id, WAITER_LATEST);
    }
}

void call_poll_waits(struct hook *h, struct wait *w, const struct pollfd *fds, nfds_t n)
{
    if (tried_in_vain(h, w))
        waits(h, w, polled_by(h, fds, n), WAITER_READER);
}

/* The sets; false when they cannot be read, or are larger than an fd_set. */
static bool copy_sets(int n, fd_set *const from[3], fd_set copies[3], fd_set *to[3])
{
    if (n < 0 || n > FD_SETSIZE)
        return false;
    size_t bytes = ((size_t)n + 63) / 64 * 8;
    for (int i = 0; i < 3; i++) {
        to[i] = from[i] ? &copies[i] : NULL;
        if (from[i] && copy_readable(to[i], (uintptr_t)from[i], bytes) != bytes)
            return false;
    }
    return true;
}

static bool select_ready(int n, fd_set *const from[3])
{
    static const struct timespec now;
    fd_set copies[3], *sets[3];
    long r;
    do {
        if (!copy_sets(n, from, copies, sets))
            return false;
        r = raw_syscall(SYS_pselect6, n, (long)sets[0], (long)sets[1], (long)sets[2], (long)&now, 0);
    } while (r == -EINTR);
    return r > 0;
}

struct sets {
    int n;
    fd_set *const *v;
};

static bool look_at_sets(const void *what)
{
    const struct sets *s = what;
    return select_ready(s->n, s->v);
}

void call_select(struct hook *h, struct wait *w, int n, fd_set *const sets[3], bool now)
{
    fd_set copies[3], *copied[3];
    uint64_t poll = 0;
    if (only_tracked(h, w, !now))
        return;
    if (now || select_ready(n, sets)) {
        call_begin(h, w);
        return;
    }
    if (copy_sets(n, sets, copies, copied) && copied[0])
        for (int fd = 0; fd < n; fd++)
            if (FD_ISSET(fd, copied[0]))
                polled(&poll, fd);
    wait_for_poll(h, w, poll, look_at_sets, &(struct sets){n, sets});
}
