/*
 * A pool whose threads are idle, and two that are not: workers wait for jobs, a feeder for what another process writes, a
 * timer sleeps, and the main thread joins them all; but one thread sleeps with a lock that another one waits for. Prints
 * the thread ids of the workers.
 */
#include "program.h"

#include <sys/wait.h>

enum { WORKERS = 3, JOBS = 2, LENGTH = 30 /* ms */ };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, slow_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_there = PTHREAD_COND_INITIALIZER;
static int jobs, ends[2];
static bool over;
static atomic_bool has_lock;
static struct thread workers[WORKERS], feeder, timer, holder, client;

static NOINLINE bool take_job(void)
{
    pthread_mutex_lock(&queue_lock);
    while (!jobs && !over)
        pthread_cond_wait(&job_there, &queue_lock);
    bool any = jobs > 0;
    jobs -= any;
    pthread_mutex_unlock(&queue_lock);
    return any;
}

static NOINLINE void *worker(void *self)
{
    introduce(self);
    while (take_job())
        NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *feed(void *self)
{
    char job;
    introduce(self);
    while (read(ends[0], &job, 1) == 1) {
        pthread_mutex_lock(&queue_lock);
        jobs++;
        pthread_cond_signal(&job_there);
        pthread_mutex_unlock(&queue_lock);
    }
    pthread_mutex_lock(&queue_lock);
    over = true;
    pthread_cond_broadcast(&job_there);
    pthread_mutex_unlock(&queue_lock);
    return NULL;
}

static NOINLINE void *tick(void *self)
{
    introduce(self);
    milliseconds(LENGTH);
    return NULL;
}

static NOINLINE void *hold(void *self)
{
    struct timespec ts = {0, LENGTH * 1000000};
    introduce(self);
    pthread_mutex_lock(&slow_lock);
    atomic_store(&has_lock, true);
    await_asleep(&client);
    nanosleep(&ts, NULL);
    pthread_mutex_unlock(&slow_lock);
    return NULL;
}

static NOINLINE void *ask(void *self)
{
    wait_for(&has_lock);
    introduce(self);
    pthread_mutex_lock(&slow_lock);
    pthread_mutex_unlock(&slow_lock);
    return NULL;
}

/* Nothing of another process is in the trace. */
static pid_t write_jobs(void)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid) {
        close(ends[1]);
        return pid;
    }
    for (int i = 0; i < JOBS; i++) {
        milliseconds(LENGTH);
        CHECK(write(ends[1], "", 1) == 1);
    }
    _exit(0);
}

int main(void)
{
    CHECK(pipe(ends) == 0);
    pid_t pid = write_jobs();
    for (int i = 0; i < WORKERS; i++)
        spawn(&workers[i], worker);
    spawn(&feeder, feed);
    spawn(&timer, tick);
    spawn(&client, ask);
    spawn(&holder, hold);
    join(&holder);
    join(&client);
    join(&feeder);
    for (int i = 0; i < WORKERS; i++)
        join(&workers[i]);
    join(&timer);
    CHECK(waitpid(pid, NULL, 0) == pid);
    for (int i = 0; i < WORKERS; i++)
        printf("%d\n", atomic_load(&workers[i].tid));
    return 0;
}
