/* More objects than the first table has room for, each waited for twice: a wait that gives up at once. */
#include "program.h"

enum { OBJECTS = 3000 };

static pthread_cond_t crowd[OBJECTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    static const struct timespec past;
    pthread_mutex_lock(&lock);
    /* Volatile: the call is to stand once, as it is a pair of a stack and an object that counts. */
    for (volatile int round = 0; round < 2; round = round + 1)
        for (int i = 0; i < OBJECTS; i++)
            CHECK(pthread_cond_timedwait(&crowd[i], &lock, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    printf("trace: block main sync.(*Cond).Wait self pthread_cond_timedwait<main %d\n", 2 * OBJECTS);
    return 0;
}
