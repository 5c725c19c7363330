/* The waits of OpenMP programs, for that many seconds: barriers, critical sections, locks, tasks. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, CELLS = 1000, BRANCHES = 12 };

static long count_tasks(int depth)
{
    if (depth == 0)
        return 1;
    long left, right;
#pragma omp task shared(left)
    left = count_tasks(depth - 1);
#pragma omp task shared(right)
    right = count_tasks(depth - 1);
#pragma omp taskwait
    return left + right;
}

static double cells[CELLS];

/* The threads' shares take different times, so that all but one wait at the barrier. */
static double relax(int round)
{
    double sum = 0, parts = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < CELLS; i++)
            cells[i] = i + round;
        if (me == round % THREADS)
            usleep(1000);
#pragma omp barrier
        double part = 0;
        for (int i = me; i < CELLS; i += THREADS)
            part += cells[i] - round;
        sum += part;
#pragma omp critical
        {
            parts += part;
            usleep(100);
        }
        omp_set_lock(&lock);
        usleep(50);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return parts == sum ? sum : -1;
}

int main(int argc, char **argv)
{
    double end = omp_get_wtime() + (argc > 1 ? atof(argv[1]) : 1);
    long rounds = 0, wrong = 0;
    for (; omp_get_wtime() < end; rounds++) {
        if (relax((int)(rounds % 100)) != CELLS * (CELLS - 1) / 2.0)
            wrong++;
        long tasks;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
        tasks = count_tasks(BRANCHES);
        if (tasks != 1L << BRANCHES)
            wrong++;
    }
    printf("%s\n%ld rounds\n", wrong ? "something was wrong" : "all sums were right", rounds);
    return 0;
}
