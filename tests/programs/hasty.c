/* hasty: threads that make others as fast as they can; some are made whenever somebody counts them. */
#include "program.h"

enum { MAKERS = 4, EACH = 50, ROUNDS = 40 };

static NOINLINE void *made_in_haste(void *arg) { return arg; }

static NOINLINE void *maker(void *arg)
{
    pthread_t threads[EACH];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < EACH; i++)
            CHECK(pthread_create(&threads[i], NULL, made_in_haste, NULL) == 0);
        for (int i = 0; i < EACH; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    }
    return arg;
}

int main(void)
{
    pthread_t makers[MAKERS];
    for (int i = 0; i < MAKERS; i++)
        CHECK(pthread_create(&makers[i], NULL, maker, NULL) == 0);
    for (int i = 0; i < MAKERS; i++)
        CHECK(pthread_join(makers[i], NULL) == 0);
    printf("trace: goroutines %d\n", MAKERS * (EACH * ROUNDS + 1) + 1);
    puts("trace: alive made_in_haste 0");
    return 0;
}
