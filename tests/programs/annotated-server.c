/*
 * annotated-server [LOG]: a queue, a pool of threads, and a task for each request, which its thread waits for in one of
 * four ways: for a lock that the partner holds, for a condition that it signals, for what it writes into a pipe, and
 * asleep. LOG has a line for each request: kind, task, and ns from its begin to its end twice: with the clock read
 * within what the trace has between TaskBegin and TaskEnd, and around that.
 */
#include <thrace/annotate.h>

#include "program.h"

#include <inttypes.h>
#include <semaphore.h>
#include <stddef.h>

enum { WORKERS = 4, REQUESTS = 200, QUEUE = 6 };
enum kind { LOCK, CONDITION, PIPE, NAP, KINDS };

static const char *const kinds[KINDS] = {"lock", "condition", "pipe", "nap"};

struct request {
    enum kind kind;
    uint64_t task;
    uint64_t before_begin, after_begin, before_end, after_end;
};

static struct request requests[REQUESTS];
static size_t taken; /* by workers, in the order of requests */
static sem_t queued, room;

/* A worker and the thread that it waits for. */
struct desk {
    struct thread worker, partner;
    sem_t ask;
    enum kind kind;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool held;
    bool answered;
    int pipe[2];
};

static struct desk desks[WORKERS];

static uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Long enough for what the clocks and the annotations are off by not to count. */
static void keep_waiting(struct desk *d)
{
    await_asleep(&d->worker);
    milliseconds(14);
}

static void *partner(void *self)
{
    struct desk *d = (struct desk *)((char *)self - offsetof(struct desk, partner));
    introduce(self);
    for (;;) {
        CHECK(sem_wait(&d->ask) == 0);
        switch (d->kind) {
        case LOCK:
            pthread_mutex_lock(&d->lock);
            atomic_store(&d->held, true);
            keep_waiting(d);
            pthread_mutex_unlock(&d->lock);
            break;
        case CONDITION:
            keep_waiting(d);
            pthread_mutex_lock(&d->lock);
            d->answered = true;
            pthread_cond_signal(&d->changed);
            pthread_mutex_unlock(&d->lock);
            break;
        case PIPE:
            keep_waiting(d);
            CHECK(write(d->pipe[1], "", 1) == 1);
            break;
        default: return NULL;
        }
    }
}

static void ask(struct desk *d, enum kind kind)
{
    d->kind = kind;
    CHECK(sem_post(&d->ask) == 0);
}

static void serve(struct desk *d, enum kind kind)
{
    char byte;
    THRACE_REGION("serve");
    switch (kind) {
    case LOCK: {
        ask(d, kind);
        wait_for(&d->held);
        THRACE_REGION("locked");
        pthread_mutex_lock(&d->lock);
        atomic_store(&d->held, false);
        pthread_mutex_unlock(&d->lock);
        break;
    }
    case CONDITION:
        ask(d, kind);
        pthread_mutex_lock(&d->lock);
        while (!d->answered)
            pthread_cond_wait(&d->changed, &d->lock);
        d->answered = false;
        pthread_mutex_unlock(&d->lock);
        break;
    case PIPE:
        ask(d, kind);
        CHECK(read(d->pipe[0], &byte, 1) == 1);
        break;
    default: milliseconds(20); break;
    }
}

static void *worker(void *self)
{
    struct desk *d = (struct desk *)((char *)self - offsetof(struct desk, worker));
    introduce(self);
    for (;;) {
        CHECK(sem_wait(&queued) == 0);
        size_t i = __atomic_fetch_add(&taken, 1, __ATOMIC_ACQ_REL);
        if (i >= REQUESTS)
            break;
        struct request *r = &requests[i];
        uint64_t before = thrace_task_adopt(r->task);
        serve(d, r->kind);
        thrace_task_adopt(before);
        r->before_end = now_ns();
        thrace_task_end(r->task);
        r->after_end = now_ns();
        CHECK(sem_post(&room) == 0);
    }
    ask(d, KINDS);
    return NULL;
}

static void listener(void)
{
    for (int i = 0; i < REQUESTS; i++) {
        struct request *r = &requests[i];
        CHECK(sem_wait(&room) == 0);
        r->kind = (enum kind)(i % KINDS);
        r->before_begin = now_ns();
        r->task = thrace_task_begin(kinds[r->kind]);
        r->after_begin = now_ns();
        CHECK(sem_post(&queued) == 0);
    }
}

static void write_log(const char *path)
{
    FILE *f = fopen(path, "w");
    CHECK(f);
    for (int i = 0; i < REQUESTS; i++) {
        const struct request *r = &requests[i];
        fprintf(f, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", kinds[r->kind], r->task,
                r->before_end - r->after_begin, r->after_end - r->before_begin);
    }
    CHECK(fclose(f) == 0);
}

int main(int argc, char **argv)
{
    CHECK(sem_init(&queued, 0, 0) == 0 && sem_init(&room, 0, QUEUE) == 0);
    for (int i = 0; i < WORKERS; i++) {
        struct desk *d = &desks[i];
        CHECK(sem_init(&d->ask, 0, 0) == 0 && pipe(d->pipe) == 0);
        CHECK(pthread_mutex_init(&d->lock, NULL) == 0 && pthread_cond_init(&d->changed, NULL) == 0);
        spawn(&d->partner, partner);
        spawn(&d->worker, worker);
    }
    listener();
    for (int i = 0; i < WORKERS; i++)
        CHECK(sem_post(&queued) == 0);
    for (int i = 0; i < WORKERS; i++) {
        join(&desks[i].worker);
        join(&desks[i].partner);
    }
    if (argc > 1)
        write_log(argv[1]);
    puts("trace: goroutine worker 4");
    puts("trace: goroutine partner 4");
    return 0;
}
