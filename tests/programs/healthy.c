/*
 * healthy MODE: small programs as they should be. Threads wait, for work, for each other, for time, for locks; nothing of
 * it is anybody's fault. Those that compute are no more than there are processors.
 */
#include "program.h"
#include "diseases/work.h"

#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

enum { MOST = 4, PAGE = 4096 };

static int nthreads; /* that compute at a time */

static NOINLINE uint64_t digest(const unsigned char *page, size_t size)
{
    uint64_t hash = FIRST_HASH;
    for (size_t i = 0; i < size; i++)
        MIX(hash, page[i]);
    return hash;
}

static NOINLINE void work(int64_t us)
{
    static const unsigned char page[1024];
    uint64_t sum = digest(page, sizeof page); /* that much CPU time may be gone at once, on a virtual machine */
    FOR_CPU_US(us)
        sum += digest(page, sizeof page);
    CHECK(sum);
}

static void run(int n, void *(*start)(void *))
{
    struct thread t[MOST + 1];
    for (int i = 0; i < n; i++)
        spawn(&t[i], start);
    for (int i = 0; i < n; i++)
        join(&t[i]);
}

static struct thread *start_one(struct thread *t, void *(*start)(void *))
{
    spawn(t, start);
    return t;
}

/* --- a queue with room, of which both ends wait -------------------------------------------------------------------- */

enum { ROOM = 8 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int items[ROOM];
    unsigned first, last;
    bool over;
};

static void put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    while (q->last - q->first == ROOM)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->items[q->last++ % ROOM] = item;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->not_empty);
}

static bool take(struct queue *q, int *item)
{
    pthread_mutex_lock(&q->lock);
    while (q->last == q->first && !q->over)
        pthread_cond_wait(&q->not_empty, &q->lock);
    bool any = q->last != q->first;
    if (any)
        *item = q->items[q->first++ % ROOM];
    pthread_mutex_unlock(&q->lock);
    pthread_cond_signal(&q->not_full);
    return any;
}

static void finish(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->over = true;
    pthread_mutex_unlock(&q->lock);
    pthread_cond_broadcast(&q->not_empty);
}

#define QUEUE                                                                                                          \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER \
    }

static struct queue jobs = QUEUE;

/* --- pool: enough work for everybody; queue: one makes as quickly as the other uses -------------------------------- */

static void *worker(void *self)
{
    introduce(self);
    for (int job; take(&jobs, &job);)
        work(1000);
    return NULL;
}

static void pool(void)
{
    struct thread t[MOST];
    for (int i = 0; i < nthreads; i++)
        spawn(&t[i], worker);
    for (int i = 0; i < 40 * nthreads; i++)
        put(&jobs, i);
    finish(&jobs);
    for (int i = 0; i < nthreads; i++)
        join(&t[i]);
}

static void *maker(void *self)
{
    introduce(self);
    for (int i = 0; i < 60; i++) {
        work(1000);
        put(&jobs, i);
    }
    finish(&jobs);
    return NULL;
}

static void balanced(void)
{
    struct thread makes, uses;
    spawn(&uses, worker);
    spawn(&makes, maker);
    join(&makes);
    join(&uses);
}

/* --- pipeline: three stages of equal effort ------------------------------------------------------------------------ */

static int pipes[2][2];

static void *first_stage(void *self)
{
    unsigned char page[PAGE] = {0};
    introduce(self);
    for (int i = 0; i < 40; i++) {
        work(1000);
        CHECK(write(pipes[0][1], page, PAGE) == PAGE);
    }
    close(pipes[0][1]);
    return NULL;
}

static void *second_stage(void *self)
{
    unsigned char page[PAGE];
    introduce(self);
    while (read(pipes[0][0], page, PAGE) == PAGE) {
        work(1000);
        CHECK(write(pipes[1][1], page, PAGE) == PAGE);
    }
    close(pipes[1][1]);
    return NULL;
}

static void *third_stage(void *self)
{
    unsigned char page[PAGE];
    introduce(self);
    while (read(pipes[1][0], page, PAGE) == PAGE)
        work(1000);
    return NULL;
}

static void pipeline(void)
{
    struct thread a, b, c;
    CHECK(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    spawn(&a, first_stage);
    spawn(&b, second_stage);
    spawn(&c, third_stage);
    join(&a);
    join(&b);
    join(&c);
}

/* --- parallel: equal parts, and a barrier after each step; join: the same once ------------------------------------- */

static pthread_barrier_t step;

static void *part(void *self)
{
    introduce(self);
    for (int i = 0; i < 12; i++) {
        work(6000);
        pthread_barrier_wait(&step);
    }
    return NULL;
}

static void parallel(void)
{
    CHECK(pthread_barrier_init(&step, NULL, (unsigned)nthreads) == 0);
    run(nthreads, part);
}

static void *half(void *self)
{
    introduce(self);
    work(80000);
    return NULL;
}

static void fork_join(void) { run(nthreads, half); }

/* --- cache: many readers, few writers, all of them quick ----------------------------------------------------------- */

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t entries[64];

static void *reader(void *self)
{
    introduce(self);
    for (unsigned i = 0; i < 400; i++) {
        if (i % 40 == 0) {
            pthread_rwlock_wrlock(&table);
            entries[i % 64]++;
        } else {
            pthread_rwlock_rdlock(&table);
            CHECK(entries[i % 64] < 1000);
        }
        pthread_rwlock_unlock(&table);
        work(200);
    }
    return NULL;
}

static void cache(void) { run(nthreads, reader); }

/* --- events: a loop that answers clients; idle: it has nothing to do ----------------------------------------------- */

static int asks[2], answers[2], stop_fd;

static void *event_loop(void *self)
{
    introduce(self);
    int epoll = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN};
    CHECK(epoll >= 0);
    ev.data.fd = asks[0];
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, asks[0], &ev) == 0);
    ev.data.fd = stop_fd;
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, stop_fd, &ev) == 0);
    for (;;) {
        char c;
        CHECK(epoll_wait(epoll, &ev, 1, -1) == 1);
        if (ev.data.fd == stop_fd)
            break;
        CHECK(read(asks[0], &c, 1) == 1);
        work(200);
        CHECK(write(answers[1], &c, 1) == 1);
    }
    close(epoll);
    return NULL;
}

static void *client(void *self)
{
    introduce(self);
    for (int i = 0; i < 60; i++) {
        char c = 0;
        work(1000);
        CHECK(write(asks[1], &c, 1) == 1 && read(answers[0], &c, 1) == 1);
    }
    return NULL;
}

static void serve(bool busy)
{
    struct thread loop, asker;
    uint64_t one = 1;
    CHECK(pipe(asks) == 0 && pipe(answers) == 0 && (stop_fd = eventfd(0, 0)) >= 0);
    start_one(&loop, event_loop);
    if (busy)
        join(start_one(&asker, client));
    else
        milliseconds(80);
    CHECK(write(stop_fd, &one, sizeof one) == sizeof one);
    join(&loop);
}

static void events(void) { serve(true); }
static void idle(void) { serve(false); }

/* --- timers: things that are done at regular times ----------------------------------------------------------------- */

static sem_t ticks;

static void *ticker(void *self)
{
    introduce(self);
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    for (int i = 0; i < 40; i++) {
        at.tv_nsec += 3000000;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        sem_post(&ticks);
    }
    return NULL;
}

static void *heartbeat(void *self)
{
    static atomic_ulong beats;
    introduce(self);
    for (int i = 0; i < 60; i++) {
        usleep(2000);
        atomic_fetch_add(&beats, 1);
    }
    return NULL;
}

static void timers(void)
{
    struct thread t, h;
    CHECK(sem_init(&ticks, 0, 0) == 0);
    spawn(&t, ticker);
    spawn(&h, heartbeat);
    for (int i = 0; i < 40; i++)
        sem_wait(&ticks);
    join(&t);
    join(&h);
}

/* --- counters: a lock that is taken often, and held for a moment --------------------------------------------------- */

static pthread_mutex_t counters = PTHREAD_MUTEX_INITIALIZER;
static unsigned long counted;

static void *counter(void *self)
{
    introduce(self);
    for (int i = 0; i < 800; i++) {
        work(100);
        pthread_mutex_lock(&counters);
        counted++;
        pthread_mutex_unlock(&counters);
    }
    return NULL;
}

static void count(void) { run(nthreads, counter); }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"pool", pool},     {"queue", balanced}, {"pipeline", pipeline}, {"parallel", parallel},
                 {"join", fork_join}, {"cache", cache},    {"events", events},     {"idle", idle},
                 {"timers", timers},  {"counters", count}};
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    nthreads = CPU_COUNT(&set) < MOST ? CPU_COUNT(&set) : MOST;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && !strcmp(argv[1], modes[i].name)) {
            modes[i].run();
            return 0;
        }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        puts(modes[i].name);
    return 0;
}
