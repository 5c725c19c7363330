/* heap-odd WAY: the heap in odd places, and requests that an allocator refuses. Prints the results. */
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "program.h"

void remember(void);

static void *thread_with_key(void *arg)
{
    remember();
    return arg;
}

static void places(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        CHECK(!pthread_create(&t, NULL, thread_with_key, NULL));
        pthread_join(t, NULL);
    }
    puts("keys");
}

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
    free(malloc(5000));
    handled++;
}

static void signals(void)
{
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 1000; i++)
        raise(SIGUSR1);
    printf("handled %d\n", (int)handled);
}

static void forks(void)
{
    char *p = malloc(100000), *q = malloc(100);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        free(p);
        for (int i = 0; i < 1000; i++)
            free(malloc(1000));
        pthread_t t;
        CHECK(!pthread_create(&t, NULL, thread_with_key, NULL));
        pthread_join(t, NULL);
        exit(q ? 7 : 8);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    free(p);
    free(q);
    printf("child %d\n", WEXITSTATUS(status));
}

static void loads(void)
{
    for (int i = 0; i < 50; i++) {
        void *h = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        CHECK(h && !dlopen("no-such-library.so", RTLD_NOW) && dlerror());
        dlclose(h);
    }
    puts("loaded");
}

static void sizes(void)
{
    volatile size_t most = SIZE_MAX, half = SIZE_MAX / 2 + 1;
    void *p = malloc(100), *q = NULL;
    errno = 0;
    printf("malloc %d %d\n", malloc(most) == NULL, errno);
    printf("calloc %d\n", calloc(half, 2) == NULL);
    printf("realloc %d\n", realloc(p, most - 100) == NULL);
    errno = 0;
    printf("reallocarray %d %d\n", reallocarray(p, half, 3) == NULL, errno);
    printf("memalign %d\n", posix_memalign(&q, 7, 100));
    printf("aligned %d\n", aligned_alloc(64, most - 64) == NULL);
    printf("usable %d\n", malloc_usable_size(p) >= 100 && !malloc_usable_size(NULL));
    free(p);
    p = realloc(malloc(10), 0);
    printf("to nothing %d\n", p != NULL);
    free(p);
    p = malloc(0);
    printf("of nothing %d\n", p != NULL);
    free(p);
}

/* A refused realloc changes nothing; a realloc to nothing frees. */
static void refused(void)
{
    volatile size_t too_much = SIZE_MAX / 2;
    for (int i = 0; i < 1000; i++) {
        void *p = malloc(1000), *q = p;
        CHECK(posix_memalign(&q, 7, 100) && !realloc(p, too_much));
        p = realloc(p, 2000);
        CHECK(p && !realloc(p, 0));
    }
    puts("refused");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"places", places}, {"signals", signals}, {"forks", forks}, {"loads", loads}, {"sizes", sizes},
                {"refused", refused}};
    const char *way = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (!strcmp(way, ways[i].name))
            ways[i].run();
    char *volatile p = calloc(1, 100);
    if (!strcmp(way, "double-free")) {
        free(p);
        free(p);
    } else if (!strcmp(way, "bad-free")) {
        free(p + 8);
    } else if (!strcmp(way, "null-page-free")) {
        free((void *)16);
    }
    return 0;
}
