/*
 * A table of routes under a readers-writer lock. Lookups are quick; a report, which goes through the whole table again
 * and again, keeps the updates out meanwhile.
 */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { ROUTES = 512, UPDATES = 24, REPORT_US = 7000, UPDATE_US = 300, LOOKUP_US = 50 };

struct route {
    uint32_t prefix, next_hop;
    unsigned metric;
};

static struct table {
    pthread_rwlock_t lock;
    struct route routes[ROUTES];
    unsigned long version;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static atomic_bool over;
static atomic_int reporting;

static NOINLINE uint64_t describe(const struct table *t)
{
    uint64_t hash = FIRST_HASH;
    for (int i = 0; i < ROUTES; i++) {
        MIX(hash, t->routes[i].prefix);
        MIX(hash, t->routes[i].next_hop);
        MIX(hash, t->routes[i].metric);
    }
    return hash;
}

static NOINLINE uint64_t report_all(struct table *t)
{
    uint64_t hash = 0;
    pthread_rwlock_rdlock(&t->lock);
    atomic_fetch_add(&reporting, 1);
    FOR_CPU_US(REPORT_US)
        hash = describe(t);
    pthread_rwlock_unlock(&t->lock);
    return hash;
}

static void *reporter(void *arg)
{
    uint64_t sum = 0;
    while (!atomic_load(&over))
        sum ^= report_all(arg);
    static uint64_t result;
    result = sum;
    return &result;
}

static NOINLINE void update(struct table *t, unsigned i)
{
    struct route *r = &t->routes[i * 7 % ROUTES];
    pthread_rwlock_wrlock(&t->lock);
    FOR_CPU_US(UPDATE_US) {
        r->metric++;
        r->next_hop = r->prefix ^ r->metric;
    }
    t->version++;
    pthread_rwlock_unlock(&t->lock);
}

/* A neighbour says what has changed, now and then. */
static void *neighbour(void *arg)
{
    for (unsigned i = 0; i < UPDATES; i++) {
        int reports = atomic_load(&reporting);
        while (atomic_load(&reporting) == reports)
            FOR_CPU_US(50)
                continue;
        update(arg, i);
    }
    atomic_store(&over, true);
    return NULL;
}

static NOINLINE bool lookup(struct table *t, uint32_t address)
{
    bool found = false;
    pthread_rwlock_rdlock(&t->lock);
    FOR_CPU_US(LOOKUP_US)
        for (int i = 0; i < ROUTES && !found; i++)
            found = t->routes[i].prefix == (address & 0xffffff00);
    pthread_rwlock_unlock(&t->lock);
    return found;
}

static void fill(struct table *t)
{
    for (uint32_t i = 0; i < ROUTES; i++)
        t->routes[i] = (struct route){.prefix = (10u << 24) | (i << 8), .next_hop = i % 4, .metric = 1};
}

int main(void)
{
    pthread_t report, updates;
    fill(&table);
    CHECK(pthread_create(&report, NULL, reporter, &table) == 0);
    CHECK(pthread_create(&updates, NULL, neighbour, &table) == 0);
    for (unsigned i = 0; i < 20; i++)
        CHECK(lookup(&table, (10u << 24) | (i << 8) | 1));
    CHECK(pthread_join(updates, NULL) == 0);
    CHECK(pthread_join(report, NULL) == 0);
    printf("%lu updates\n", table.version);
    return 0;
}
