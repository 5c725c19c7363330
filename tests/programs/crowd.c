/* crowd N [HELD]: N threads that wait at the same time, over many generations, until a broadcast; HELD: at SIGTERM. */
#include "program.h"

#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, complete = PTHREAD_COND_INITIALIZER;
static long waiting, crowd;
static bool released;

static NOINLINE void *one_of_the_crowd(void *arg)
{
    pthread_mutex_lock(&lock);
    if (++waiting == crowd)
        pthread_cond_signal(&complete);
    while (!released)
        pthread_cond_wait(&go, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    crowd = argc > 1 ? atol(argv[1]) : 100;
    pthread_t *threads = calloc((size_t)crowd, sizeof *threads);
    pthread_attr_t small;
    sigset_t end;
    CHECK(sigemptyset(&end) == 0 && sigaddset(&end, SIGTERM) == 0);
    CHECK(argc < 3 || pthread_sigmask(SIG_BLOCK, &end, NULL) == 0);
    CHECK(threads && pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 128 * 1024) == 0);
    for (long i = 0; i < crowd; i++)
        CHECK(pthread_create(&threads[i], &small, one_of_the_crowd, NULL) == 0);
    pthread_mutex_lock(&lock);
    while (waiting < crowd)
        pthread_cond_wait(&complete, &lock);
    pthread_mutex_unlock(&lock);
    if (argc > 2) {
        int signal;
        puts("ready");
        fflush(stdout);
        CHECK(sigwait(&end, &signal) == 0);
    }
    milliseconds(100);
    pthread_mutex_lock(&lock);
    released = true;
    pthread_cond_broadcast(&go);
    pthread_mutex_unlock(&lock);
    for (long i = 0; i < crowd; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    free(threads);
    printf("trace: goroutines %ld\n", crowd + 1);
    printf("trace: goroutine one_of_the_crowd %ld\n", crowd);
    puts("trace: alive one_of_the_crowd 0");
    return 0;
}
