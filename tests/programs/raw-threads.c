/* Threads that are made by clone(2) and call nothing that could be wrapped. */
#include "program.h"

#include <sys/mman.h>

enum { THREADS = 3, STACK = 64 << 10 };

static atomic_int running;

static int spin(void *arg)
{
    (void)arg;
    atomic_fetch_add(&running, 1);
    for (;;)
        __asm__ volatile("" ::: "memory");
    return 0;
}

int main(void)
{
    for (int i = 0; i < THREADS; i++) {
        char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(stack != MAP_FAILED);
        CHECK(clone(spin, stack + STACK,
                    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) > 0);
    }
    while (atomic_load(&running) < THREADS)
        usleep(1000);
    puts("trace: goroutines 1");
    return 0;
}
