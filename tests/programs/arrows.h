/*
 * A stage: a thread waits, another one wakes it by way of the kernel. What the trace must show of it is printed as an
 * expectation.
 */
#ifndef THRACE_TESTS_ARROWS_H
#define THRACE_TESTS_ARROWS_H

#include "program.h"

#include <sys/socket.h>

static int in, out;
static char byte;
static int stage;

static void (*wait_part)(void), (*wake_part)(void);

static NOINLINE void *waiter(void *self)
{
    char name[16];
    introduce(self);
    snprintf(name, sizeof name, "waiter-%d", stage);
    CHECK(pthread_setname_np(pthread_self(), name) == 0);
    wait_part();
    return NULL;
}

static NOINLINE void *waker(void *self)
{
    char name[16];
    introduce(self);
    snprintf(name, sizeof name, "waker-%d", stage);
    CHECK(pthread_setname_np(pthread_self(), name) == 0);
    wake_part();
    return NULL;
}

static struct thread waiting;

static inline void run_stage(const char *what, void (*wait)(void), void (*wake)(void))
{
    struct thread waking;
    stage++;
    wait_part = wait;
    wake_part = wake;
    spawn(&waiting, waiter);
    await_asleep(&waiting);
    spawn(&waking, waker);
    join(&waking);
    join(&waiting);
    printf("%d: %s\n", stage, what);
}

static inline void expect(const char *reason, const char *by, const char *function)
{
    printf("trace: block waiter-%d %s %s", stage, reason, by);
    if (!strcmp(by, "waker"))
        printf("-%d", stage);
    printf(" %s<waiter\n", function);
}

static inline void reads(void) { CHECK(read(in, &byte, 1) == 1); }
static inline void writes(void) { CHECK(write(out, &byte, 1) == 1); }

static inline void open_pair(int type)
{
    int p[2];
    CHECK(socketpair(AF_UNIX, type, 0, p) == 0);
    in = p[0], out = p[1];
}

static inline void close_both(void)
{
    close(in);
    if (out != in)
        close(out);
}

static NOINLINE void *one_of(void *self)
{
    static atomic_int n;
    char name[16];
    introduce(self);
    snprintf(name, sizeof name, "one-%d", atomic_fetch_add(&n, 1));
    CHECK(pthread_setname_np(pthread_self(), name) == 0);
    wait_part();
    return NULL;
}

static struct thread several[4];
static int first; /* of the next row of waiters, as they are numbered */

static inline void gather(int n, void (*wait)(void))
{
    wait_part = wait;
    for (int i = 0; i < n; i++) {
        spawn(&several[i], one_of);
        await_asleep(&several[i]);
    }
}

#define EXPECT_ONE(i, reason, by, function)                                                                            \
    printf("trace: block one-%d " reason " " by " " function "<one_of\n", first + (i))

#endif
