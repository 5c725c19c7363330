/*
 * unloads LIBRARY…: loads each, has it toil and unloads it, so that the next one may get its place. Then asks for the
 * time.
 */
#include "program.h"

#include <dlfcn.h>

static NOINLINE void use(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW);
    CHECK(handle);
    int (*toil)(void) = (int (*)(void))dlsym(handle, "toil");
    CHECK(toil && toil() == 1);
    CHECK(!dlclose(handle));
}

/* Nearly all of it in the vdso, where the kernel lets the clock be read there. */
static NOINLINE void ask_for_the_time(void)
{
    struct timespec now;
    do {
        for (int i = 0; i < 100000; i++)
            clock_gettime(CLOCK_MONOTONIC, &now);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while (!now.tv_sec && now.tv_nsec < 600000000);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        use(argv[i]);
    ask_for_the_time();
    NO_TAIL_CALL();
    return 0;
}
