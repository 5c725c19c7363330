/* slow-release: with its library, a mutex is released a little after a thread heard of it; that is no wait. */
#include "program.h"

__attribute__((weak)) void release_watch(pthread_mutex_t *m);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool held;

static NOINLINE void *waits(void *self)
{
    introduce(self);
    wait_for(&held);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    struct thread t;
    spawn(&t, waits);
    pthread_mutex_lock(&lock);
    atomic_store(&held, true);
    if (release_watch)
        release_watch(&lock);
    pthread_mutex_unlock(&lock);
    join(&t);
    puts("trace: goroutines 2\ntrace: quiet waits");
    return 0;
}
