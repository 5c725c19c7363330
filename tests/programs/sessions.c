/*
 * sessions CYCLES [FIRST]: records parts of its own run, over and over, while threads wait, compute, come and go. It is
 * known which threads wait and which sleep when each session begins. Prints how often start and stop worked when asked
 * by COUNTS. Ends when its stdin does.
 */
#include "program.h"
#include "recording.h"

#include <semaphore.h>

enum { CHURNERS = 2 };

static sem_t never;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, busy = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool over;

static NOINLINE void *waits(void *self)
{
    introduce(self);
    sem_wait(&never);
    return NULL;
}

static NOINLINE void *locks(void *self)
{
    introduce(self);
    pthread_setname_np(pthread_self(), "locker");
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return NULL;
}

static NOINLINE void *computes(void *self)
{
    introduce(self);
    while (!atomic_load(&over)) {
        pthread_mutex_lock(&busy);
        pthread_mutex_unlock(&busy);
        sched_yield();
    }
    return NULL;
}

static NOINLINE void *lives_shortly(void *self)
{
    introduce(self);
    milliseconds(1);
    return NULL;
}

static NOINLINE void *churns(void *self)
{
    introduce(self);
    while (!atomic_load(&over)) {
        struct thread child;
        CHECK(pthread_create(&child.id, NULL, lives_shortly, &child) == 0);
        join(&child);
    }
    return NULL;
}

static long rss_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%*d %ld", &pages) == 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
    int cycles = argc > 1 ? atoi(argv[1]) : 3, started = 0, stopped = 0;
    struct thread w, l, c[CHURNERS], computer;
    long rss = 0;
    CHECK(sem_init(&never, 0, 0) == 0);
    pthread_mutex_lock(&held);
    spawn(&w, waits);
    spawn(&l, locks);
    spawn(&computer, computes);
    for (int i = 0; i < CHURNERS; i++)
        spawn(&c[i], churns);
    await_asleep(&w);
    await_asleep(&l);
    for (int i = 0; i < cycles; i++) {
        int err = start_recording();
        CHECK(!err || err == ENOSYS || err == EALREADY);
        started += !err;
        milliseconds(argc > 2 ? atoi(argv[2]) : 3);
        err = thrace_stop();
        CHECK(!err || err == ENOSYS || err == EALREADY);
        stopped += !err;
        if (i % 2) /* somebody else's turn */
            milliseconds(3);
        if (i == cycles / 10)
            rss = rss_kib();
    }
    long grown = rss_kib() - rss;
    if (getenv("COUNTS"))
        printf("started %d stopped %d grown %ld\n", started, stopped, grown);
    fflush(stdout);
    ssize_t got;
    for (char byte; (got = read(0, &byte, 1)) > 0;) /* all live until somebody else has seen enough */
        ;
    CHECK(got == 0); /* and do not end because a sample interrupted it */
    atomic_store(&over, true);
    pthread_mutex_unlock(&held);
    sem_post(&never);
    join(&w);
    join(&l);
    join(&computer);
    for (int i = 0; i < CHURNERS; i++)
        join(&c[i]);
    puts("trace: goroutine waits 1");
    return 0;
}
