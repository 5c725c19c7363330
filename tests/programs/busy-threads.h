/* Threads that lock, unlock and yield in the background of the program. Their goroutines are named "busy". */
#ifndef THRACE_TESTS_BUSY_THREADS_H
#define THRACE_TESTS_BUSY_THREADS_H

#include "program.h"

enum { BUSY_MAX = 64 };

static struct thread busy_threads[BUSY_MAX];
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool busy_over;
static atomic_long busy_rounds;

static NOINLINE void *busy(void *self)
{
    introduce(self);
    while (!atomic_load(&busy_over)) {
        pthread_mutex_lock(&busy_lock);
        atomic_fetch_add(&busy_rounds, 1);
        pthread_mutex_unlock(&busy_lock);
        sched_yield();
    }
    return NULL;
}

static void busy_begin(int n)
{
    CHECK(n <= BUSY_MAX);
    for (int i = 0; i < n; i++)
        spawn(&busy_threads[i], busy);
}

/* With the n that began. */
static void busy_end(int n)
{
    atomic_store(&busy_over, true);
    for (int i = 0; i < n; i++)
        join(&busy_threads[i]);
}

#endif
