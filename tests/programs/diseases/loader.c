/*
 * A loader of configurations: clients ask for one and wait until it is there. When it is, the loader first waits until
 * its neighbours have taken notice, and tells the clients then.
 */
#include "work.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 2, ROUNDS = 12, ITEMS = 64, PARSE_US = 300, USE_US = 500, SETTLE_US = 8000 };

struct item {
    char key[16], value[32];
};

static struct config {
    pthread_mutex_t lock;
    pthread_cond_t asked, ready;
    struct item items[ITEMS];
    unsigned wanted, version, using;
    bool over;
} config = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .asked = PTHREAD_COND_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static NOINLINE void parse(struct item *items, unsigned version)
{
    FOR_CPU_US(PARSE_US)
        for (unsigned i = 0; i < ITEMS; i++) {
            snprintf(items[i].key, sizeof items[i].key, "key%u", i);
            snprintf(items[i].value, sizeof items[i].value, "value %u of %u", i, version);
        }
}

static NOINLINE void tell_neighbours(void)
{
    usleep(SETTLE_US);
}

static NOINLINE void publish(struct config *c, const struct item *items, unsigned version)
{
    pthread_mutex_lock(&c->lock);
    memcpy(c->items, items, sizeof c->items);
    c->version = version;
    pthread_mutex_unlock(&c->lock);
    tell_neighbours();
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->ready);
    pthread_mutex_unlock(&c->lock);
}

static NOINLINE unsigned next_wanted(struct config *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->wanted == c->version && !c->over)
        pthread_cond_wait(&c->asked, &c->lock);
    unsigned wanted = c->over ? 0 : c->wanted;
    pthread_mutex_unlock(&c->lock);
    return wanted;
}

static void *loader(void *arg)
{
    struct item items[ITEMS];
    for (unsigned version; (version = next_wanted(arg));) {
        parse(items, version);
        publish(arg, items, version);
    }
    return NULL;
}

/* The next version is asked for by who comes first. */
static NOINLINE void await_version(struct config *c, unsigned version)
{
    pthread_mutex_lock(&c->lock);
    if (c->wanted < version) {
        c->wanted = version;
        pthread_cond_signal(&c->asked);
    }
    while (c->version < version)
        pthread_cond_wait(&c->ready, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static NOINLINE void use_items(const struct config *c)
{
    uint64_t hash = FIRST_HASH;
    FOR_CPU_US(USE_US)
        for (int i = 0; i < ITEMS; i++)
            MIX(hash, (unsigned char)c->items[i].key[3]);
}

static void *client(void *arg)
{
    for (unsigned version = 1; version <= ROUNDS; version++) {
        await_version(arg, version);
        use_items(arg);
    }
    return NULL;
}

int main(void)
{
    pthread_t loads, clients[CLIENTS];
    CHECK(pthread_create(&loads, NULL, loader, &config) == 0);
    for (int i = 0; i < CLIENTS; i++)
        CHECK(pthread_create(&clients[i], NULL, client, &config) == 0);
    for (int i = 0; i < CLIENTS; i++)
        CHECK(pthread_join(clients[i], NULL) == 0);
    pthread_mutex_lock(&config.lock);
    config.over = true;
    pthread_cond_signal(&config.asked);
    pthread_mutex_unlock(&config.lock);
    CHECK(pthread_join(loads, NULL) == 0);
    printf("%u versions\n", config.version);
    return 0;
}
