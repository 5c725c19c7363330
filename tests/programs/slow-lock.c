/* slow-lock MS SECONDS: threads that lock in turn, quickly; once, in the middle, one of them holds the lock for MS. */
#include "program.h"

enum { THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool over, held;

static NOINLINE void holds(long ms)
{
    pthread_mutex_lock(&lock);
    atomic_store(&held, true);
    milliseconds(ms);
    pthread_mutex_unlock(&lock);
    NO_TAIL_CALL();
}

static NOINLINE void *locks(void *self)
{
    introduce(self);
    while (!atomic_load(&over)) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        milliseconds(1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread t[THREADS];
    long ms = argc > 1 ? atol(argv[1]) : 100, seconds = argc > 2 ? atol(argv[2]) : 2;
    for (int i = 0; i < THREADS; i++)
        spawn(&t[i], locks);
    milliseconds(500 * seconds);
    holds(ms);
    milliseconds(500 * seconds);
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        join(&t[i]);
    puts("done");
    return 0;
}
