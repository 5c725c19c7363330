/* Threads that are moved from processor to processor all the time, and whose clocks must not run backwards. Trap 45. */
#include "program.h"

static atomic_bool over;

static NOINLINE void *moves(void *self)
{
    cpu_set_t all;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    introduce(self);
    for (int cpu = 0, rounds = 0; rounds < 300; cpu = (cpu + 1) % CPU_SETSIZE) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
        sched_yield();
        rounds++;
    }
    return NULL;
}

static NOINLINE void *wakes_and_sleeps(void *self)
{
    static const struct timespec moment = {0, 200000};
    introduce(self);
    while (!atomic_load(&over))
        nanosleep(&moment, NULL);
    return NULL;
}

int main(void)
{
    struct thread movers[2], sleepers[2];
    for (int i = 0; i < 2; i++) {
        spawn(&movers[i], moves);
        spawn(&sleepers[i], wakes_and_sleeps);
    }
    for (int i = 0; i < 2; i++)
        join(&movers[i]);
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        join(&sleepers[i]);
    puts("trace: goroutines 5");
    puts("trace: alive moves 0");
    return 0;
}
