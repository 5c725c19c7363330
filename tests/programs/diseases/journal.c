/*
 * A journal: clients append entries to a buffer in memory, and every so many the one that filled it writes it to the
 * disk, with the lock in its hand.
 */
#include "work.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 4, ENTRIES = 60, EVERY = 8, ENTRY = 512, THINK_US = 200, QUICK_US = 2000, DISK_US = 6000 };

struct entry {
    uint64_t number, hash;
    unsigned char bytes[ENTRY];
};

static struct journal {
    pthread_mutex_t lock;
    int fd;
    struct entry entries[EVERY];
    size_t n;
    uint64_t next, flushed;
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t now_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* A file system in memory is as slow as a disk here. */
static NOINLINE void flush(struct journal *j)
{
    size_t size = j->n * sizeof *j->entries;
    CHECK(pwrite(j->fd, j->entries, size, 0) == (ssize_t)size);
    int64_t begin = now_us();
    CHECK(fdatasync(j->fd) == 0);
    if (now_us() - begin < QUICK_US)
        usleep(DISK_US);
    j->flushed += j->n;
    j->n = 0;
}

static NOINLINE uint64_t journal_append(struct journal *j, const struct entry *e)
{
    pthread_mutex_lock(&j->lock);
    uint64_t number = j->next++;
    j->entries[j->n] = *e;
    j->entries[j->n++].number = number;
    if (j->n == EVERY)
        flush(j);
    pthread_mutex_unlock(&j->lock);
    return number;
}

static NOINLINE void make_entry(struct entry *e, unsigned seed)
{
    for (size_t i = 0; i < ENTRY; i++)
        e->bytes[i] = (unsigned char)(seed * i);
    FOR_CPU_US(THINK_US) {
        e->hash = FIRST_HASH;
        for (size_t i = 0; i < ENTRY; i++)
            MIX(e->hash, e->bytes[i]);
    }
}

static void *client(void *arg)
{
    struct entry e;
    unsigned seed = *(unsigned *)arg;
    uint64_t last = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        make_entry(&e, seed + i);
        uint64_t number = journal_append(&journal, &e);
        CHECK(i == 0 || number > last);
        last = number;
    }
    return NULL;
}

int main(void)
{
    char path[] = "journal.XXXXXX";
    pthread_t threads[CLIENTS];
    unsigned seeds[CLIENTS];
    journal.fd = mkstemp(path);
    CHECK(journal.fd >= 0 && unlink(path) == 0);
    for (unsigned i = 0; i < CLIENTS; i++) {
        seeds[i] = i * 1000;
        CHECK(pthread_create(&threads[i], NULL, client, &seeds[i]) == 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("%llu entries\n", (unsigned long long)(journal.flushed + journal.n));
    close(journal.fd);
    return 0;
}
