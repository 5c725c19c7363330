/* Objects in all the places that C has for them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#include "variables.h"

typedef pthread_mutex_t lock_type;

struct entry {
    short weight;
    union {
        long number;
        pthread_cond_t changed;
    };
    struct {
        unsigned used : 3, dirty : 1;
        char tag;
        volatile lock_type guard;
    };
};

struct shard {
    pthread_mutex_t lock;
    struct entry entries[2][3];
    union {
        sem_t items;
        char pad[256];
    } room;
    int *queue;
    atomic_int state;
};

struct cache {
    char name[24];
    struct shard shards[4];
    struct cache *next;
    mtx_t resize;
    pthread_rwlock_t table;
};

LINE_OF(cache); struct cache cache;
LINE_OF(lock); pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
LINE_OF(hidden); static const volatile lock_type hidden = PTHREAD_MUTEX_INITIALIZER;
LINE_OF(grid); struct shard grid[2][3] = {{{.queue = 0}}};
LINE_OF(locks); lock_type locks[7];
LINE_OF(flag); int flag = 1;
LINE_OF(once); pthread_once_t once = PTHREAD_ONCE_INIT;
LINE_OF(empty); struct { int none[0]; pthread_spinlock_t spin; } empty;
extern struct shard declared[];
LINE_OF(declared); struct shard declared[2];
LINE_OF(either); union { struct { int a; pthread_mutex_t m; } first; pthread_mutex_t second; } either;
_Thread_local pthread_mutex_t own;

static __attribute__((noinline)) void in_function(int round)
{
    LINE_OF(inner); static struct shard inner;
    pthread_mutex_lock(&inner.lock);
    pthread_mutex_unlock(&inner.lock);
    if (round) {
        LINE_OF(deeper); static lock_type deeper[2];
        pthread_mutex_lock(&deeper[1]);
        must_be("deeper[1]", line_of_deeper, &deeper[1], "deeper", deeper);
    }
    must_be("inner.lock", line_of_inner, &inner, "inner", &inner);
    must_be("inner.entries[1][0].guard", line_of_inner, (const void *)&inner.entries[1][0].guard, "inner", &inner);
}

static inline __attribute__((always_inline)) void inlined(void)
{
    LINE_OF(counter); static pthread_cond_t counter;
    pthread_cond_signal(&counter);
    must_be("counter", line_of_counter, &counter, "counter", &counter);
}

int main(void)
{
    SAME(lock);
    SAME(hidden);
    SAME(flag);
    SAME(once);
    IN(cache, .shards[0].lock);
    IN(cache, .shards[3].lock);
    IN_AS(cache, .shards[2], "cache.shards[2].lock");
    IN(cache, .shards[1].entries[1][2].weight);
    IN(cache, .shards[1].entries[1][2].number);
    IN_AS(cache, .shards[1].entries[0][1].changed, "cache.shards[1].entries[0][1].number");
    IN(cache, .shards[1].entries[0][2].guard);
    IN(cache, .shards[1].entries[0][0].tag);
    IN(cache, .shards[3].room.items);
    IN(cache, .shards[3].queue);
    IN(cache, .shards[3].state);
    IN(cache, .next);
    IN(cache, .resize);
    IN(cache, .table);
    IN(cache, .name[5]);
    IN_AS(cache, .table.__size[12], "cache.table");
    IN_AS(cache, .resize.__size[8], "cache.resize");
    IN_AS(grid, , "grid[0][0].lock");
    IN(grid, [1][2].lock);
    IN(grid, [0][1].entries[0][0].guard);
    IN(locks, [6]);
    IN_AS(locks, [4].__size[4], "locks[4]");
    IN(empty, .spin);
    IN(declared, [1].lock);
    IN_AS(either, .second, "either.first.a");
    IN(either, .first.m);
    in_function(1);
    inlined();
    pthread_mutex_lock(&own);
    return 0;
}
