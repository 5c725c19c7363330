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
#include "cmd/stacks/joined.h"
#include "cmd/stacks/lock_layout.h"

/* --- calls -------------------------------------------------------------------------------------------------------- */

enum on { ON_DESCRIPTOR, ON_EPOLL, ON_POLL, ON_SELECT, ON_TIME, ON_CHILD, ON_EXEC, ON_SIGNAL, ON_SEMAPHORES, ON_QUEUE };

struct waiting_call {
    long call;
    enum on on;
    const char *why;
};

static const struct waiting_call waiting_calls[] = {
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
    {SYS_mq_timedreceive, ON_DESCRIPTOR, "to read"},
    {SYS_mq_timedsend, ON_DESCRIPTOR, "to write"},
    {SYS_io_uring_enter, ON_DESCRIPTOR, "for completions"},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, ON_EPOLL, NULL},
#endif
    {SYS_epoll_pwait, ON_EPOLL, NULL},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, ON_EPOLL, NULL},
#endif
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
#ifdef SYS_vfork
    {SYS_vfork, ON_EXEC, NULL},
#endif
#ifdef SYS_pause
    {SYS_pause, ON_SIGNAL, NULL},
#endif
    {SYS_rt_sigsuspend, ON_SIGNAL, NULL},
    {SYS_rt_sigtimedwait, ON_SIGNAL, NULL},
    {SYS_semop, ON_SEMAPHORES, NULL},
    {SYS_semtimedop, ON_SEMAPHORES, NULL},
    {SYS_msgrcv, ON_QUEUE, "to read"},
    {SYS_msgsnd, ON_QUEUE, "to write"},
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
        if (p->core && (int)t->args[0] < 0)
            snprintf(w->object, sizeof w->object, "epoll");
        else if (p->core)
            snprintf(w->object, sizeof w->object, "epoll, descriptor %d", (int)t->args[0]);
        else
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
    case ON_EXEC:
        snprintf(w->object, sizeof w->object, "a child of vfork to execute a program, or to end");
        break;
    case ON_SIGNAL:
        snprintf(w->object, sizeof w->object, "a signal");
        break;
    case ON_SEMAPHORES:
        snprintf(w->object, sizeof w->object, "semaphore set %d", (int)t->args[0]);
        break;
    case ON_QUEUE:
        snprintf(w->object, sizeof w->object, "message queue %d, %s", (int)t->args[0], call->why);
        break;
    }
}

/* --- futexes ------------------------------------------------------------------------------------------------------ */

/* A wait with a time limit that was interrupted, by us for one, goes on as another call, with the same arguments. */
static bool may_wait_for_futex(const struct thread *t)
{
    if (t->call == SYS_restart_syscall)
        return true;
    if (t->call != SYS_futex)
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

/* The lock's address is one that a pointer can be stored at. */
uint64_t wait_rwlock_of(uint64_t word)
{
    size_t offset = word % 8 ? offsetof(struct __pthread_rwlock_arch_t, __writers_futex)
                             : offsetof(struct __pthread_rwlock_arch_t, __wrphase_futex);
    return word - offset;
}

/* The words around a futex; what is not mapped is 0. False: it is not mapped itself. */
static bool read_words(const struct process *p, uint64_t futex, int32_t words[WAIT_WORDS])
{
    const size_t before = WAIT_WORDS_BEFORE * sizeof *words;
    memset(words, 0, WAIT_WORDS * sizeof *words);
    p->read(p, futex - before, words, before);
    return p->read(p, futex, words + WAIT_WORDS_BEFORE, WAIT_WORDS * sizeof *words - before) >= sizeof *words;
}

/* Those, if the thread did not run meanwhile. */
static bool take_words(struct wait *w, const struct process *p, const struct thread *t)
{
    struct thread_moment before = {0}, after = {0};
    return thread_moment(p, t, &before) && read_words(p, t->args[0], w->words) && thread_moment(p, t, &after) &&
           !memcmp(&before, &after, sizeof before);
}

static bool is_c_library(const struct module *m)
{
    const char *name = strrchr(m->path, '/');
    name = name ? name + 1 : m->path;
    return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-2", 6) || !strncmp(name, "libpthread", 10);
}

/*
 * Where the call before that address goes: directly, as to an entry of a PLT, or by a slot of a GOT. 0: the instruction
 * does not tell.
 */
static uint64_t call_target(const struct process *p, uint64_t pc)
{
#if defined(__x86_64__)
    uint8_t code[6];
    int32_t distance;
    uint64_t target;
    if (!process_load(p, pc - sizeof code, code, sizeof code))
        return 0;
    memcpy(&distance, code + 2, sizeof distance);
    if (code[0] == 0xff && code[1] == 0x15)
        return process_load(p, pc + (uint64_t)(int64_t)distance, &target, sizeof target) ? target : 0;
    return code[1] == 0xe8 ? pc + (uint64_t)(int64_t)distance : 0;
#else
    uint32_t code;
    if (!process_load(p, pc - sizeof code, &code, sizeof code) || code >> 26 != 0x25)
        return 0;
    return pc - sizeof code + (uint64_t)(int64_t)((int32_t)(code << 6) >> 4);
#endif
}

/* The C library may have left its own function by a jump, and its others have no names without debug info. */
static bool ask_called(struct wait *w, const struct process *p, const struct modules *ms, const struct thread *t,
                       struct symbolizer *symbolizer)
{
    const struct module *m;
    int i = 0;
    while (i < t->npcs && (m = modules_find(ms, t->pcs[i] - 1)) && is_c_library(m))
        i++;
    uint64_t target = i && i < t->npcs ? call_target(p, t->pcs[i]) : 0;
    if (target)
        w->called = symbolize_add_pc(symbolizer, SYMBOLIZE_BY_ADDRESS, target + 1);
    return !target || w->called >= 0;
}

bool wait_ask(struct wait *w, const struct process *p, const struct modules *ms, const struct thread *t,
              struct symbolizer *symbolizer)
{
    memset(w, 0, sizeof *w);
    w->symbols[0] = w->symbols[1] = w->called = -1;
    if (!may_wait_for_futex(t)) {
        if (t->call != NO_CALL)
            tell_call(w, p, t);
        return true;
    }
    w->has_words = take_words(w, p, t);
    w->symbols[0] = symbolize_add_object(symbolizer, SYMBOLIZE_BY_ADDRESS, t->args[0]);
    w->symbols[1] = symbolize_add_object(symbolizer, SYMBOLIZE_BY_ADDRESS, wait_rwlock_of(t->args[0]));
    return w->symbols[0] >= 0 && w->symbols[1] >= 0 && ask_called(w, p, ms, t, symbolizer);
}

/* --- which object ------------------------------------------------------------------------------------------------- */

/* A call with a time limit that was interrupted goes on by another number: its function says which one it is. */
struct waiting_function {
    const char *begin; /* of its name, without what glibc puts in front */
    enum object_kind kind;
    long call; /* if it is not for a futex */
};

/* "___pthread_cond_timedwait64", "__GI___pthread_mutex_lock", "__new_sem_wait_slow64" */
static const char *without_prefix(const char *function)
{
    for (;;) {
        if (*function == '_')
            function++;
        else if (!strncmp(function, "GI_", 3))
            function += 3;
        else if (!strncmp(function, "new_", 4))
            function += 4;
        else
            return function;
    }
}

static const struct waiting_function *function_by_names(const struct symbolizer *symbolizer, int64_t symbol)
{
    static const struct waiting_function functions[] = {
        {"pthread_mutex_", OBJECT_MUTEX, NO_CALL},
        {"pthread_rwlock_", OBJECT_RWLOCK, NO_CALL},
        {"pthread_cond_", OBJECT_COND, NO_CALL},
        {"sem_wait", OBJECT_SEM, NO_CALL},
        {"sem_timedwait", OBJECT_SEM, NO_CALL},
        {"sem_clockwait", OBJECT_SEM, NO_CALL},
        {"pthread_barrier_wait", OBJECT_BARRIER, NO_CALL},
        {"pthread_once", OBJECT_ONCE, NO_CALL},
        {"pthread_join", OBJECT_THREAD, NO_CALL},
        {"pthread_timedjoin", OBJECT_THREAD, NO_CALL},
        {"pthread_clockjoin", OBJECT_THREAD, NO_CALL},
        {"thrd_join", OBJECT_THREAD, NO_CALL},
        {"mtx_", OBJECT_MUTEX, NO_CALL},
        {"cnd_", OBJECT_COND, NO_CALL},
        {"call_once", OBJECT_ONCE, NO_CALL},
        {"poll", NO_OBJECT, SYS_ppoll},
        {"ppoll", NO_OBJECT, SYS_ppoll},
        {"nanosleep", NO_OBJECT, SYS_nanosleep},
        {"clock_nanosleep", NO_OBJECT, SYS_nanosleep},
        {"sleep", NO_OBJECT, SYS_nanosleep},
        {"usleep", NO_OBJECT, SYS_nanosleep},
        {"thrd_sleep", NO_OBJECT, SYS_nanosleep},
    };
    size_t n;
    const struct symbolize_frame *frames = symbolize_frames(symbolizer, symbol, &n);
    for (size_t k = 0; k < n; k++)
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            if (!strncmp(without_prefix(frames[k].function), functions[f].begin, strlen(functions[f].begin)))
                return &functions[f];
    return NULL;
}

/* Of the functions of the C library that the thread is in; which may be a part of the program. NULL: none tells. */
static const struct waiting_function *waiting_function(const struct wait *w, const struct modules *ms,
                                                       const struct thread *t, const struct symbolizer *symbolizer)
{
    const struct waiting_function *f = NULL;
    bool dynamic = false;
    for (size_t i = 0; i < ms->list.n && !dynamic; i++)
        dynamic = is_c_library(&ms->list.v[i]);
    for (int i = 0; i < t->npcs && !f; i++) {
        const struct module *m = modules_find(ms, t->pcs[i] - 1);
        if (!m || (dynamic && !is_c_library(m)))
            break;
        f = function_by_names(symbolizer, t->symbols[i]);
    }
    return !f && w->called >= 0 ? function_by_names(symbolizer, w->called) : f;
}

/* The number at that offset of the object; 0: it is not known. */
static int32_t number_at(const struct wait *w, size_t offset)
{
    uint64_t at = w->address + offset - (w->futex - WAIT_WORDS_BEFORE * sizeof *w->words);
    return w->has_words && at < sizeof w->words ? w->words[at / sizeof *w->words] : 0;
}

static pid_t owner(const struct wait *w, const struct process *p)
{
    enum { STATES = 4 };
    struct lock_layout l;
    pid_t number = number_at(w, 0) & FUTEX_TID_MASK;
    if (w->kind == OBJECT_THREAD)
        return number < STATES ? joined_thread(p, w->futex) : number;
    bool is_free = w->kind == OBJECT_MUTEX && !number_at(w, 0);
    if (!lock_layout(w->kind, &l) || number_at(w, l.shared) & l.bits || is_free)
        return 0;
    return number_at(w, l.owner) & FUTEX_TID_MASK;
}

pid_t wait_other(const struct wait *w, const struct process *p)
{
    struct wait now = *w;
    now.has_words = read_words(p, w->futex, now.words);
    return owner(&now, p);
}

/* Who waited for a condition takes its mutex in a function that has no name of its own. */
static bool is_mutex_after_all(const struct wait *w, const struct process *p, const struct threads *ts)
{
    enum { LOCKED_WITH_WAITERS = 2 };
    struct wait mutex = *w;
    mutex.kind = OBJECT_MUTEX;
    return number_at(w, 0) == LOCKED_WITH_WAITERS && threads_find(ts, owner(&mutex, p));
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

static void tell_restarted(struct wait *w, const struct process *p, const struct thread *t, long call)
{
    struct thread as = *t;
    as.call = call;
    w->kind = NO_OBJECT;
    if (call == NO_CALL)
        snprintf(w->object, sizeof w->object, "something, with a time limit");
    else
        tell_call(w, p, &as);
}

void wait_tell(struct wait *w, const struct process *p, const struct modules *ms, const struct threads *ts,
               const struct thread *t, const struct symbolizer *symbolizer)
{
    if (!may_wait_for_futex(t))
        return;
    const struct waiting_function *f = waiting_function(w, ms, t, symbolizer);
    w->kind = f && f->call == NO_CALL ? f->kind : OBJECT_FUTEX;
    if (w->kind == OBJECT_FUTEX && t->call != SYS_futex) {
        tell_restarted(w, p, t, f ? f->call : NO_CALL);
        return;
    }
    w->address = w->futex = t->args[0];
    w->is_limited = t->call != SYS_futex || t->args[3];
    if (w->kind == OBJECT_COND && is_mutex_after_all(w, p, ts))
        w->kind = OBJECT_MUTEX;
    if (w->kind == OBJECT_RWLOCK)
        w->address = wait_rwlock_of(w->futex);
    w->other = owner(w, p);
    const struct thread *other = w->other ? threads_find(ts, w->other) : NULL;
    if (w->kind == OBJECT_THREAD && other)
        snprintf(w->object, sizeof w->object, "thread %s (%ld)", other->name, (long)other->tid);
    else
        name_object(w, symbolizer);
}
