/*
 * bounded-queue [ITEMS]: four threads put into one queue with room for four and four take out, with a mutex and two
 * conditions that are signalled with the mutex held. All compute now and then.
 */
#include "program.h"

enum { MAKERS = 4, ROOM = 4, COMPUTE_NS = 60000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static struct thread makers[MAKERS], takers[MAKERS];
static long items = 400, queued, put_in, taken;

static NOINLINE void compute(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000l + now.tv_nsec - from.tv_nsec < COMPUTE_NS);
}

static NOINLINE void put(void)
{
    pthread_mutex_lock(&lock);
    while (queued == ROOM)
        pthread_cond_wait(&not_full, &lock);
    queued++;
    put_in++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static NOINLINE void take(void)
{
    pthread_mutex_lock(&lock);
    while (!queued)
        pthread_cond_wait(&not_empty, &lock);
    queued--;
    taken++;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
}

static NOINLINE void *make_all(void *self)
{
    (void)self;
    for (long i = 0; i < items; i++) {
        compute();
        put();
    }
    return NULL;
}

static NOINLINE void *take_all(void *self)
{
    (void)self;
    for (long i = 0; i < items; i++) {
        take();
        compute();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        items = strtol(argv[1], NULL, 10);
    for (int i = 0; i < MAKERS; i++) {
        spawn(&makers[i], make_all);
        spawn(&takers[i], take_all);
    }
    for (int i = 0; i < MAKERS; i++) {
        CHECK(pthread_join(makers[i].id, NULL) == 0);
        CHECK(pthread_join(takers[i].id, NULL) == 0);
    }
    CHECK(put_in == MAKERS * items && taken == put_in && !queued);
}
