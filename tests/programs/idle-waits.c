/*
 * idle-waits MS: threads that are idle for longer than MS each: they wait for a time, for input, for work, for a post
 * that never comes. When they are through, one waits for a lock that another one holds for longer than MS. With the
 * environment variable AWAIT it does not end before that file is there, or 100 s have passed.
 */
#include "program.h"

#include <poll.h>
#include <semaphore.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, pool = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static bool is_work;
static long ms;

static NOINLINE void *polls(void *self)
{
    introduce(self);
    poll(NULL, 0, (int)ms);
    return NULL;
}

/* Nobody posts: the time runs out. */
static NOINLINE void *times_out(void *self)
{
    sem_t never;
    introduce(self);
    sem_init(&never, 0, 0);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    sem_timedwait(&never, &until);
    return NULL;
}

static NOINLINE void *works(void *self)
{
    introduce(self);
    pthread_mutex_lock(&pool);
    while (!is_work)
        pthread_cond_wait(&work, &pool);
    pthread_mutex_unlock(&pool);
    return NULL;
}

static NOINLINE void *victim(void *self)
{
    introduce(self);
    pthread_setname_np(pthread_self(), "victim");
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return NULL;
}

static void await_snapshot(void)
{
    enum { PAUSE_MS = 20, PAUSES = 5000 };
    const char *file = getenv("AWAIT");
    for (int i = 0; file && i < PAUSES && access(file, F_OK) != 0; i++)
        milliseconds(PAUSE_MS);
    milliseconds(ms);
}

int main(int argc, char **argv)
{
    struct thread t[4];
    ms = (argc > 1 ? atol(argv[1]) : 100) + 50;
    spawn(&t[0], polls);
    spawn(&t[1], works);
    spawn(&t[3], times_out);
    milliseconds(ms);
    await_asleep(&t[1]);
    pthread_mutex_lock(&pool);
    is_work = true;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&pool);
    pthread_mutex_lock(&held);
    spawn(&t[2], victim);
    await_asleep(&t[2]);
    milliseconds(ms);
    pthread_mutex_unlock(&held);
    await_snapshot();
    for (int i = 0; i < 4; i++)
        join(&t[i]);
    puts("done");
    return 0;
}
