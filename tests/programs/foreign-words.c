/*
 * foreign-words [stays]: a mutex, an rwlock and a routine that is run once, each of which one thread awaits, and a line
 * of text. Its library may keep their state where libc does not, and the recorder does not look. With an argument it
 * holds the mutex for as long as it has an input.
 */
#include "program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct thread waiter;
static atomic_bool runs, has_run;
static int taken, read_by, run;

static NOINLINE void *takes(void *self)
{
    introduce(self);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    taken++;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    return NULL;
}

static NOINLINE void *reads(void *self)
{
    introduce(self);
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
    read_by++;
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    return NULL;
}

static void routine(void)
{
    run++;
    atomic_store(&runs, true);
    await_asleep(&waiter);
    atomic_store(&has_run, true);
}

static NOINLINE void *runs_once(void *self)
{
    wait_for(&runs);
    introduce(self);
    CHECK(pthread_once(&once, routine) == 0);
    CHECK(atomic_load(&has_run));
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    spawn(&waiter, takes);
    await_asleep(&waiter);
    if (argc > 1) {
        puts("stays");
        fflush(stdout);
        CHECK(getchar() == EOF);
    }
    taken++;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    join(&waiter);

    CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
    spawn(&waiter, reads);
    await_asleep(&waiter);
    read_by++;
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    join(&waiter);

    spawn(&waiter, runs_once);
    for (int i = 0; i < 10; i++)
        CHECK(pthread_once(&once, routine) == 0);
    join(&waiter);

    printf("taken %d times, read by %d, run %d times\n", taken, read_by, run);
    CHECK(fflush(stdout) == 0);
    return 0;
}
