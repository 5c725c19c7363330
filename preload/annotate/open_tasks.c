#include "preload/annotate/open_tasks.h"

#include <stddef.h>

/*
 * Who turns a place from free to busy fills it, and makes it full; who turns it from full to free has its task. A place
 * is read without that, so what was read counts only if the state is the same afterwards: it never comes back. Who reads
 * something newer sees by the acquire that it is not.
 */
enum { FREE, BUSY, FULL, STATES = 4 };

/* Above that, how often the task has begun, and above that, how often the place was filled. */
enum { ONCE = STATES, TIMES_BITS = 24, TIMES = ((1 << TIMES_BITS) - 1) * ONCE };
#define FILLED ((uint64_t)ONCE << TIMES_BITS)

struct place {
    uint64_t state;
    uint64_t task;
    struct task_key key;
};

static struct place places[OPEN_TASKS_MAX];

static struct place *place_of(const struct task_key *key, unsigned i)
{
    uint64_t h = 0;
    for (unsigned k = 0; k < sizeof key->word / sizeof key->word[0]; k++) {
        h = (h ^ key->word[k]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return &places[(h + i) % OPEN_TASKS_MAX];
}

static bool turn(struct place *p, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(&p->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool open_task_put(const struct task_key *key, uint64_t task)
{
    for (unsigned i = 0; i < OPEN_TASKS_REACH; i++) {
        struct place *p = place_of(key, i);
        uint64_t state = __atomic_load_n(&p->state, __ATOMIC_RELAXED);
        if (state % STATES != FREE || !turn(p, state, state + BUSY))
            continue;
        for (unsigned k = 0; k < sizeof key->word / sizeof key->word[0]; k++)
            __atomic_store_n(&p->key.word[k], key->word[k], __ATOMIC_RELEASE);
        __atomic_store_n(&p->task, task, __ATOMIC_RELEASE);
        __atomic_store_n(&p->state, state + FILLED + ONCE + FULL, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static bool has_key(const struct place *p, const struct task_key *key)
{
    for (unsigned k = 0; k < sizeof key->word / sizeof key->word[0]; k++)
        if (__atomic_load_n(&p->key.word[k], __ATOMIC_ACQUIRE) != key->word[k])
            return false;
    return true;
}

/* The full place with this key, its state and task; NULL: there is none. */
static struct place *find(const struct task_key *key, uint64_t *state, uint64_t *task)
{
    for (unsigned i = 0; i < OPEN_TASKS_REACH; i++) {
        struct place *p = place_of(key, i);
        *state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
        if (*state % STATES != FULL || !has_key(p, key))
            continue;
        *task = __atomic_load_n(&p->task, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&p->state, __ATOMIC_RELAXED) == *state)
            return p;
    }
    return NULL;
}

bool open_task_again(const struct task_key *key)
{
    uint64_t state, task;
    for (struct place *p; (p = find(key, &state, &task));)
        if ((state & TIMES) == TIMES || turn(p, state, state + ONCE))
            return true;
    return false;
}

uint64_t open_task_find(const struct task_key *key)
{
    uint64_t state, task;
    return find(key, &state, &task) ? task : 0;
}

uint64_t open_task_end(const struct task_key *key)
{
    uint64_t state, task;
    for (struct place *p; (p = find(key, &state, &task));) {
        bool last = (state & TIMES) == ONCE;
        if (turn(p, state, state - ONCE - (last ? FULL : 0)))
            return last ? task : 0;
    }
    return 0;
}
