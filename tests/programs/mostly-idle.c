/*
 * mostly-idle [THREADS [POKES]]: threads that wait, each for its semaphore, condition variable or pipe, or that sleep;
 * main pokes them in turn, and each computes for a moment and waits again.
 */
#include "program.h"

#include <semaphore.h>

enum { WAYS = 4 };

struct idler {
    pthread_t id;
    int way, pipe[2];
    long nap; /* ms; not the same for all, so that they do not wake in a crowd */
    sem_t sem;
    pthread_mutex_t lock;
    pthread_cond_t poked;
    int pokes;
};

static long nthreads = 200, npokes = 1000;
static atomic_bool over;

static NOINLINE void compute(void)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
}

static NOINLINE void wait_on_cond(struct idler *t)
{
    pthread_mutex_lock(&t->lock);
    while (!t->pokes)
        pthread_cond_wait(&t->poked, &t->lock);
    t->pokes--;
    pthread_mutex_unlock(&t->lock);
}

static NOINLINE void *idle(void *arg)
{
    struct idler *t = arg;
    char c;
    while (!atomic_load(&over)) {
        switch (t->way) {
        case 0: CHECK(sem_wait(&t->sem) == 0); break;
        case 1: wait_on_cond(t); break;
        case 2: CHECK(read(t->pipe[0], &c, 1) == 1); break;
        default: milliseconds(t->nap); break;
        }
        compute();
    }
    return NULL;
}

static NOINLINE void poke(struct idler *t)
{
    switch (t->way) {
    case 0: CHECK(sem_post(&t->sem) == 0); break;
    case 1:
        pthread_mutex_lock(&t->lock);
        t->pokes++;
        pthread_cond_signal(&t->poked);
        pthread_mutex_unlock(&t->lock);
        break;
    case 2: CHECK(write(t->pipe[1], "o", 1) == 1); break;
    default: break;
    }
}

int main(int argc, char **argv)
{
    nthreads = argc > 1 ? atol(argv[1]) : nthreads;
    npokes = argc > 2 ? atol(argv[2]) : npokes;
    struct idler *threads = calloc((size_t)nthreads, sizeof *threads);
    CHECK(threads);
    for (long i = 0; i < nthreads; i++) {
        struct idler *t = &threads[i];
        t->way = (int)(i % WAYS);
        t->nap = 30 + i * 7 % 41;
        CHECK(sem_init(&t->sem, 0, 0) == 0 && pipe(t->pipe) == 0);
        CHECK(pthread_mutex_init(&t->lock, NULL) == 0 && pthread_cond_init(&t->poked, NULL) == 0);
        CHECK(pthread_create(&t->id, NULL, idle, t) == 0);
    }
    for (long i = 0; i < npokes; i++) {
        poke(&threads[i % nthreads]);
        if (i % 3 == 0)
            milliseconds(1);
    }
    atomic_store(&over, true);
    for (long i = 0; i < nthreads; i++) {
        poke(&threads[i]);
        CHECK(pthread_join(threads[i].id, NULL) == 0);
    }
    free(threads);
    return 0;
}
