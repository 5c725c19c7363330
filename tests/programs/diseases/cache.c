/*
 * A cache of pages in eight shards, each with a lock of its own. Four workers look pages up; a page is verified when it
 * is handed out. Keys are numbers of inodes, whose low bits are all the same: everybody comes to one shard.
 */
#include "work.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { SHARDS = 8, PAGES = 64, PAGE = 4096, WORKERS = 4, LOOKUPS = 28, VERIFY_US = 2000 };

struct page {
    uint64_t key, hash;
    unsigned char bytes[PAGE];
    bool used;
};

struct shard {
    pthread_mutex_t lock;
    struct page pages[PAGES];
    unsigned long hits, misses;
    struct line line;
};

static struct cache {
    struct shard shards[SHARDS];
} cache;

static struct shard *shard_of(uint64_t key) { return &cache.shards[key % SHARDS]; }

static NOINLINE uint64_t checksum(const struct page *p)
{
    uint64_t hash = FIRST_HASH;
    for (size_t i = 0; i < PAGE; i++)
        MIX(hash, p->bytes[i]);
    return hash;
}

static void fill(struct page *p, uint64_t key)
{
    p->key = key;
    p->used = true;
    for (size_t i = 0; i < PAGE; i++)
        p->bytes[i] = (unsigned char)(key + i);
    p->hash = checksum(p);
}

/* Every byte is looked at, and more than once. */
static NOINLINE bool verify(const struct page *p)
{
    bool same = true;
    FOR_CPU_US(VERIFY_US)
        same &= checksum(p) == p->hash;
    return same;
}

static NOINLINE bool cache_get(uint64_t key, unsigned char *copy)
{
    struct shard *s = shard_of(key);
    line_stand(&s->line);
    pthread_mutex_lock(&s->lock);
    line_have_turn(&s->line);
    struct page *p = &s->pages[key / SHARDS % PAGES];
    if (!p->used || p->key != key) {
        s->misses++;
        fill(p, key);
    } else {
        s->hits++;
    }
    bool good = verify(p);
    memcpy(copy, p->bytes, PAGE);
    pthread_mutex_unlock(&s->lock);
    line_leave(&s->line);
    return good;
}

/* Inodes are 8 apart. */
static uint64_t inode_of(unsigned file) { return 3 + (uint64_t)8 * (file % 512); }

static void *worker(void *arg)
{
    unsigned char copy[PAGE];
    unsigned file = *(unsigned *)arg * 1000;
    for (int i = 0; i < LOOKUPS; i++)
        CHECK(cache_get(inode_of(file++ % 100), copy));
    line_add(&shard_of(inode_of(0))->line.members, -1);
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    unsigned first[WORKERS];
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&cache.shards[i].lock, NULL);
    shard_of(inode_of(0))->line.members = WORKERS;
    for (unsigned i = 0; i < WORKERS; i++) {
        first[i] = i;
        CHECK(pthread_create(&threads[i], NULL, worker, &first[i]) == 0);
    }
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    unsigned long lookups = 0;
    for (int i = 0; i < SHARDS; i++)
        lookups += cache.shards[i].hits + cache.shards[i].misses;
    printf("%lu lookups\n", lookups);
    return 0;
}
