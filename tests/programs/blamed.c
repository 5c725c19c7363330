/*
 * blamed CASE: threads wait, each time for one thing, and it is known whose fault that is. Where a thread waits for
 * others to be asleep first, it does afterwards what it is blamed for, at least four times as long.
 */
#include "program.h"

#include <fcntl.h>
#include <semaphore.h>

enum { LEAST = 40 /* ms */, WRITERS = 3, PAGE = 4096 };

static atomic_bool ready;
static struct timespec since;
static volatile int deed; /* keeps functions apart that do the same */

static void note_time(void) { clock_gettime(CLOCK_MONOTONIC, &since); }

/* Four times as long as it is since note_time. */
static unsigned long_enough(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000;
    return (unsigned)(LEAST + 4 * ms);
}

/* --- flush: one thread holds a lock over a fdatasync and a sleep, others wait for it ------------------------------ */

static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static struct thread writers[WRITERS], other;

static NOINLINE void flush(void)
{
    char path[] = "/tmp/blamed.XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && unlink(path) == 0 && write(fd, path, sizeof path) > 0);
    fdatasync(fd);
    close(fd);
    usleep(1000 * long_enough());
}

static NOINLINE void *flusher(void *self)
{
    introduce(self);
    pthread_mutex_lock(&journal);
    note_time();
    atomic_store(&ready, true);
    for (int i = 0; i < WRITERS; i++)
        await_asleep(&writers[i]);
    flush();
    pthread_mutex_unlock(&journal);
    return NULL;
}

static NOINLINE void *writer(void *self)
{
    wait_for(&ready);
    introduce(self);
    pthread_mutex_lock(&journal);
    pthread_mutex_unlock(&journal);
    return NULL;
}

static void flush_case(void)
{
    struct thread t;
    for (int i = 0; i < WRITERS; i++)
        spawn(&writers[i], writer);
    spawn(&t, flusher);
    join(&t);
    for (int i = 0; i < WRITERS; i++)
        join(&writers[i]);
}

/* --- nested: who holds the outer lock waits for the inner one, whose holder sleeps -------------------------------- */

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool has_inner, has_outer;
static struct thread middle, client;

static NOINLINE void work_inside(void)
{
    deed = 1;
    usleep(1000 * long_enough());
}

static NOINLINE void *inner_holder(void *self)
{
    introduce(self);
    pthread_mutex_lock(&inner);
    atomic_store(&has_inner, true);
    wait_for(&has_outer);
    note_time();
    await_asleep(&middle);
    await_asleep(&client);
    work_inside();
    pthread_mutex_unlock(&inner);
    return NULL;
}

static NOINLINE void *outer_holder(void *self)
{
    wait_for(&has_inner);
    pthread_mutex_lock(&outer);
    atomic_store(&has_outer, true);
    introduce(self);
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return NULL;
}

static NOINLINE void *outer_client(void *self)
{
    wait_for(&has_outer);
    introduce(self);
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
    return NULL;
}

static void nested_case(void)
{
    struct thread t;
    spawn(&middle, outer_holder);
    spawn(&client, outer_client);
    spawn(&t, inner_holder);
    join(&t);
    join(&middle);
    join(&client);
}

/* --- reader: holds a lock for reading, and a writer waits --------------------------------------------------------- */

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static NOINLINE void inspect(void)
{
    deed = 2;
    usleep(1000 * long_enough());
}

static NOINLINE void *reader(void *self)
{
    introduce(self);
    pthread_rwlock_rdlock(&table);
    note_time();
    atomic_store(&ready, true);
    await_asleep(&other);
    inspect();
    pthread_rwlock_unlock(&table);
    return NULL;
}

static NOINLINE void *updater(void *self)
{
    wait_for(&ready);
    introduce(self);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    return NULL;
}

static void pair(void *(*first)(void *), void *(*second)(void *))
{
    struct thread t;
    spawn(&other, second);
    spawn(&t, first);
    join(&t);
    join(&other);
}

/* --- condition, semaphore: who is to signal computes first -------------------------------------------------------- */

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static bool is_filled;
static sem_t answers;

static NOINLINE void compress(void)
{
    long ms = long_enough();
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (volatile int i = 0; i < 100000; i++)
            ;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

static NOINLINE void *producer(void *self)
{
    introduce(self);
    note_time();
    atomic_store(&ready, true);
    await_asleep(&other);
    compress();
    pthread_mutex_lock(&queue);
    is_filled = true;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&queue);
    return NULL;
}

static NOINLINE void *consumer(void *self)
{
    wait_for(&ready);
    pthread_mutex_lock(&queue);
    introduce(self);
    while (!is_filled)
        pthread_cond_wait(&filled, &queue);
    pthread_mutex_unlock(&queue);
    return NULL;
}

static NOINLINE void *poster(void *self)
{
    introduce(self);
    note_time();
    atomic_store(&ready, true);
    await_asleep(&other);
    inspect();
    sem_post(&answers);
    return NULL;
}

static NOINLINE void *asker(void *self)
{
    wait_for(&ready);
    introduce(self);
    sem_wait(&answers);
    return NULL;
}

/* --- pipes: a slow reader lets it get full, a slow writer empty --------------------------------------------------- */

static int ends[2];
static char page[PAGE];

static NOINLINE void digest(void)
{
    deed = 3;
    usleep(1000 * long_enough());
}

static NOINLINE void *slow_reader(void *self)
{
    introduce(self);
    note_time();
    atomic_store(&ready, true);
    await_asleep(&other);
    digest();
    CHECK(read(ends[0], page, PAGE) == PAGE);
    return NULL;
}

static NOINLINE void *quick_writer(void *self)
{
    wait_for(&ready);
    introduce(self);
    CHECK(write(ends[1], page, PAGE) == PAGE);
    return NULL;
}

static void full_case(void)
{
    CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PAGE) == PAGE && write(ends[1], page, PAGE) == PAGE);
    pair(slow_reader, quick_writer);
}

static NOINLINE void *slow_writer(void *self)
{
    introduce(self);
    note_time();
    atomic_store(&ready, true);
    await_asleep(&other);
    digest();
    CHECK(write(ends[1], page, 1) == 1);
    return NULL;
}

static NOINLINE void *quick_reader(void *self)
{
    wait_for(&ready);
    introduce(self);
    CHECK(read(ends[0], page, 1) == 1);
    return NULL;
}

static void empty_case(void)
{
    CHECK(pipe(ends) == 0);
    pair(slow_writer, quick_reader);
}

/* --- join: the last of several threads ---------------------------------------------------------------------------- */

static NOINLINE void *quick(void *self)
{
    introduce(self);
    return NULL;
}

static NOINLINE void *slowest(void *self)
{
    introduce(self);
    note_time();
    wait_for(&ready);
    inspect();
    return NULL;
}

static void join_case(void)
{
    struct thread t[3];
    spawn(&t[0], slowest);
    spawn(&t[1], quick);
    spawn(&t[2], quick);
    join(&t[1]);
    join(&t[2]);
    atomic_store(&ready, true);
    join(&t[0]);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    CHECK(sem_init(&answers, 0, 0) == 0);
    if (!strcmp(name, "flush"))
        flush_case();
    else if (!strcmp(name, "nested"))
        nested_case();
    else if (!strcmp(name, "reader"))
        pair(reader, updater);
    else if (!strcmp(name, "condition"))
        pair(producer, consumer);
    else if (!strcmp(name, "semaphore"))
        pair(poster, asker);
    else if (!strcmp(name, "full"))
        full_case();
    else if (!strcmp(name, "empty"))
        empty_case();
    else if (!strcmp(name, "join"))
        join_case();
    else
        return 2;
    return 0;
}
