#include "config.h"

#include "cmd/stacks/wait.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "cmd/stacks/descriptor.h"

/* --- futexes ------------------------------------------------------------------------------------------------------ */

/* A wait with a time limit that was interrupted, by us for one, goes on as another call, with the same arguments. */
static bool may_wait_for_futex(const struct thread *t)
{
    if (t->call != SYS_futex && t->call != SYS_restart_syscall)
        return false;
    switch (t->args[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
        return true;
    default:
        return false;
    }
}

/* A readers-writer lock has two words that are waited for, and an address that a pointer can be stored at. */
static uint64_t rwlock_of(uint64_t word)
{
    size_t offset = word % 8 ? offsetof(struct __pthread_rwlock_arch_t, __writers_futex)
                             : offsetof(struct __pthread_rwlock_arch_t, __wrphase_futex);
    return word - offset;
}

bool wait_ask(struct wait *w, const struct thread *t, struct symbolizer *symbolizer)
{
    memset(w, 0, sizeof *w);
    w->symbols[0] = w->symbols[1] = -1;
    if (!may_wait_for_futex(t))
        return true;
    w->symbols[0] = symbolize_add_object(symbolizer, SYMBOLIZE_BY_ADDRESS, t->args[0]);
    w->symbols[1] = symbolize_add_object(symbolizer, SYMBOLIZE_BY_ADDRESS, rwlock_of(t->args[0]));
    return w->symbols[0] >= 0 && w->symbols[1] >= 0;
}

/* --- which object ------------------------------------------------------------------------------------------------- */

struct waiting_function {
    const char *part; /* of its name */
    enum object_kind kind;
};

/* The innermost function that says what it waits for. */
static enum object_kind kind_by_functions(const struct thread *t, const struct symbolizer *symbolizer)
{
    static const struct waiting_function functions[] = {
        {"pthread_mutex_", OBJECT_MUTEX},  {"pthread_rwlock_", OBJECT_RWLOCK}, {"pthread_cond_", OBJECT_COND},
        {"sem_wait", OBJECT_SEM},    {"sem_timedwait", OBJECT_SEM}, {"sem_clockwait", OBJECT_SEM},
        {"new_sem_", OBJECT_SEM},    {"pthread_barrier_", OBJECT_BARRIER}, {"pthread_once", OBJECT_ONCE},
        {"pthread_join", OBJECT_THREAD},     {"pthread_timedjoin", OBJECT_THREAD}, {"pthread_clockjoin", OBJECT_THREAD},
        {"thrd_join", OBJECT_THREAD},        {"mtx_", OBJECT_MUTEX},             {"cnd_", OBJECT_COND},
        {"call_once", OBJECT_ONCE},
    };
    enum { NEAR = 6 };
    for (int i = 0; i < t->npcs && i < NEAR; i++) {
        size_t n;
        const struct symbolize_frame *frames = symbolize_frames(symbolizer, t->symbols[i], &n);
        for (size_t k = 0; k < n; k++)
            for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
                if (strstr(frames[k].function, functions[f].part))
                    return functions[f].kind;
    }
    return OBJECT_FUTEX;
}

static pid_t read_number(const struct process *p, uint64_t address)
{
    int32_t number;
    return process_load(p, address, &number, sizeof number) ? number & FUTEX_TID_MASK : 0;
}

static pid_t mutex_owner(const struct process *p, uint64_t mutex)
{
    return read_number(p, mutex) ? read_number(p, mutex + offsetof(struct __pthread_mutex_s, __owner)) : 0;
}

pid_t wait_other(const struct wait *w, const struct process *p)
{
    switch (w->kind) {
    case OBJECT_MUTEX:
        return mutex_owner(p, w->address);
    case OBJECT_RWLOCK:
        return read_number(p, w->address + offsetof(struct __pthread_rwlock_arch_t, __cur_writer));
    case OBJECT_THREAD:
        return read_number(p, w->address);
    default:
        return 0;
    }
}

static bool is_shared(const struct wait *w, const struct process *p)
{
    enum { SHARED = 128 };
    int32_t kind;
    if (w->kind == OBJECT_MUTEX)
        return process_load(p, w->address + offsetof(struct __pthread_mutex_s, __kind), &kind, sizeof kind) &&
               kind & SHARED;
    return w->kind == OBJECT_RWLOCK &&
           read_number(p, w->address + offsetof(struct __pthread_rwlock_arch_t, __shared));
}

/* Who waited for a condition takes its mutex in a function that has no name of its own. */
static bool is_mutex_after_all(const struct process *p, const struct threads *ts, uint64_t address)
{
    enum { LOCKED_WITH_WAITERS = 2 };
    return read_number(p, address) == LOCKED_WITH_WAITERS && threads_find(ts, mutex_owner(p, address));
}

/* "mutex cache.lock (cache.c:12)". Below the object's own name are the fields of glibc's types. */
static void name_object(struct wait *w, const struct symbolizer *symbolizer)
{
    size_t n = 0;
    const struct symbolize_frame *v = symbolize_frames(symbolizer, w->symbols[w->kind == OBJECT_RWLOCK], &n);
    if (!n) {
        snprintf(w->object, sizeof w->object, "%s at 0x%" PRIx64, object_word(w->kind), w->address);
        return;
    }
    const char *inside = w->kind == OBJECT_FUTEX ? NULL : strstr(v->function, ".__");
    const char *base = strrchr(v->file, '/');
    int len = snprintf(w->object, sizeof w->object, "%s %.*s (%s", object_word(w->kind),
                       inside ? (int)(inside - v->function) : (int)strlen(v->function), v->function,
                       base ? base + 1 : v->file);
    if (len < 0 || (size_t)len >= sizeof w->object)
        len = (int)strlen(w->object);
    if (v->line > 1) /* 1: it is a module's */
        len += snprintf(w->object + len, sizeof w->object - (size_t)len, ":%u", v->line);
    if ((size_t)len < sizeof w->object)
        snprintf(w->object + len, sizeof w->object - (size_t)len, ")");
}

static void tell_futex(struct wait *w, const struct process *p, const struct threads *ts, const struct thread *t,
                       const struct symbolizer *symbolizer)
{
    w->address = t->args[0];
    w->is_limited = t->call != SYS_futex || t->args[3];
    if (w->kind == OBJECT_COND && is_mutex_after_all(p, ts, w->address))
        w->kind = OBJECT_MUTEX;
    if (w->kind == OBJECT_RWLOCK)
        w->address = rwlock_of(w->address);
    w->other = wait_other(w, p);
    w->is_shared = is_shared(w, p);
    const struct thread *other = w->other ? threads_find(ts, w->other) : NULL;
    if (w->kind == OBJECT_THREAD && other)
        snprintf(w->object, sizeof w->object, "thread %s (%ld)", other->name, (long)other->tid);
    else
        name_object(w, symbolizer);
}

/* --- other calls -------------------------------------------------------------------------------------------------- */

enum on { ON_DESCRIPTOR, ON_EPOLL, ON_POLL, ON_SELECT, ON_TIME, ON_CHILD, ON_SIGNAL, ON_SEMAPHORES };

struct waiting_call {
    long call;
    enum on on;
    const char *why;
};

static const struct waiting_call waiting_calls[] = {
    {SYS_restart_syscall, ON_TIME, NULL}, /* what is not a futex */
    {SYS_read, ON_DESCRIPTOR, "to read"},
    {SYS_readv, ON_DESCRIPTOR, "to read"},
    {SYS_pread64, ON_DESCRIPTOR, "to read"},
    {SYS_preadv, ON_DESCRIPTOR, "to read"},
    {SYS_write, ON_DESCRIPTOR, "to write"},
    {SYS_writev, ON_DESCRIPTOR, "to write"},
    {SYS_pwrite64, ON_DESCRIPTOR, "to write"},
    {SYS_pwritev, ON_DESCRIPTOR, "to write"},
    {SYS_recvfrom, ON_DESCRIPTOR, "to read"},
    {SYS_recvmsg, ON_DESCRIPTOR, "to read"},
    {SYS_recvmmsg, ON_DESCRIPTOR, "to read"},
    {SYS_sendto, ON_DESCRIPTOR, "to write"},
    {SYS_sendmsg, ON_DESCRIPTOR, "to write"},
    {SYS_sendmmsg, ON_DESCRIPTOR, "to write"},
    {SYS_sendfile, ON_DESCRIPTOR, "to write"},
    {SYS_accept, ON_DESCRIPTOR, "to accept"},
    {SYS_accept4, ON_DESCRIPTOR, "to accept"},
    {SYS_connect, ON_DESCRIPTOR, "to connect"},
    {SYS_fsync, ON_DESCRIPTOR, "to sync"},
    {SYS_fdatasync, ON_DESCRIPTOR, "to sync"},
    {SYS_flock, ON_DESCRIPTOR, "to lock"},
    {SYS_fcntl, ON_DESCRIPTOR, "to lock"},
    {SYS_ioctl, ON_DESCRIPTOR, "in ioctl"},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, ON_EPOLL, NULL},
#endif
    {SYS_epoll_pwait, ON_EPOLL, NULL},
#ifdef SYS_poll
    {SYS_poll, ON_POLL, NULL},
#endif
    {SYS_ppoll, ON_POLL, NULL},
#ifdef SYS_select
    {SYS_select, ON_SELECT, NULL},
#endif
    {SYS_pselect6, ON_SELECT, NULL},
    {SYS_nanosleep, ON_TIME, NULL},
    {SYS_clock_nanosleep, ON_TIME, NULL},
    {SYS_wait4, ON_CHILD, NULL},
    {SYS_waitid, ON_CHILD, NULL},
#ifdef SYS_pause
    {SYS_pause, ON_SIGNAL, NULL},
#endif
    {SYS_rt_sigsuspend, ON_SIGNAL, NULL},
    {SYS_rt_sigtimedwait, ON_SIGNAL, NULL},
    {SYS_semop, ON_SEMAPHORES, NULL},
    {SYS_semtimedop, ON_SEMAPHORES, NULL},
};

static void tell_poll(struct wait *w, const struct process *p, const struct thread *t)
{
    struct pollfd first;
    char name[256];
    uint64_t n = t->args[1];
    if (!n) {
        snprintf(w->object, sizeof w->object, "the end of its sleep");
    } else if (!process_load(p, t->args[0], &first, sizeof first) || first.fd < 0) {
        snprintf(w->object, sizeof w->object, "%" PRIu64 " descriptors", n);
    } else {
        descriptor_tell(p, first.fd, name, sizeof name);
        if (n == 1)
            snprintf(w->object, sizeof w->object, "%s", name);
        else
            snprintf(w->object, sizeof w->object, "%s and %" PRIu64 " more", name, n - 1);
    }
}

static void tell_call(struct wait *w, const struct process *p, const struct thread *t)
{
    char name[PATH_MAX];
    size_t watched;
    const struct waiting_call *call = NULL;
    for (size_t i = 0; i < sizeof waiting_calls / sizeof *waiting_calls && !call; i++)
        if (waiting_calls[i].call == t->call)
            call = &waiting_calls[i];
    w->kind = NO_OBJECT;
    if (!call) {
        snprintf(w->object, sizeof w->object, "system call %ld", t->call);
        return;
    }
    switch (call->on) {
    case ON_DESCRIPTOR:
        descriptor_tell(p, (int)t->args[0], name, sizeof name);
        snprintf(w->object, sizeof w->object, "%.400s, %s", name, call->why);
        break;
    case ON_EPOLL:
        watched = descriptor_watched(p, (int)t->args[0]);
        snprintf(w->object, sizeof w->object, "epoll of %zu descriptor%s", watched, watched == 1 ? "" : "s");
        break;
    case ON_POLL:
        tell_poll(w, p, t);
        break;
    case ON_SELECT:
        if (t->args[0])
            snprintf(w->object, sizeof w->object, "select of descriptors below %d", (int)t->args[0]);
        else
            snprintf(w->object, sizeof w->object, "the end of its sleep");
        break;
    case ON_TIME:
        snprintf(w->object, sizeof w->object, "the end of its sleep");
        break;
    case ON_CHILD:
        snprintf(w->object, sizeof w->object, "a child");
        break;
    case ON_SIGNAL:
        snprintf(w->object, sizeof w->object, "a signal");
        break;
    case ON_SEMAPHORES:
        snprintf(w->object, sizeof w->object, "semaphore set %d", (int)t->args[0]);
        break;
    }
}

void wait_tell(struct wait *w, const struct process *p, const struct threads *ts, const struct thread *t,
               const struct symbolizer *symbolizer)
{
    if (t->call == NO_CALL)
        return;
    if (may_wait_for_futex(t))
        w->kind = kind_by_functions(t, symbolizer);
    if (w->kind != NO_OBJECT && (w->kind != OBJECT_FUTEX || t->call == SYS_futex))
        tell_futex(w, p, ts, t, symbolizer);
    else
        tell_call(w, p, t);
}
