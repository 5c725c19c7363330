/*
 * Locks and conditions that are local variables: of main, which waits meanwhile, or does so later; of the thread that
 * waits; and of two functions, of which one has the memory of the other.
 */
#include "program.h"

#define EXPECT(...) (fputs("trace: ", stdout), printf(__VA_ARGS__), putchar('\n'))

struct shard {
    int entries;
    pthread_mutex_t lock;
};

static pthread_mutex_t *lock;
static atomic_bool locked, again;
static struct thread waiter, other, main_thread;

/* --- main waits for the threads while they contend for what it has ------------------------------------------------- */

static NOINLINE void *for_shard(void *self)
{
    wait_for(&locked);
    introduce(self);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *has_shard(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    await_asleep(&main_thread);
    atomic_store(&locked, true);
    await_asleep(&waiter);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void meanwhile(void)
{
    struct {
        long n;
        struct shard shards[3];
    } cache = {.n = 3, .shards = {[2] = {.lock = PTHREAD_MUTEX_INITIALIZER}}};
    lock = &cache.shards[2].lock;
    atomic_store(&locked, false);
    spawn(&waiter, for_shard);
    spawn(&other, has_shard);
    join(&other);
    join(&waiter);
    EXPECT("block for_shard sync has_shard mutex:cache.shards[2].lock_(0x*<pthread_mutex_lock<for_shard");
}

/* --- main executes when it is waited for the first time, and waits when it is the second time ---------------------- */

static NOINLINE void *for_late(void *self)
{
    for (int i = 0; i < 2; i++) {
        if (i)
            wait_for(&again);
        introduce(self);
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
        atomic_store(&((struct thread *)self)->tid, 0);
        atomic_store(&locked, false);
    }
    return NULL;
}

static NOINLINE void *has_late(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    await_asleep(&main_thread);
    atomic_store(&again, true);
    await_asleep(&waiter);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void later(void)
{
    pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
    lock = &journal;
    pthread_mutex_lock(&journal);
    atomic_store(&locked, true);
    spawn(&waiter, for_late);
    await_asleep(&waiter);
    pthread_mutex_unlock(&journal);
    while (atomic_load(&locked))
        sched_yield();
    spawn(&other, has_late);
    join(&other);
    join(&waiter);
    EXPECT("block for_late sync main mutex:journal_(0x*<pthread_mutex_lock<for_late");
    EXPECT("block for_late sync has_late mutex:journal_(0x*<pthread_mutex_lock<for_late");
}

/* Its lock has the memory of no other one. */
static NOINLINE void later_and_deeper(void)
{
    char room[4096];
    __asm__ volatile("" : : "r"(room) : "memory");
    later();
    NO_TAIL_CALL();
}

/* --- a thread waits for what it has itself ------------------------------------------------------------------------- */

struct request {
    int number;
    pthread_mutex_t mutex;
    pthread_cond_t answered;
    bool is_answered;
};
static struct request *request;

static NOINLINE void *asker(void *self)
{
    struct request mine = {.number = 1, .mutex = PTHREAD_MUTEX_INITIALIZER, .answered = PTHREAD_COND_INITIALIZER};
    request = &mine;
    pthread_mutex_lock(&mine.mutex);
    introduce(self);
    while (!mine.is_answered)
        pthread_cond_wait(&mine.answered, &mine.mutex);
    pthread_mutex_unlock(&mine.mutex);
    return NULL;
}

static void answer(void)
{
    spawn(&waiter, asker);
    await_asleep(&waiter);
    pthread_mutex_lock(&request->mutex);
    request->is_answered = true;
    pthread_cond_signal(&request->answered);
    pthread_mutex_unlock(&request->mutex);
    join(&waiter);
    EXPECT("block asker sync.(*Cond).Wait main condition:mine.answered_(0x*<pthread_cond_wait<asker");
}

/* --- two variables in the same memory ------------------------------------------------------------------------------ */

static NOINLINE void *for_block(void *self)
{
    wait_for(&locked);
    introduce(self);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *has_block(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    await_asleep(&main_thread);
    atomic_store(&locked, true);
    await_asleep(&waiter);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void contend(pthread_mutex_t *m)
{
    lock = m;
    atomic_store(&locked, false);
    spawn(&waiter, for_block);
    spawn(&other, has_block);
    join(&other);
    join(&waiter);
}

static volatile int deed; /* keeps functions apart that do the same */

static NOINLINE void first_block(void)
{
    deed = 1;
    pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
    contend(&first);
    NO_TAIL_CALL();
}

static NOINLINE void second_block(void)
{
    deed = 2;
    pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
    contend(&second);
    NO_TAIL_CALL();
}

/* --- arguments on the stack: they are between the variables and the sp --------------------------------------------- */

static NOINLINE long contend_with(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
                                  pthread_mutex_t *m)
{
    contend(m);
    return a + b + c + d + e + f + g + h + i + j;
}

/* Through this no compiler leaves arguments out. */
static long (*volatile contending)(long, long, long, long, long, long, long, long, long, long,
                                   pthread_mutex_t *) = contend_with;

static NOINLINE void many_arguments(void)
{
    pthread_mutex_t nine[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
    CHECK(contending(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, &nine[1]) == 55);
}

int main(void)
{
    introduce(&main_thread);
    meanwhile();
    later_and_deeper();
    answer();
    first_block();
    second_block();
    many_arguments();
    EXPECT("block for_block sync has_block mutex:first_(0x*<pthread_mutex_lock<for_block");
    EXPECT("block for_block sync has_block mutex:second_(0x*<pthread_mutex_lock<for_block");
    EXPECT("block for_block sync has_block mutex:*<pthread_mutex_lock<for_block"); /* nine[1], if it can be told */
    EXPECT("goroutines %d", threads_spawned + 1);
    return 0;
}
