/*
 * Tries the orders in which threads may take their steps, on the code itself. A test includes this first and then the
 * files of lib/ that it is about: each of their atomic operations is a point at which another thread may go on. Threads
 * are coroutines, so that a schedule takes microseconds and is the same each time.
 *
 * Schedules are by chance, some with a switch at every other point, some with hardly any. One that fails is named, and
 * fails again.
 */
#ifndef THRACE_TESTS_UNIT_EXPLORE_H
#define THRACE_TESTS_UNIT_EXPLORE_H

#define THRACE_LIB_RAWSYS_H /* what follows stands in its place */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

enum { EXPLORE_THREADS = 5 };

struct exploration {
    const char *name;
    unsigned n; /* threads */
    void (*begin)(void);
    void (*thread[EXPLORE_THREADS])(unsigned me);
    void (*end)(void);         /* all threads have ended, or were torn out and taken up again */
    void (*torn)(unsigned me); /* goes on for a thread that was torn out, of which there is one; NULL: none is */
    bool late_stores;          /* stores wait until others see them; those that are no release may be overtaken */
    bool no_membarrier;        /* the kernel refuses it */
};

/*
 * Runs 100,000 schedules, or as many as THRACE_SCHEDULES says (scripts/check --strict: half a million). Fails the test
 * when a check fails.
 */
void explore(const struct exploration *e);

/* What a thread, or the end, finds must hold. */
#define explore_check(what) ((what) ? (void)0 : explore_failed(#what, __FILE__, __LINE__))
void explore_failed(const char *what, const char *file, int line);

/* Another thread may go on here. */
void explore_point(void);

/* Nothing changes until another thread has stored something, or until time passes. */
void explore_wait(void);

/* --- for the macros below ----------------------------------------------------------------------------------------- */

bool explore_delays(void *place, const void *value, size_t size, int order);
void explore_peek(const volatile void *place, void *value, size_t size);
void explore_carry_out_own(void);
void explore_stored(void);
void explore_barrier_in_all(void);
bool explore_refuses_membarrier(void);

/* --- what the code finds in the place of lib/rawsys.h ------------------------------------------------------------- */

enum { SYS_FUTEX_WAIT_PRIVATE = 128, SYS_FUTEX_WAKE_PRIVATE = 129 };

static inline int sys_failed(long ret) { return (unsigned long)ret > -4096UL; }
static inline void cpu_relax(void) { explore_wait(); }

static inline void full_fence(void)
{
    explore_point();
    explore_carry_out_own();
}

#define compiler_barrier()                                                                                             \
    do {                                                                                                               \
        __asm__ volatile("" ::: "memory");                                                                             \
        explore_point();                                                                                               \
    } while (0)

/* All others: -ENOSYS, unless the test has one of its own, for a file. */
long explored_syscall(long nr, long a, long b, long c, long d);

static inline long raw_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    if (nr == SYS_nanosleep) {
        explore_wait();
        return 0;
    }
    return explored_syscall(nr, a, b, c, d);
}

static inline long sys_futex_wait(const volatile void *word, uint32_t value, const struct timespec *timeout)
{
    uint32_t now;
    explore_point();
    __builtin_memcpy(&now, (const void *)word, sizeof now);
    if (now != value)
        return -EAGAIN;
    explore_wait();
    return 0;
}

static inline long sys_futex_wake(const volatile void *word, int n)
{
    explore_point();
    return n;
}

static inline long sys_membarrier(int cmd)
{
    if (explore_refuses_membarrier())
        return -EPERM;
    explore_barrier_in_all();
    return 0;
}

static inline long sys_sched_yield(void)
{
    explore_wait();
    return 0;
}

static inline long sys_openat(const char *path, int flags, int mode) { return -ENOSYS; }
static inline long sys_close(int fd) { return 0; }
static inline long sys_unlink(const char *path) { return -ENOSYS; }
static inline long sys_fallocate(int fd, uint64_t offset, uint64_t len) { return -ENOSYS; }
static inline long sys_munmap(void *p, size_t len) { return -ENOSYS; }
static inline long sys_getpid(void) { return 1; }

static inline long sys_mmap(size_t len, int prot, int flags, int fd, uint64_t offset) { return -ENOSYS; }

static inline long sys_pwritev(int fd, const struct iovec *iov, int n, uint64_t offset)
{
    return explored_syscall(SYS_pwritev, fd, (long)iov, n, (long)offset);
}

/* --- every atomic operation is a point ---------------------------------------------------------------------------- */

#define __atomic_load_n(p, order)                                                                                      \
    ({                                                                                                                 \
        explore_point();                                                                                               \
        __auto_type loaded_ = __atomic_load_n(p, order);                                                               \
        explore_peek(p, &loaded_, sizeof loaded_);                                                                     \
        loaded_;                                                                                                       \
    })

#define __atomic_store_n(p, v, order)                                                                                  \
    ({                                                                                                                 \
        __typeof__(*(p)) stored_ = (v);                                                                                \
        explore_point();                                                                                               \
        if (!explore_delays((void *)(p), &stored_, sizeof stored_, order)) {                                           \
            __atomic_store_n(p, stored_, order);                                                                       \
            explore_stored();                                                                                          \
        }                                                                                                              \
        explore_point();                                                                                               \
    })

#define EXPLORED_CHANGE(change)                                                                                        \
    ({                                                                                                                 \
        explore_point();                                                                                               \
        explore_carry_out_own();                                                                                       \
        explore_stored();                                                                                              \
        __auto_type was_ = change;                                                                                     \
        explore_point(); /* what is no atomic operation follows late, or never */                                      \
        was_;                                                                                                          \
    })

#define __atomic_compare_exchange_n(p, old, new, weak, ok, not)                                                        \
    EXPLORED_CHANGE(__atomic_compare_exchange_n(p, old, new, false, ok, not))
#define __atomic_exchange_n(p, v, order) EXPLORED_CHANGE(__atomic_exchange_n(p, v, order))
#define __atomic_fetch_add(p, v, order) EXPLORED_CHANGE(__atomic_fetch_add(p, v, order))
#define __atomic_fetch_sub(p, v, order) EXPLORED_CHANGE(__atomic_fetch_sub(p, v, order))
#define __atomic_add_fetch(p, v, order) EXPLORED_CHANGE(__atomic_add_fetch(p, v, order))
#define __atomic_fetch_and(p, v, order) EXPLORED_CHANGE(__atomic_fetch_and(p, v, order))
#define __atomic_fetch_or(p, v, order) EXPLORED_CHANGE(__atomic_fetch_or(p, v, order))

#endif
