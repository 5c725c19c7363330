/*
 * regress ROUNDS HELD WORK CALLS [THREADS]: threads that go through rounds, each a region: a lock is held for HELD µs,
 * a function has WORK units to do (each about a µs), and CALLS system calls are made. To be recorded twice, with
 * another number, and compared. ROUNDS are of all threads.
 */
#include <thrace/annotate.h>

#include "program.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static atomic_long left;
static long held, work, calls;
static int file;
static volatile uint64_t sink;

static NOINLINE void compute(long units)
{
    uint64_t x = sink | 1;
    for (long i = 0; i < units * 300; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

static NOINLINE void hold(void)
{
    pthread_mutex_lock(&account);
    struct timespec t = {0, held * 1000};
    nanosleep(&t, NULL);
    pthread_mutex_unlock(&account);
}

static NOINLINE void call(void)
{
    char byte = 0;
    for (long i = 0; i < calls; i++)
        if (pwrite(file, &byte, 1, 0) != 1)
            abort();
}

static void *worker(void *unused)
{
    (void)unused;
    while (atomic_fetch_sub(&left, 1) > 0) {
        THRACE_REGION("round");
        hold();
        compute(work);
        call();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    left = atol(argv[1]);
    held = atol(argv[2]);
    work = atol(argv[3]);
    calls = atol(argv[4]);
    enum { MOST = 16 };
    int n = argc > 5 ? atoi(argv[5]) : 2;
    n = n < MOST ? n : MOST;
    pthread_t threads[MOST];
    file = open("/dev/null", O_WRONLY);
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL))
            abort();
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
