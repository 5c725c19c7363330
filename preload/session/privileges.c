#include "preload/session/privileges.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/clock.h"
#include "lib/lock.h"
#include "lib/rawsys.h"
#include "preload/held_signals.h"
#include "preload/recorder.h"

enum { GROUPS_MAX = 1024, PATIENCE_NS = 1000000000, PAUSE_NS = 20000000 };

struct privileges {
    uint32_t uid[3], gid[3]; /* real, effective, saved */
    struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
    int nnp;
    int ngroups;
    uint32_t groups[GROUPS_MAX];
};

static struct {
    struct lock lock;
    struct privileges wanted;
    uint32_t order;                      /* counts what was wanted */
    uint32_t lives[PRIVILEGES_THREADS];
    bool (*wake[PRIVILEGES_THREADS])(void);
    uint32_t adopted[PRIVILEGES_THREADS]; /* the order that each has carried out; futex words */
} shared;

static bool any_lives(void)
{
    return __atomic_load_n(&shared.lives[PRIVILEGES_OF_HELPER], __ATOMIC_SEQ_CST) ||
           __atomic_load_n(&shared.lives[PRIVILEGES_OF_CONTROL], __ATOMIC_SEQ_CST);
}

static long get_caps(struct __user_cap_data_struct *caps)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    return raw_syscall(SYS_capget, (long)&h, (long)caps, 0, 0, 0, 0);
}

static long set_caps(const struct __user_cap_data_struct *caps)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    return raw_syscall(SYS_capset, (long)&h, (long)caps, 0, 0, 0, 0);
}

static void look(struct privileges *p)
{
    raw_syscall(SYS_getresuid, (long)&p->uid[0], (long)&p->uid[1], (long)&p->uid[2], 0, 0, 0);
    raw_syscall(SYS_getresgid, (long)&p->gid[0], (long)&p->gid[1], (long)&p->gid[2], 0, 0, 0);
    long n = raw_syscall(SYS_getgroups, GROUPS_MAX, (long)p->groups, 0, 0, 0, 0);
    p->ngroups = sys_failed(n) ? 0 : (int)n; /* more than that: ours have none */
    if (sys_failed(get_caps(p->caps)))
        memset(p->caps, 0, sizeof p->caps);
    p->nnp = raw_syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1;
}

static void only_effective(struct __user_cap_data_struct *caps, const struct __user_cap_data_struct *limit)
{
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        if (limit) {
            caps[i].permitted &= limit[i].permitted;
            caps[i].inheritable &= limit[i].inheritable;
        }
        caps[i].effective = caps[i].permitted & (limit ? limit[i].effective : ~0u);
    }
    set_caps(caps);
}

/* All that is permitted serves to change what is to be changed; it stays until the end, where it becomes what is wanted. */
static void become(const struct privileges *p)
{
    struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
    raw_syscall(SYS_prctl, PR_SET_KEEPCAPS, 1, 0, 0, 0, 0);
    if (!sys_failed(get_caps(caps)))
        only_effective(caps, NULL);
    raw_syscall(SYS_setgroups, p->ngroups, (long)p->groups, 0, 0, 0, 0);
    raw_syscall(SYS_setresgid, p->gid[0], p->gid[1], p->gid[2], 0, 0, 0);
    raw_syscall(SYS_setresuid, p->uid[0], p->uid[1], p->uid[2], 0, 0, 0);
    if (!sys_failed(get_caps(caps)))
        only_effective(caps, p->caps);
    if (p->nnp)
        raw_syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
}

void privileges_inherited(enum privileges_of who, bool (*wake)(void))
{
    shared.wake[who] = wake;
    if (!any_lives())
        look(&shared.wanted);
    __atomic_store_n(&shared.adopted[who], __atomic_load_n(&shared.order, __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
    __atomic_store_n(&shared.lives[who], 1, __ATOMIC_SEQ_CST);
}

void privileges_gone(enum privileges_of who)
{
    __atomic_store_n(&shared.lives[who], 0, __ATOMIC_RELEASE);
    sys_futex_wake(&shared.adopted[who], 1);
}

static bool wake(enum privileges_of who)
{
    return __atomic_load_n(&shared.lives[who], __ATOMIC_ACQUIRE) && shared.wake[who]();
}

/* What is wanted does not change while somebody waits for us. */
void privileges_adopt(enum privileges_of who)
{
    uint32_t order = __atomic_load_n(&shared.order, __ATOMIC_ACQUIRE);
    if (order == __atomic_load_n(&shared.adopted[who], __ATOMIC_RELAXED))
        return;
    become(&shared.wanted);
    __atomic_store_n(&shared.adopted[who], order, __ATOMIC_RELEASE);
    sys_futex_wake(&shared.adopted[who], 1);
    if (who == PRIVILEGES_OF_HELPER)
        wake(PRIVILEGES_OF_CONTROL); /* it has descriptors to do so */
}

static void await(enum privileges_of who, uint32_t order, uint64_t until)
{
    static const struct timespec pause = {0, PAUSE_NS};
    while (__atomic_load_n(&shared.lives[who], __ATOMIC_SEQ_CST) && clock_mono_ns() < until) {
        uint32_t adopted = __atomic_load_n(&shared.adopted[who], __ATOMIC_ACQUIRE);
        if (adopted == order)
            return;
        sys_futex_wait(&shared.adopted[who], adopted, &pause);
    }
}

/* A change of the effective user alone is taken back one day, as file servers do for each request. */
static bool is_passing(const struct privileges *now, const struct privileges *last)
{
    if (now->ngroups != last->ngroups || now->nnp != last->nnp || now->uid[0] != last->uid[0] ||
        now->uid[2] != last->uid[2] || now->gid[0] != last->gid[0] || now->gid[2] != last->gid[2])
        return false;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        if (now->caps[i].permitted != last->caps[i].permitted)
            return false;
    return !memcmp(now->groups, last->groups, (size_t)now->ngroups * sizeof *now->groups);
}

/* The child of a clone has copies of all this, where nobody is to follow. A handler may come here, too. */
void privileges_follow(void)
{
    static struct privileges now;
    if (!any_lives() || recorder.pid != (int)sys_getpid())
        return;
    uint64_t held = signals_hold();
    lock_take(&shared.lock);
    look(&now);
    if (!is_passing(&now, &shared.wanted)) {
        memcpy(&shared.wanted, &now, sizeof now);
        uint32_t order = __atomic_add_fetch(&shared.order, 1, __ATOMIC_SEQ_CST);
        uint64_t until = clock_mono_ns() + PATIENCE_NS;
        if (!wake(PRIVILEGES_OF_HELPER))
            wake(PRIVILEGES_OF_CONTROL);
        await(PRIVILEGES_OF_HELPER, order, until);
        await(PRIVILEGES_OF_CONTROL, order, until);
    }
    lock_drop(&shared.lock);
    signals_release(held);
}

void privileges_forget(void)
{
    shared.lock.word = 0;
    shared.lives[PRIVILEGES_OF_HELPER] = shared.lives[PRIVILEGES_OF_CONTROL] = 0;
}
