/* The condition variables of before glibc 2.3.2, by their old symbol version: x86-64 still has them. Trap 20. */
#include "program.h"

#if defined __x86_64__
#define OLD(name) __asm__(".symver old_" #name ", " #name "@GLIBC_2.2.5")
OLD(pthread_cond_init);
OLD(pthread_cond_destroy);
OLD(pthread_cond_wait);
OLD(pthread_cond_timedwait);
OLD(pthread_cond_signal);
OLD(pthread_cond_broadcast);
int old_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int old_pthread_cond_destroy(pthread_cond_t *);
int old_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int old_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int old_pthread_cond_signal(pthread_cond_t *);
int old_pthread_cond_broadcast(pthread_cond_t *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The old type is one pointer; what follows it must never be touched. */
static struct {
    void *old;
    char untouched[40];
} cond;
static bool ready;

#define COND ((pthread_cond_t *)(void *)&cond)

static NOINLINE void *old_waiter(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    while (!ready)
        CHECK(old_pthread_cond_wait(COND, &lock) == 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static NOINLINE void *old_signaller(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    ready = true;
    old_pthread_cond_signal(COND);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool all_ready;

static NOINLINE void *old_one_of_two(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    while (!all_ready)
        CHECK(old_pthread_cond_wait(COND, &lock) == 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void old_broadcast(void)
{
    struct thread t[2];
    for (int i = 0; i < 2; i++) {
        spawn(&t[i], old_one_of_two);
        await_asleep(&t[i]);
    }
    pthread_mutex_lock(&lock);
    all_ready = true;
    pthread_mutex_unlock(&lock);
    old_pthread_cond_broadcast(COND);
    for (int i = 0; i < 2; i++)
        join(&t[i]);
    puts("trace: block old_one_of_two sync.(*Cond).Wait main pthread_cond_wait<old_one_of_two 2");
}

static NOINLINE void *old_impatient(void *self)
{
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    pthread_mutex_lock(&lock);
    CHECK(old_pthread_cond_timedwait(COND, &lock, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    static const char zeroes[sizeof cond.untouched];
    struct thread w, s, i;
    CHECK(old_pthread_cond_init(COND, NULL) == 0);
    spawn(&w, old_waiter);
    await_asleep(&w);
    spawn(&s, old_signaller);
    join(&s);
    join(&w);
    spawn(&i, old_impatient);
    join(&i);
    old_broadcast();
    old_pthread_cond_broadcast(COND);
    CHECK(old_pthread_cond_destroy(COND) == 0);
    CHECK(memcmp(cond.untouched, zeroes, sizeof zeroes) == 0);
    puts("trace: block old_waiter sync.(*Cond).Wait old_signaller pthread_cond_wait<old_waiter");
    puts("trace: block old_impatient sync.(*Cond).Wait self pthread_cond_timedwait<old_impatient");
    return 0;
}
#else
int main(void)
{
    puts("no old version here");
    return 0;
}
#endif
