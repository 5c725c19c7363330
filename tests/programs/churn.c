/* churn TOTAL AT-ONCE: many short threads, the oldest joined before the next is made. */
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static NOINLINE void *churner(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    long total = argc > 1 ? atol(argv[1]) : 1000, at_once = argc > 2 ? atol(argv[2]) : 64;
    pthread_t *threads = calloc((size_t)at_once, sizeof *threads);
    CHECK(threads);
    for (long i = 0; i < total + at_once; i++) {
        void *result;
        if (i >= at_once) {
            CHECK(pthread_join(threads[i % at_once], &result) == 0);
            CHECK((long)result == i - at_once + 1);
        }
        if (i < total)
            CHECK(pthread_create(&threads[i % at_once], NULL, churner, (void *)(i + 1)) == 0);
    }
    free(threads);
    printf("%ld\n", sum);
    printf("trace: goroutine churner %ld\n", total);
    printf("trace: goroutines %ld\n", total + 1);
    printf("trace: alive churner 0\n");
    return 0;
}
