/*
 * The thread that listens. Like the helper it blocks the program's signals and has a file table of its own, so that the
 * socket is no descriptor of the program's, and no child inherits it.
 */
#include "preload/session/control.h"

#include <linux/prctl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/control.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/session/helper.h"
#include "preload/session/own_spool.h"
#include "preload/session/privileges.h"
#include "preload/session/snapshot.h"
#include "preload/session/start.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"

static struct {
    struct lock lock;
    pthread_t thread;
    uint32_t running;
    uint32_t stop;
    uint32_t wanted;
    int listener; /* a descriptor of the thread's own */
    bool (*end)(char *spool); /* all that was attached; NULL: nothing was */
    struct sockaddr_un address;
    socklen_t len;
    uint32_t turn; /* counts the threads: one may still answer when the next one is there */
    uint32_t said_before; /* the last line that was kept of a recording before this one (say.h) */
} control;

static void make_address(void)
{
    char name[CONTROL_NAME_MAX];
    size_t len = control_name(name, (uint32_t)sys_getpid(), process_start_time());
    memset(&control.address, 0, sizeof control.address);
    control.address.sun_family = AF_UNIX;
    memcpy(control.address.sun_path + 1, name, len);
    control.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

static int listen_there(void)
{
    long fd = raw_syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (sys_failed(fd))
        return (int)fd;
    long err = raw_syscall(SYS_bind, fd, (long)&control.address, control.len, 0, 0, 0);
    if (!sys_failed(err))
        err = raw_syscall(SYS_listen, fd, 8, 0, 0, 0, 0);
    if (sys_failed(err)) {
        sys_close((int)fd);
        return (int)err;
    }
    return (int)fd;
}

/* Whose user the kernel says it is: the process's own, or root. */
static bool may_control(int fd)
{
    struct ucred who;
    socklen_t len = sizeof who;
    if (sys_failed(raw_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&who, (long)&len, 0)))
        return false;
    return who.uid == 0 || who.uid == (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* This thread goes, too, and nobody waits for it: from here on the next one may come. */
static bool detach(char *spool)
{
    if (!control.end || !control.end(spool))
        return false;
    pthread_detach(pthread_self());
    privileges_gone(PRIVILEGES_OF_CONTROL);
    sys_close(control.listener);
    __atomic_store_n(&control.running, 0, __ATOMIC_RELEASE);
    return true;
}

/* A spool that the command made is reported instead of the one that is recorded to afterwards. */
static void carry_out(uint32_t verb, struct control_reply *r)
{
    static char spool[SPOOL_PATH_MAX];
    *spool = 0;
    switch (verb) {
    case CONTROL_STATUS: break;
    case CONTROL_START: r->error = session_start(); break;
    case CONTROL_STOP: r->error = session_stop_reporting(spool) ? 0 : -EALREADY; break;
    case CONTROL_SNAPSHOT: r->error = session_snapshot(spool); break;
    case CONTROL_DETACH: r->error = detach(spool) ? 0 : -EOPNOTSUPP; break;
    default: r->error = -EOPNOTSUPP; break;
    }
    session_describe(r);
    if (*spool)
        strcpy(r->spool, spool);
}

/* after: the number of the last line that who asks has been told. */
static void tell(uint32_t after, struct control_reply *r)
{
    uint32_t last = say_last();
    after = after == CONTROL_SAID_LAST ? last - (last > 0) : after;
    after = after < control.said_before ? control.said_before : after;
    r->said_number = says_nothing_aloud() ? say_to_who_asks(after, r->said, sizeof r->said) : 0;
}

/* False: that was the last one. */
static bool serve(int fd, uint32_t turn)
{
    static struct control_reply replies[2]; /* larger than this stack should carry */
    struct control_reply *const reply = &replies[turn % 2];
    static const struct timeval patience = {5, 0}; /* who has connected may get no processor for a while */
    struct control_request q;
    raw_syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&patience, sizeof patience, 0);
    raw_syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&patience, sizeof patience, 0);
    memset(reply, 0, sizeof *reply);
    reply->magic = CONTROL_MAGIC;
    reply->version = CONTROL_VERSION;
    if (!may_control(fd) || sys_read(fd, &q, sizeof q) != sizeof q || q.magic != CONTROL_MAGIC)
        return true;
    if (q.version == CONTROL_VERSION) {
        carry_out(q.verb, reply);
        tell(q.said_number, reply);
    } else {
        reply->error = -EPROTO;
    }
    raw_syscall(SYS_sendto, fd, (long)reply, sizeof *reply, MSG_NOSIGNAL, 0, 0);
    return q.verb != CONTROL_DETACH || reply->error;
}

static void *control_main(void *arg)
{
    helper_settle("thrace-ctl");
    int fd = control.listener = listen_there();
    privileges_adopt(PRIVILEGES_OF_CONTROL); /* of what was wanted before there was anything to wake us by */
    const uint32_t turn = control.turn;
    bool goes_on = true;
    while (fd >= 0 && goes_on && !__atomic_load_n(&control.stop, __ATOMIC_ACQUIRE)) {
        long client = raw_syscall(SYS_accept4, fd, 0, 0, SOCK_CLOEXEC, 0, 0);
        if (sys_failed(client)) {
            static const struct timespec moment = {0, 10000000};
            if (client != -EINTR && client != -ECONNABORTED)
                raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
            continue;
        }
        privileges_adopt(PRIVILEGES_OF_CONTROL);
        if (!__atomic_load_n(&control.stop, __ATOMIC_ACQUIRE))
            goes_on = serve((int)client, turn);
        sys_close((int)client);
    }
    if (goes_on)
        privileges_gone(PRIVILEGES_OF_CONTROL);
    return NULL;
}

/* A connection is what it waits for. */
static void wake_listener(void)
{
    long fd = raw_syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
    if (sys_failed(fd))
        return;
    raw_syscall(SYS_connect, fd, (long)&control.address, control.len, 0, 0, 0);
    sys_close((int)fd);
}

/* It looks at what it is to be (privileges.h). Takes a descriptor for a moment. */
static bool control_wake(void)
{
    bool running = __atomic_load_n(&control.running, __ATOMIC_ACQUIRE);
    if (running)
        wake_listener();
    return running;
}

void control_enable(void) { __atomic_store_n(&control.wanted, 1, __ATOMIC_RELEASE); }
void control_disable(void) { __atomic_store_n(&control.wanted, 0, __ATOMIC_RELEASE); }
bool control_listens(void) { return __atomic_load_n(&control.running, __ATOMIC_ACQUIRE); }
void control_may_detach(bool (*end)(char *spool)) { control.end = end; }

void control_start(void)
{
    if (!__atomic_load_n(&control.wanted, __ATOMIC_ACQUIRE) || __atomic_load_n(&control.running, __ATOMIC_ACQUIRE) ||
        !lock_try(&control.lock))
        return;
    if (!control.running && __atomic_load_n(&control.wanted, __ATOMIC_ACQUIRE)) { /* still, after it was running */
        make_address();
        control.stop = 0;
        control.said_before = say_last();
        control.turn++;
        privileges_inherited(PRIVILEGES_OF_CONTROL, control_wake);
        if (helper_create(&control.thread, control_main))
            __atomic_store_n(&control.running, 1, __ATOMIC_RELEASE);
        else
            privileges_gone(PRIVILEGES_OF_CONTROL);
    }
    lock_drop(&control.lock);
}

void control_stop(void)
{
    lock_take(&control.lock);
    if (control.running) {
        __atomic_store_n(&control.stop, 1, __ATOMIC_RELEASE);
        wake_listener();
        real.pthread_join(control.thread, NULL);
        __atomic_store_n(&control.running, 0, __ATOMIC_RELEASE);
    }
    lock_drop(&control.lock);
}

void control_forget(void)
{
    control.lock.word = 0;
    control.running = 0;
}
