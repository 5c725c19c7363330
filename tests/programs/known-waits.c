/* Every kind of wait once, each staged so that who waits, for what, and who wakes whom is certain. */
#include "known-waits.h"

#include <semaphore.h>

/* --- a mutex: A holds it for 50 ms, B and then C wait ----------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool held, release_a;
static int line_b, line_c;

static NOINLINE void *holder_a(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    atomic_store(&held, true);
    wait_for(&release_a);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static NOINLINE void *waiter_b(void *self)
{
    introduce(self);
    line_b = __LINE__, pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static NOINLINE void inner_c(void)
{
    line_c = __LINE__, pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    NO_TAIL_CALL();
}

static NOINLINE void *waiter_c(void *self)
{
    introduce(self);
    inner_c();
    NO_TAIL_CALL();
    return NULL;
}

static void mutex_waits(void)
{
    struct thread a, b, c;
    spawn(&a, holder_a);
    wait_for(&held);
    spawn(&b, waiter_b);
    await_asleep(&b);
    spawn(&c, waiter_c);
    await_asleep(&c);
    milliseconds(50);
    atomic_store(&release_a, true);
    join(&a);
    join(&b);
    join(&c);
    puts("trace: quiet holder_a");
    printf("trace: block waiter_b sync holder_a pthread_mutex_lock<waiter_b@known-waits.c:%d\n", line_b);
    printf("trace: block waiter_c sync waiter_b pthread_mutex_lock<inner_c@known-waits.c:%d<waiter_c\n", line_c);
}

/* --- a condition variable: a producer signals a consumer -------------------------------------------------------- */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static bool filled;
static int line_consumer;

static NOINLINE void *consumer(void *self)
{
    introduce(self);
    pthread_mutex_lock(&queue_lock);
    while (!filled)
        line_consumer = __LINE__, pthread_cond_wait(&queue_filled, &queue_lock);
    pthread_mutex_unlock(&queue_lock);
    return NULL;
}

static NOINLINE void *producer(void *self)
{
    introduce(self);
    pthread_mutex_lock(&queue_lock);
    filled = true;
    pthread_cond_signal(&queue_filled);
    pthread_mutex_unlock(&queue_lock);
    return NULL;
}

/* --- a broadcast wakes three ------------------------------------------------------------------------------------- */

static pthread_cond_t gate_open = PTHREAD_COND_INITIALIZER;
static bool opened;

static NOINLINE void *at_the_gate(void *self)
{
    introduce(self);
    pthread_mutex_lock(&queue_lock);
    while (!opened)
        pthread_cond_wait(&gate_open, &queue_lock);
    pthread_mutex_unlock(&queue_lock);
    return NULL;
}

static NOINLINE void *gatekeeper(void *self)
{
    introduce(self);
    pthread_mutex_lock(&queue_lock);
    opened = true;
    pthread_mutex_unlock(&queue_lock);
    pthread_cond_broadcast(&gate_open);
    NO_TAIL_CALL();
    return NULL;
}

static void cond_waits(void)
{
    struct thread c, p, at_gate[3], keeper;
    spawn(&c, consumer);
    await_asleep(&c);
    spawn(&p, producer);
    join(&p);
    join(&c);
    printf("trace: block consumer sync.(*Cond).Wait producer pthread_cond_wait<consumer@known-waits.c:%d\n",
           line_consumer);
    puts("trace: quiet producer");

    for (int i = 0; i < 3; i++) {
        spawn(&at_gate[i], at_the_gate);
        await_asleep(&at_gate[i]);
    }
    spawn(&keeper, gatekeeper);
    join(&keeper);
    for (int i = 0; i < 3; i++)
        join(&at_gate[i]);
    puts("trace: block at_the_gate sync.(*Cond).Wait gatekeeper pthread_cond_wait<at_the_gate 3");
}

/* --- a readers-writer lock: a writer keeps readers waiting, then readers a writer -------------------------------- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool writing, release_writer, release_readers;
static atomic_int reading;

static NOINLINE void *early_writer(void *self)
{
    introduce(self);
    pthread_rwlock_wrlock(&rwlock);
    atomic_store(&writing, true);
    wait_for(&release_writer);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static NOINLINE void *reader(void *self)
{
    introduce(self);
    pthread_rwlock_rdlock(&rwlock);
    atomic_fetch_add(&reading, 1);
    wait_for(&release_readers);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static NOINLINE void *late_writer(void *self)
{
    introduce(self);
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void rwlock_waits(void)
{
    struct thread w, r[2], late;
    spawn(&w, early_writer);
    wait_for(&writing);
    for (int i = 0; i < 2; i++) {
        spawn(&r[i], reader);
        await_asleep(&r[i]);
    }
    atomic_store(&release_writer, true);
    while (atomic_load(&reading) < 2)
        sched_yield();
    spawn(&late, late_writer);
    await_asleep(&late);
    atomic_store(&release_readers, true);
    join(&w);
    join(&r[0]);
    join(&r[1]);
    join(&late);
    puts("trace: quiet early_writer");
    puts("trace: block reader sync early_writer pthread_rwlock_rdlock<reader 2");
    puts("trace: block late_writer sync reader pthread_rwlock_wrlock<late_writer");
}

/* --- semaphore, barrier, join, once ------------------------------------------------------------------------------ */

static sem_t items;

static NOINLINE void *sem_waiter(void *self)
{
    introduce(self);
    sem_wait(&items);
    NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *sem_poster(void *self)
{
    introduce(self);
    sem_post(&items);
    NO_TAIL_CALL();
    return NULL;
}

static void semaphore_waits(void)
{
    struct thread w, p;
    CHECK(sem_init(&items, 0, 0) == 0);
    spawn(&w, sem_waiter);
    await_asleep(&w);
    spawn(&p, sem_poster);
    join(&p);
    join(&w);
    sem_destroy(&items);
    puts("trace: block sem_waiter sync sem_poster sem_wait<sem_waiter");
    puts("trace: quiet sem_poster");
}

static pthread_barrier_t barrier;

static NOINLINE void *early_party(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *last_party(void *self)
{
    introduce(self);
    CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    return NULL;
}

static void barrier_waits(void)
{
    struct thread early[3], last;
    CHECK(pthread_barrier_init(&barrier, NULL, 4) == 0);
    for (int i = 0; i < 3; i++) {
        spawn(&early[i], early_party);
        await_asleep(&early[i]);
    }
    spawn(&last, last_party);
    for (int i = 0; i < 3; i++)
        join(&early[i]);
    join(&last);
    pthread_barrier_destroy(&barrier);
    puts("trace: block early_party sync last_party pthread_barrier_wait<early_party 3");
    puts("trace: quiet last_party");
}

static struct thread joinee_thread;
static atomic_bool release_joinee;

static NOINLINE void *joinee(void *self)
{
    introduce(self);
    wait_for(&release_joinee);
    return NULL;
}

static NOINLINE void *joiner(void *self)
{
    introduce(self);
    join(&joinee_thread);
    NO_TAIL_CALL();
    return NULL;
}

static void join_waits(void)
{
    struct thread j;
    spawn(&joinee_thread, joinee);
    spawn(&j, joiner);
    await_asleep(&j);
    atomic_store(&release_joinee, true);
    join(&j);
    puts("trace: block joiner sync joinee pthread_join<joiner");
    puts("trace: quiet joinee");
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool once_runs, release_once;

static NOINLINE void initialise(void)
{
    atomic_store(&once_runs, true);
    wait_for(&release_once);
}

static NOINLINE void *once_runner(void *self)
{
    introduce(self);
    pthread_once(&once, initialise);
    NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *once_waiter(void *self)
{
    introduce(self);
    pthread_once(&once, initialise);
    NO_TAIL_CALL();
    return NULL;
}

static void once_waits(void)
{
    struct thread r, w;
    spawn(&r, once_runner);
    wait_for(&once_runs);
    spawn(&w, once_waiter);
    await_asleep(&w);
    atomic_store(&release_once, true);
    join(&r);
    join(&w);
    puts("trace: quiet once_runner");
    puts("trace: block once_waiter sync once_runner pthread_once<once_waiter");
}

int main(void)
{
    mutex_waits();
    cond_waits();
    timeouts();
    rwlock_waits();
    semaphore_waits();
    barrier_waits();
    join_waits();
    once_waits();
    sleeps();
    puts("trace: goroutine main 1");
    printf("trace: goroutines %d\n", threads_spawned + timed_threads() + 1);
    return 0;
}
