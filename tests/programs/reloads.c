/*
 * reloads LIBRARY: loads and unloads it all the time, as a program does that runs for months and has plugins, while
 * other threads wait and compute. The process must not grow. Trap 63.
 */
#include "program.h"

#include <dlfcn.h>

enum { WORKERS = 3, ROUNDS = 2000, WARM_UP = 100 };

static atomic_bool over;
static atomic_int at_work;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *self)
{
    introduce(self);
    atomic_fetch_add(&at_work, 1);
    while (!atomic_load(&over)) {
        pthread_mutex_lock(&lock);
        for (volatile int i = 0; i < 1000; i++)
            ;
        pthread_mutex_unlock(&lock);
        usleep(50);
    }
    return NULL;
}

static long kib_mapped(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld", &pages) == 1);
    fclose(f);
    return pages * 4;
}

static void reload(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW);
    CHECK(handle && dlsym(handle, "toil"));
    CHECK(!dlclose(handle));
}

int main(int argc, char **argv)
{
    struct thread t[WORKERS];
    long before = 0;
    CHECK(argc == 2);
    for (int i = 0; i < WORKERS; i++)
        spawn(&t[i], work);
    while (atomic_load(&at_work) < WORKERS)
        usleep(100);
    for (int i = 0; i < ROUNDS; i++) {
        if (i == WARM_UP)
            before = kib_mapped();
        reload(argv[1]);
    }
    long grown = kib_mapped() - before;
    atomic_store(&over, true);
    for (int i = 0; i < WORKERS; i++)
        join(&t[i]);
    if (grown > 16 << 10)
        printf("grown by %ld KiB\n", grown);
    puts("done");
    return 0;
}
