/* plugin LIBRARY: loads it, also with RTLD_DEEPBIND, so that its constructor runs threads inside of dlopen. Trap 24. */
#include "program.h"

#include <dlfcn.h>

static void load(const char *path, int flags)
{
    void *handle = dlopen(path, RTLD_NOW | flags);
    if (!handle)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(handle);
    int (*result)(void) = (int (*)(void))dlsym(handle, "early_result");
    CHECK(result && result() == 1);
    dlclose(handle);
}

static const char *library;

static NOINLINE void *loads(void *self)
{
    introduce(self);
    for (int i = 0; i < 20; i++)
        load(library, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    library = argv[1];
    for (int i = 0; i < 5; i++)
        load(library, 0);
    load(library, RTLD_DEEPBIND);
    struct thread t[3];
    for (int i = 0; i < 3; i++)
        spawn(&t[i], loads);
    for (int i = 0; i < 3; i++)
        join(&t[i]);
    puts("loaded");
    return 0;
}
