/*
 * The program of docs/tutorial.md: four clients write entries to a journal, which the one that fills its buffer writes to
 * the disk. With -DTWO_BUFFERS it does that without the lock.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 4, ENTRIES = 2000, EVERY = 16, ENTRY = 512 };

struct buffer {
    size_t n;
    char entries[EVERY][ENTRY];
};

static struct {
    pthread_mutex_t lock;
    int fd;
    struct buffer buffer;
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void store(const struct buffer *b)
{
    if (write(journal.fd, b->entries, b->n * ENTRY) < 0 || fdatasync(journal.fd) < 0)
        perror("journal");
    usleep(2000); /* a disk is slower than a file system in memory, where fdatasync does nothing */
}

static void append(const char *entry)
{
    struct buffer full;
    full.n = 0;
    pthread_mutex_lock(&journal.lock);
    memcpy(journal.buffer.entries[journal.buffer.n++], entry, ENTRY);
    if (journal.buffer.n == EVERY) {
#ifdef TWO_BUFFERS
        full = journal.buffer;
#else
        store(&journal.buffer);
#endif
        journal.buffer.n = 0;
    }
    pthread_mutex_unlock(&journal.lock);
    if (full.n)
        store(&full);
}

/* Something to write, which takes a while to make. */
static void make(char *entry, unsigned seed)
{
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < ENTRY; i++)
            entry[i] = (char)(entry[i] + (seed = seed * 1664525 + 1013904223) % 26);
}

static void *client(void *arg)
{
    char entry[ENTRY] = "";
    for (unsigned i = 0; i < ENTRIES; i++) {
        make(entry, (unsigned)(size_t)arg + i);
        append(entry);
    }
    return NULL;
}

int main(void)
{
    pthread_t clients[CLIENTS];
    char path[] = "journal.XXXXXX";
    struct timespec begin, end;
    journal.fd = mkstemp(path);
    unlink(path);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, (void *)i);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    printf("%.0f entries a second\n", CLIENTS * ENTRIES / seconds);
    return 0;
}
