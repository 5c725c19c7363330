/*
 * Cases beyond the first one: the second and third round of a barrier, a broadcast of C11, a mutex released by a wait
 * for a condition, a routine of pthread_once whose thread is cancelled, waits with far deadlines that succeed, errno of
 * a call that had to wait.
 */
#include "program.h"

#include <semaphore.h>
#include <threads.h>

/* --- a barrier, three times --------------------------------------------------------------------------------------- */

enum { ROUNDS = 3 };

static pthread_barrier_t barrier;
static atomic_int through;

static NOINLINE void *early(void *self)
{
    introduce(self);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        atomic_fetch_add(&through, 1);
    }
    return NULL;
}

static struct thread early_ones[2];

static NOINLINE void *late(void *self)
{
    introduce(self);
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&through) < 2 * i)
            sched_yield();
        await_asleep(&early_ones[0]);
        await_asleep(&early_ones[1]);
        CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    }
    return NULL;
}

static void barrier_rounds(void)
{
    struct thread last;
    CHECK(!pthread_barrier_init(&barrier, NULL, 3));
    spawn(&early_ones[0], early);
    spawn(&early_ones[1], early);
    spawn(&last, late);
    join(&early_ones[0]);
    join(&early_ones[1]);
    join(&last);
    CHECK(!pthread_barrier_destroy(&barrier));
    printf("trace: block early sync late pthread_barrier_wait<early %d\n", 2 * ROUNDS);
    printf("trace: block late sleep self nanosleep<late any\n");
}

/* The same barrier again, for fewer, and one that other processes may share: nobody knows who comes last there. */
static NOINLINE void *of_two(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *of_shared(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    NO_TAIL_CALL();
    return NULL;
}

static void two_parties(void *(*party)(void *), const pthread_barrierattr_t *attr)
{
    struct thread t;
    CHECK(!pthread_barrier_init(&barrier, attr, 2));
    spawn(&t, party);
    await_asleep(&t);
    pthread_barrier_wait(&barrier);
    join(&t);
    CHECK(!pthread_barrier_destroy(&barrier));
}

static void other_barriers(void)
{
    pthread_barrierattr_t shared;
    two_parties(of_two, NULL);
    CHECK(!pthread_barrierattr_init(&shared) && !pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED));
    two_parties(of_shared, &shared);
    puts("trace: block of_two sync main pthread_barrier_wait<of_two");
    puts("trace: block of_shared sync self pthread_barrier_wait<of_shared");
}

/* --- conditions --------------------------------------------------------------------------------------------------- */

static mtx_t c11_lock;
static cnd_t c11_cond;
static bool called;

static NOINLINE void *c11_waiter(void *self)
{
    introduce(self);
    mtx_lock(&c11_lock);
    while (!called)
        cnd_wait(&c11_cond, &c11_lock);
    mtx_unlock(&c11_lock);
    return NULL;
}

static NOINLINE void *c11_caller(void *self)
{
    introduce(self);
    mtx_lock(&c11_lock);
    called = true;
    mtx_unlock(&c11_lock);
    cnd_broadcast(&c11_cond);
    NO_TAIL_CALL();
    return NULL;
}

static void c11_broadcast(void)
{
    struct thread t[3], caller;
    CHECK(mtx_init(&c11_lock, mtx_plain) == thrd_success && cnd_init(&c11_cond) == thrd_success);
    for (int i = 0; i < 3; i++) {
        spawn(&t[i], c11_waiter);
        await_asleep(&t[i]);
    }
    spawn(&caller, c11_caller);
    join(&caller);
    for (int i = 0; i < 3; i++)
        join(&t[i]);
    puts("trace: block c11_waiter sync.(*Cond).Wait c11_caller cnd_wait<c11_waiter 3");
    puts("trace: quiet c11_caller");
}

static pthread_mutex_t given_up = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t taken = PTHREAD_COND_INITIALIZER;
static atomic_bool has_it, may_wait;
static bool was_taken;

static NOINLINE void *gives_up(void *self)
{
    introduce(self);
    pthread_mutex_lock(&given_up);
    atomic_store(&has_it, true);
    wait_for(&may_wait);
    while (!was_taken)
        pthread_cond_wait(&taken, &given_up);
    pthread_mutex_unlock(&given_up);
    return NULL;
}

static struct thread giver;

static NOINLINE void *takes(void *self)
{
    introduce(self);
    pthread_mutex_lock(&given_up);
    was_taken = true;
    pthread_mutex_unlock(&given_up);
    await_asleep(&giver);
    pthread_cond_signal(&taken);
    NO_TAIL_CALL();
    return NULL;
}

static void mutex_of_condition(void)
{
    struct thread taker;
    spawn(&giver, gives_up);
    wait_for(&has_it);
    spawn(&taker, takes);
    await_asleep(&taker);
    atomic_store(&may_wait, true);
    join(&taker);
    join(&giver);
    puts("trace: block takes sync gives_up pthread_mutex_lock<takes");
    puts("trace: block takes sleep self nanosleep<takes any");
    puts("trace: block gives_up sync.(*Cond).Wait takes pthread_cond_wait<gives_up");
}

/* --- once, whose first thread is cancelled ------------------------------------------------------------------------ */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int runs;
static atomic_bool cancelled;

static NOINLINE void routine(void)
{
    if (atomic_fetch_add(&runs, 1))
        return;
    wait_for(&cancelled);
    pthread_testcancel();
}

static NOINLINE void *once_cancelled(void *self)
{
    introduce(self);
    pthread_once(&once, routine);
    CHECK(!"cancelled");
    return NULL;
}

static NOINLINE void *once_next(void *self)
{
    introduce(self);
    pthread_once(&once, routine);
    CHECK(atomic_load(&runs) == 2);
    return NULL;
}

/* Their objects are used again: nothing is left of the first time. */
static void once_again(void)
{
    for (int i = 0; i < 2; i++) {
        struct thread first, next;
        once = (pthread_once_t)PTHREAD_ONCE_INIT;
        atomic_store(&runs, 0);
        atomic_store(&cancelled, false);
        spawn(&first, once_cancelled);
        while (!atomic_load(&runs))
            sched_yield();
        spawn(&next, once_next);
        await_asleep(&next);
        CHECK(!pthread_cancel(first.id));
        atomic_store(&cancelled, true);
        join(&first);
        join(&next);
    }
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    CHECK(!pthread_once(&once, routine));
    puts("trace: quiet once_cancelled");
    puts("trace: block once_next sync once_cancelled pthread_once<once_next 2");
}

/* --- times that are far ------------------------------------------------------------------------------------------- */

enum { FAR_MS = 600000 };

static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static bool signalled;
static atomic_int step;
static sem_t go_on;

static NOINLINE void *patient(void *self)
{
    struct timespec until = from_now(CLOCK_MONOTONIC, FAR_MS);
    introduce(self);
    errno = 1234;
    CHECK(!sem_wait(&sem) && errno == 1234);
    atomic_fetch_add(&step, 1);
    CHECK(!sem_clockwait(&sem, CLOCK_MONOTONIC, &until) && errno == 1234);
    atomic_fetch_add(&step, 1);
    CHECK(!pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) && errno == 1234);
    atomic_fetch_add(&step, 1);
    while (!signalled)
        CHECK(!pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until) && errno == 1234);
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&step, 1);
    CHECK(!pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &until));
    pthread_rwlock_unlock(&rwlock);
    sem_wait(&go_on);
    atomic_fetch_add(&step, 1);
    CHECK(!pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until) && errno == 1234);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void await_step(struct thread *t, int n)
{
    while (atomic_load(&step) < n)
        sched_yield();
    await_asleep(t);
}

static void far_times(void)
{
    struct thread t;
    CHECK(!sem_init(&sem, 0, 0) && !sem_init(&go_on, 0, 0));
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    spawn(&t, patient);
    await_step(&t, 0);
    sem_post(&sem);
    await_step(&t, 1);
    sem_post(&sem);
    await_step(&t, 2);
    pthread_mutex_unlock(&mutex);
    await_step(&t, 3);
    pthread_mutex_lock(&mutex);
    signalled = true;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
    await_step(&t, 4);
    pthread_rwlock_unlock(&rwlock);
    await_asleep(&t);
    pthread_rwlock_wrlock(&rwlock);
    sem_post(&go_on);
    await_step(&t, 5);
    pthread_rwlock_unlock(&rwlock);
    join(&t);
    puts("trace: block patient sync main sem_wait<patient 2");
    puts("trace: block patient sync main sem_clockwait<patient");
    puts("trace: block patient sync main pthread_mutex_clocklock<patient");
    puts("trace: block patient sync.(*Cond).Wait main pthread_cond_clockwait<patient");
    puts("trace: block patient sync main pthread_rwlock_clockrdlock<patient");
    puts("trace: block patient sync main pthread_rwlock_clockwrlock<patient");
}

int main(void)
{
    barrier_rounds();
    other_barriers();
    c11_broadcast();
    mutex_of_condition();
    once_again();
    far_times();
    printf("trace: goroutines %d\n", 1 + threads_spawned);
    return 0;
}
