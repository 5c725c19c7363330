/* The functions that the library stands in front of, resolved once: real.pthread_mutex_lock(m) is what comes after us. */
#ifndef THRACE_PRELOAD_REAL_H
#define THRACE_PRELOAD_REAL_H

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#undef fread_unlocked
#undef fwrite_unlocked
#ifndef __GLIBC__
#undef creat64
#undef fallocate64
#undef fcntl64
#undef fopen64
#undef freopen64
#undef fstat64
#undef fstatat64
#undef ftruncate64
#undef lockf64
#undef lstat64
#undef mmap64
#undef open64
#undef openat64
#undef posix_fadvise64
#undef posix_fallocate64
#undef pread64
#undef preadv64
#undef pwrite64
#undef pwritev64
#undef sendfile64
#undef stat64
#undef truncate64
#endif

/* The condition variables of glibc 2.3.2 replaced earlier ones of the same name; old programs still ask for those. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define COND_VERSION "GLIBC_2.3.2"
#define OLD_COND_VERSION "GLIBC_2.2.5"
#else
#define COND_VERSION ""
#endif

struct real {
#define THRACE_REAL(ret, name, symbol, version, params, args) ret(*name) params;
#define THRACE_REAL_VOID(name, symbol, version, params, args) void(*name) params;
#include "preload/real.def"
#undef THRACE_REAL
#undef THRACE_REAL_VOID
};

/*
 * Until the constructor has run, each pointer leads to a function that resolves them all and goes on: a constructor of
 * another library may call us first. So no wrapper ever tests a pointer.
 */
extern struct real real;

/* Idempotent; safe from several threads, because each computes the same. */
void real_resolve(void);

/* A wrapped function: what calls of it came to before we were there, and what stands in its place. */
struct real_hook {
    const void *before_us, *wrapper;
};

/* By the name and version that a module asks for; version NULL: it says none. False: it is not wrapped. */
bool real_find_hook(const char *name, const char *version, struct real_hook *hook);

/* Calls each(arg, address, name) for every resolved function: they are the leaves of the stacks. */
void real_each(void (*each)(void *arg, const void *address, const char *name), void *arg);

#endif
