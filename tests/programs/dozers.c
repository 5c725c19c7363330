/*
 * dozers STEPS: threads that wait, each for a semaphore of its own, for many generations, until one of them is woken: by
 * the main thread, by another one of them, or for good, and then a new one takes its place.
 */
#include "program.h"

#include <semaphore.h>

enum { DOZERS = 24 };

static struct dozer {
    struct thread thread; /* first: what introduce() gets */
    sem_t wake;
    struct dozer *next; /* whom it wakes when it is woken */
    bool over;
} dozers[DOZERS];

static NOINLINE void doze(struct dozer *d)
{
    CHECK(sem_wait(&d->wake) == 0);
    NO_TAIL_CALL();
}

static void *dozer(void *arg)
{
    struct dozer *d = arg;
    introduce(&d->thread);
    for (;;) {
        doze(d);
        if (d->over)
            return NULL;
        if (d->next)
            CHECK(sem_post(&d->next->wake) == 0);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60, by_main = 0, by_dozer = 0;
    for (int i = 0; i < DOZERS; i++) {
        CHECK(sem_init(&dozers[i].wake, 0, 0) == 0);
        spawn(&dozers[i].thread, dozer);
    }
    for (int step = 0; step < steps + DOZERS; step++) {
        struct dozer *d = &dozers[step * 7 % DOZERS], *other = &dozers[(step * 7 + 5) % DOZERS];
        bool last = step >= steps;
        d->next = !last && step % 3 == 1 ? other : NULL;
        d->over = last || step % 3 == 2;
        await_asleep(&d->thread);
        if (d->next) {
            other->next = NULL;
            await_asleep(&other->thread);
            by_dozer++;
        }
        CHECK(sem_post(&d->wake) == 0);
        by_main++;
        if (d->over) {
            join(&d->thread);
            d->over = false;
            if (!last)
                spawn(&d->thread, dozer);
        }
    }
    printf("trace: goroutines %d\n", threads_spawned + 1);
    printf("trace: goroutine dozer %d\n", threads_spawned);
    printf("trace: block dozer sync main sem_wait<doze<dozer %d\n", by_main);
    printf("trace: block dozer sync dozer sem_wait<doze<dozer %d\n", by_dozer);
    puts("trace: alive dozer 0");
    return 0;
}
