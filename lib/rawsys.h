/*
 * System calls without libc: no errno, no cancellation point, nothing that a preloaded library could have replaced.
 * Every function returns what the kernel returned: a negative errno on failure.
 */
#ifndef THRACE_LIB_RAWSYS_H
#define THRACE_LIB_RAWSYS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#if defined(__x86_64__)

static inline long raw_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

static inline void cpu_relax(void) { __asm__ volatile("pause" ::: "memory"); }

/* All stores before it are seen before any load behind it. ThreadSanitizer knows no fences and refuses the built-in. */
static inline void full_fence(void) { __asm__ volatile("lock orq $0, (%%rsp)" ::: "memory", "cc"); }

#elif defined(__aarch64__)

static inline long raw_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

static inline void cpu_relax(void) { __asm__ volatile("yield" ::: "memory"); }
static inline void full_fence(void) { __asm__ volatile("dmb ish" ::: "memory"); }

#else
#error "thrace knows x86-64 and aarch64"
#endif

/* The compiler may move no access to memory across it; the processor may. */
#define compiler_barrier() __asm__ volatile("" ::: "memory")

enum { SYS_FUTEX_WAIT_PRIVATE = 0 | 128, SYS_FUTEX_WAKE_PRIVATE = 1 | 128 };

/* Sleeps while *word is value, at most timeout (relative; NULL: until woken). */
static inline long sys_futex_wait(const volatile void *word, uint32_t value, const struct timespec *timeout)
{
    return raw_syscall(SYS_futex, (long)word, SYS_FUTEX_WAIT_PRIVATE, value, (long)timeout, 0, 0);
}

static inline long sys_futex_wake(const volatile void *word, int n)
{
    return raw_syscall(SYS_futex, (long)word, SYS_FUTEX_WAKE_PRIVATE, n, 0, 0, 0);
}

static inline long sys_membarrier(int cmd) { return raw_syscall(SYS_membarrier, cmd, 0, 0, 0, 0, 0); }

static inline long sys_openat(const char *path, int flags, int mode)
{
    return raw_syscall(SYS_openat, -100 /* AT_FDCWD */, (long)path, flags, mode, 0, 0);
}

static inline long sys_close(int fd) { return raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0); }

static inline long sys_unlink(const char *path) { return raw_syscall(SYS_unlinkat, -100, (long)path, 0, 0, 0, 0); }

static inline long sys_read(int fd, void *buf, size_t n)
{
    return raw_syscall(SYS_read, fd, (long)buf, (long)n, 0, 0, 0);
}

static inline long sys_write(int fd, const void *buf, size_t n)
{
    return raw_syscall(SYS_write, fd, (long)buf, (long)n, 0, 0, 0);
}

static inline long sys_pwritev(int fd, const struct iovec *iov, int n, uint64_t offset)
{
    return raw_syscall(SYS_pwritev, fd, (long)iov, n, (long)offset, 0, 0);
}

static inline long sys_fallocate(int fd, uint64_t offset, uint64_t len)
{
    return raw_syscall(SYS_fallocate, fd, 0, (long)offset, (long)len, 0, 0);
}

static inline long sys_mmap(size_t len, int prot, int flags, int fd, uint64_t offset)
{
    return raw_syscall(SYS_mmap, 0, (long)len, prot, flags, fd, (long)offset);
}

static inline long sys_munmap(void *p, size_t len) { return raw_syscall(SYS_munmap, (long)p, (long)len, 0, 0, 0, 0); }

static inline long sys_gettid(void) { return raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0); }
static inline long sys_getpid(void) { return raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0); }
static inline long sys_sched_yield(void) { return raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0); }

static inline int sys_failed(long ret) { return (unsigned long)ret > -4096UL; }

#endif
