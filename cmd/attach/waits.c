#include "config.h"

#include "cmd/attach/waits.h"

#if defined(__x86_64__)

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "cmd/stacks/wait.h"

/*
 * A futex is a word of the object that is waited for. glibc's functions say of which kind that is: theirs is one of the
 * frames, if the compiler did not make a jump of a last call.
 */
static const struct {
    const char *name;
    enum object_kind kind;
} functions[WAITING_FUNCTIONS] = {
    {"pthread_cond_wait", OBJECT_COND},        {"pthread_cond_timedwait", OBJECT_COND},
    {"pthread_cond_clockwait", OBJECT_COND},   {"pthread_mutex_lock", OBJECT_MUTEX},
    {"pthread_mutex_timedlock", OBJECT_MUTEX}, {"pthread_mutex_clocklock", OBJECT_MUTEX},
    {"pthread_rwlock_rdlock", OBJECT_RWLOCK},  {"pthread_rwlock_timedrdlock", OBJECT_RWLOCK},
    {"pthread_rwlock_wrlock", OBJECT_RWLOCK},  {"pthread_rwlock_timedwrlock", OBJECT_RWLOCK},
    {"sem_wait", OBJECT_SEM},                  {"sem_timedwait", OBJECT_SEM},
    {"sem_clockwait", OBJECT_SEM},
};

void waits_prepare(struct waits *waits, const struct process *p)
{
    for (int f = 0; f < WAITING_FUNCTIONS; f++)
        waits->functions[f] = remote_libc_function(p, functions[f].name);
}

static enum object_kind kind_of(const struct waits *waits, const struct thread *t)
{
    for (int i = 0; i < t->npcs; i++)
        for (int f = 0; f < WAITING_FUNCTIONS; f++)
            if (remote_range_has(waits->functions[f], t->pcs[i]))
                return functions[f].kind;
    return NO_OBJECT;
}

/*
 * Of a condition, the words of two groups are waited for: the even one, and the one behind it. How far that is from the
 * beginning is not the same in each build of glibc. Its function leaves the address on the stack, for whoever cancels
 * the thread; 0: not one of the two stands there.
 */
static uint64_t condition_of(const struct thread *t, uint64_t word)
{
    enum { LOOKED_AT = 1024 };
    static const uint64_t offsets[] = {40, 32};
    const uint64_t groups = word - word % 8;
    uint64_t found = 0, value;
    for (size_t at = 0; at + sizeof value <= t->stack.size && at < LOOKED_AT; at += sizeof value) {
        memcpy(&value, t->stack.bytes + at, sizeof value);
        for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
            if (value == groups - offsets[i]) {
                if (found && found != value)
                    return 0;
                found = value;
            }
    }
    return found;
}

/* Who waited for a condition takes its mutex in a function that has no name of its own, and waits in another way. */
static void take_object(struct attach_wait *w, const struct waits *waits, const struct thread *t)
{
    const uint64_t word = t->args[0];
    enum object_kind kind = t->call == SYS_futex ? kind_of(waits, t) : NO_OBJECT;
    if (kind == OBJECT_COND && (t->args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET)
        kind = OBJECT_MUTEX;
    w->kind = kind;
    w->object = kind == OBJECT_COND ? condition_of(t, word) : kind == OBJECT_RWLOCK ? wait_rwlock_of(word) : word;
}

static int by_tid(const void *a, const void *b)
{
    const struct attach_wait *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

void waits_take(struct waits *waits, const struct threads *ts)
{
    waits->n = 0;
    for (size_t i = 0; i < ts->list.n; i++) {
        const struct thread *t = &ts->list.v[i];
        if (t->call == NO_CALL || !t->npcs || !VEC_ROOM(waits))
            continue;
        struct attach_wait *w = &waits->v[waits->n++];
        *w = (struct attach_wait){.tid = (uint32_t)t->own_tid,
                                  .call = t->call,
                                  .sp = t->stack.regs.r[UNWIND_SP],
                                  .pc = t->stack.regs.r[UNWIND_PC],
                                  .npcs = (uint32_t)(t->npcs < ATTACH_FRAMES_MAX ? t->npcs : ATTACH_FRAMES_MAX)};
        for (uint32_t k = 0; k < w->npcs; k++)
            w->pcs[k] = t->pcs[k];
        take_object(w, waits, t);
    }
    if (waits->n)
        qsort(waits->v, waits->n, sizeof *waits->v, by_tid);
}

#endif
