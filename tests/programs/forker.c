/* Forks while threads hold and release locks; each child makes threads of its own. Trap 29. */
#include "busy-threads.h"

#include <sys/wait.h>

static NOINLINE void *in_the_child(void *self)
{
    introduce(self);
    milliseconds(1);
    return NULL;
}

enum { BUSY = 64, FORKS = 20 };

int main(void)
{
    busy_begin(BUSY);
    while (atomic_load(&busy_rounds) < 1000)
        sched_yield();
    for (int i = 0; i < FORKS; i++) {
        fflush(stdout);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            struct thread own[2];
            for (int j = 0; j < 2; j++)
                spawn(&own[j], in_the_child);
            for (int j = 0; j < 2; j++)
                join(&own[j]);
            printf("child %d made threads\n", i);
            if (i % 2)
                exit(40 + i);
            fflush(stdout);
            _exit(40 + i);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 40 + i);
    }
    busy_end(BUSY);
    puts("trace: goroutine busy 64");
    puts("trace: goroutines 65");
    puts("trace: alive busy 0");
    return 0;
}
