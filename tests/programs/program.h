/*
 * Shared by the programs under test. The trace of each is known beforehand, and the program prints it as lines "trace:
 * …" (the forms are in tests/go/expect.go). Nothing printed may differ from run to run.
 */
#ifndef THRACE_TESTS_PROGRAM_H
#define THRACE_TESTS_PROGRAM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "older.h"

#define NOINLINE __attribute__((noinline))

/* Keeps the compiler from turning the call before it into a jump, which would take the caller off the stack. */
#define NO_TAIL_CALL() __asm__ volatile("")

/* What the kernel puts on a signal stack: it says so, since Linux 5.14 on x86. */
static inline size_t least_signal_stack(void)
{
    enum { OF_THE_KERNEL = 51 /* AT_MINSIGSTKSZ, of glibc 2.34 */, IF_IT_IS_SILENT = 8192 };
    size_t size = getauxval(OF_THE_KERNEL);
    return size ? size : IF_IT_IS_SILENT;
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            fflush(NULL);                                                                                              \
            _exit(99);                                                                                                 \
        }                                                                                                              \
    } while (0)

/* Where the variable names a file the program begins when that is there, so that it can be attached to before. */
__attribute__((constructor)) static inline void begin_when_there(void)
{
    const char *file = getenv("BEGIN_WHEN_THERE");
    if (file)
        CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
    while (file && access(file, F_OK))
        usleep(1000);
}

struct thread {
    pthread_t id;
    atomic_int tid;
};

static int threads_spawned;

static inline void spawn(struct thread *t, void *(*start)(void *))
{
    atomic_store(&t->tid, 0);
    CHECK(pthread_create(&t->id, NULL, start, t) == 0);
    threads_spawned++;
}

/* First thing in a thread that others want to watch. */
static inline void introduce(void *self)
{
    atomic_store(&((struct thread *)self)->tid, (int)syscall(SYS_gettid));
}

static inline void join(struct thread *t)
{
    CHECK(pthread_join(t->id, NULL) == 0);
}

static inline void milliseconds(long n)
{
    struct timespec ts = {n / 1000, n % 1000 * 1000000};
    while (nanosleep(&ts, &ts) != 0)
        CHECK(errno == EINTR);
}

static inline struct timespec from_now(clockid_t clock, long ms)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    ts.tv_sec += ms / 1000;
    ts.tv_nsec += ms % 1000 * 1000000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_sec++;
        ts.tv_nsec -= 1000000000;
    }
    return ts;
}

/*
 * Spins without blocking, so that the trace of the caller shows no wait; yields now and then to the other thread.
 */
static inline void wait_for(atomic_bool *flag)
{
    while (!atomic_load(flag)) {
        for (volatile int i = 0; i < 100000; i++)
            ;
        sched_yield();
    }
}

/*
 * Computes until the thread has used that much more CPU time. Always inlined, so that the pc of a sample is in the
 * caller
 * itself: of a library that was just loaded a stack may have no other frame.
 */
__attribute__((always_inline)) static inline void compute_for(long ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (volatile int i = 0; i < 100000; i++)
            ;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/*
 * For programs that give way all the time: in a session of its own, and so in a group of its own for the kernel's
 * scheduler, a thread gives way to the others of the program, and not to all else that computes on a busy machine.
 */
static inline void yield_among_ourselves(void) { setsid(); }

static inline char thread_state(int tid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    const char *got = fgets(line, sizeof line, f);
    fclose(f);
    const char *name_end = got ? strrchr(line, ')') : NULL;
    return name_end && name_end[1] ? name_end[2] : 0;
}

/*
 * Returns when the thread sleeps in the kernel and keeps doing so: seen three times in a row, because a tracer may put
 * it to sleep for a moment, too.
 */
static inline void await_asleep(struct thread *t)
{
    for (int seen = 0; seen < 3;) {
        int tid = atomic_load(&t->tid);
        seen = tid && thread_state(tid) == 'S' ? seen + 1 : 0;
        milliseconds(2);
    }
}

#endif
