/*
 * many-objects [twice]: more objects than the first table has room for, each waited for twice: a wait that gives up at
 * once. Twice: in two sessions.
 */
#include "program.h"
#include "recording.h"

enum { OBJECTS = 3000 };

static pthread_cond_t crowd[OBJECTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void wait_for_all(void)
{
    static const struct timespec past;
    pthread_mutex_lock(&lock);
    /* Volatile: the call is to stand once, as it is a pair of a stack and an object that counts. */
    for (volatile int round = 0; round < 2; round = round + 1)
        for (int i = 0; i < OBJECTS; i++)
            CHECK(pthread_cond_timedwait(&crowd[i], &lock, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    static const char expectation[] = "block main sync.(*Cond).Wait self pthread_cond_timedwait<wait_for_all<main";
    if (argc == 1) {
        wait_for_all();
        printf("trace: %s %d\n", expectation, 2 * OBJECTS);
        return 0;
    }
    for (int session = 1; session <= 2; session++) {
        CHECK(start_recording() == 0);
        wait_for_all();
        CHECK(thrace_stop() == 0);
        printf("%d: %s %d\n", session, expectation, 2 * OBJECTS);
    }
    return 0;
}
