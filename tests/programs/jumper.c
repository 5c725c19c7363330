/* A signal handler jumps out of whatever wait its thread is in, thousands of times. */
#include "program.h"

#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>

static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t may_jump;
static atomic_int jumps;
static atomic_bool over;
static sem_t never;

static void jump_out(int signal)
{
    if (may_jump)
        siglongjmp(out, 1);
}

/* Returns when a signal came in the middle of it, wherever it was. */
#define UNTIL_SIGNALLED(call)                                                                                          \
    do {                                                                                                               \
        if (sigsetjmp(out, 1) == 0) {                                                                                  \
            may_jump = 1;                                                                                              \
            while (!atomic_load(&over))                                                                                \
                call;                                                                                                  \
            may_jump = 0;                                                                                              \
        } else {                                                                                                       \
            may_jump = 0;                                                                                              \
            atomic_fetch_add(&jumps, 1);                                                                               \
        }                                                                                                              \
    } while (0)

static NOINLINE void *jumps_from_sem(void *self)
{
    introduce(self);
    while (!atomic_load(&over))
        UNTIL_SIGNALLED(sem_wait(&never));
    return NULL;
}

static NOINLINE void *jumps_from_sleep(void *self)
{
    static const struct timespec hour = {3600, 0};
    introduce(self);
    while (!atomic_load(&over))
        UNTIL_SIGNALLED(nanosleep(&hour, NULL));
    return NULL;
}

static struct thread same_thread;
static sem_t last;
static atomic_bool jumped_enough;

/* All calls from one frame. What it does after the last jump is seen. */
static NOINLINE void *jumps_in_place(void *self)
{
    introduce(self);
    sigsetjmp(out, 1);
    may_jump = 1;
    while (!atomic_load(&jumped_enough))
        sched_yield();
    may_jump = 0;
    sem_wait(&last);
    NO_TAIL_CALL();
    return NULL;
}

static void jump_in_place(void)
{
    CHECK(sem_init(&last, 0, 0) == 0);
    spawn(&same_thread, jumps_in_place);
    while (!atomic_load(&same_thread.tid))
        sched_yield();
    for (int i = 0; i < 10000; i++) {
        pthread_kill(same_thread.id, SIGUSR1);
        for (volatile int k = 0; k < 1000 + i % 2000; k++) /* anywhere */
            ;
    }
    atomic_store(&jumped_enough, true);
    await_asleep(&same_thread);
    sem_post(&last);
    join(&same_thread);
    puts("trace: block jumps_in_place sync main sem_wait<jumps_in_place");
}

static NOINLINE void *jumps_from_yield(void *self)
{
    introduce(self);
    while (!atomic_load(&over))
        UNTIL_SIGNALLED(sched_yield());
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = jump_out};
    struct thread t[3];
    CHECK(sem_init(&never, 0, 0) == 0);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    jump_in_place();
    spawn(&t[0], jumps_from_sem);
    spawn(&t[1], jumps_from_sleep);
    spawn(&t[2], jumps_from_yield);
    for (int i = 0; i < 3; i++)
        while (!atomic_load(&t[i].tid))
            sched_yield();
    for (int i = 0; atomic_load(&jumps) < 3000; i++) {
        pthread_kill(t[i % 3].id, SIGUSR1);
        sched_yield();
    }
    atomic_store(&over, true);
    for (int i = 0; i < 3; i++) {
        while (atomic_load(&t[i].tid) && thread_state(atomic_load(&t[i].tid))) {
            pthread_kill(t[i].id, SIGUSR1);
            milliseconds(1);
        }
        join(&t[i]);
    }
    puts("jumped");
    puts("trace: goroutines 5");
    puts("trace: alive jumps_from_sem 0");
    return 0;
}
