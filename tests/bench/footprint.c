/*
 * footprint THREADS: starts that many threads, has each take a lock, write to a pipe and then wait for ever, and prints
 * the memory of the process, in KiB.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int waiting, sink[2];

static void *idle(void *arg)
{
    char byte = 0;
    pthread_mutex_lock(&mutex);
    if (write(sink[1], &byte, 1) != 1)
        exit(1);
    waiting++;
    pthread_cond_signal(&arrived);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    return arg;
}

static void print_memory(int threads)
{
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[256], name[32];
    long kib;
    printf("footprint 1 1");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%31[^:]: %ld kB", name, &kib) == 2) {
            if (!strcmp(name, "Rss"))
                printf(" rss=%ld", kib);
            else if (!strcmp(name, "Anonymous"))
                printf(" anonymous=%ld", kib);
        }
    printf(" threads=%d\n", threads);
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    pthread_attr_t attr;
    if (threads < 1 || pipe(sink) != 0) {
        fputs("usage: footprint THREADS\n", stderr);
        return 2;
    }
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    for (int i = 0; i < threads; i++) {
        pthread_t t;
        if (pthread_create(&t, &attr, idle, NULL) != 0)
            return 1;
    }
    pthread_mutex_lock(&mutex);
    while (waiting < threads)
        pthread_cond_wait(&arrived, &mutex);
    pthread_mutex_unlock(&mutex);
    print_memory(threads);
    fflush(stdout);
    exit(0);
}
