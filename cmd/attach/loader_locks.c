#include "config.h"

#include "cmd/attach/loader_locks.h"

#include <pthread.h>
#include <string.h>

#include "cmd/attach/remote_function.h"

/*
 * Where the locks are in what the loader shares with libc differs from version to version. They are told by what they
 * look like: nothing else there does.
 */
struct shared {
    const struct process *p;
    uint64_t address;
    size_t size;
    uint8_t data[16384];
};

/* A pthread_mutex_t of x86-64 as it is in memory. */
struct mutex {
    int32_t word;
    uint32_t count;
    int32_t owner;
    uint32_t users;
    int32_t kind;
    int32_t rest[5];
};

/* Of libraries, of their list, and of thread-local storage, in this order. */
enum { LIST = 1, STORAGE = 2, MUTEXES = 3, LISTS = 3 };

static bool are_mutexes(const struct shared *s, size_t at)
{
    static const int32_t none[5];
    struct mutex m[MUTEXES];
    bool all = at + sizeof m <= s->size;
    if (all)
        memcpy(m, s->data + at, sizeof m);
    for (int i = 0; i < MUTEXES && all; i++)
        all = m[i].kind == PTHREAD_MUTEX_RECURSIVE && m[i].word >= 0 && m[i].word <= 2 &&
              !memcmp(m[i].rest, none, sizeof none);
    return all;
}

struct list {
    uint64_t next, previous;
};

/* Of the stacks of threads, of those that the program has made, and of those that wait for a thread. */
struct stacks {
    struct list lists[LISTS];
    uint64_t kept, in_flight;
    int32_t lock;
};

/* Who follows it says so. */
static bool is_list(const struct process *p, uint64_t address, const struct list *l)
{
    struct list next, previous;
    return process_load(p, l->next, &next, sizeof next) && process_load(p, l->previous, &previous, sizeof previous) &&
           next.previous == address && previous.next == address;
}

static bool are_stacks(const struct shared *s, size_t at)
{
    struct stacks k;
    bool all = at + sizeof k <= s->size;
    if (all)
        memcpy(&k, s->data + at, sizeof k);
    for (int i = 0; i < LISTS && all; i++)
        all = k.lists[i].next && is_list(s->p, s->address + at + (size_t)i * sizeof *k.lists, &k.lists[i]);
    return all && k.lock >= 0 && k.lock <= 2;
}

/* The only such place; 0: there is none, or more than one. */
static uint64_t find(const struct shared *s, bool (*is)(const struct shared *s, size_t at))
{
    uint64_t found = 0;
    for (size_t at = 0; at < s->size; at += sizeof(uint64_t)) {
        bool here = is(s, at);
        if (here && found)
            return 0;
        if (here)
            found = s->address + at;
    }
    return found;
}

/* Lists that change meanwhile do not look like lists. */
struct loader_locks loader_locks_find(const struct process *p)
{
    enum { LOOKS = 20 };
    static struct shared s;
    struct loader_locks locks = {.p = p};
    const struct remote_range where = remote_loader_data(p);
    uint64_t mutexes = 1, stacks = 0;
    s.p = p;
    s.address = where.from;
    s.size = where.to - where.from;
    for (int i = 0; i < LOOKS && mutexes && !stacks; i++) {
        bool known = s.size && s.size <= sizeof s.data && process_load(p, s.address, s.data, s.size);
        mutexes = known ? find(&s, are_mutexes) : 0;
        stacks = mutexes ? find(&s, are_stacks) : 0;
    }
    if (mutexes) {
        locks.list = mutexes + LIST * sizeof(struct mutex);
        locks.storage = mutexes + STORAGE * sizeof(struct mutex);
    }
    if (stacks) {
        locks.stacks = stacks + offsetof(struct stacks, lock);
        locks.kept = stacks + offsetof(struct stacks, kept);
    }
    return locks;
}

uint64_t loader_keeps_stacks(const struct loader_locks *locks)
{
    uint64_t bytes;
    return locks->kept && process_load(locks->p, locks->kept, &bytes, sizeof bytes) ? bytes : 0;
}

/* Mutexes begin with such a word, too. */
static bool is_free(const struct loader_locks *locks, uint64_t lock)
{
    int32_t word;
    return !lock || (process_load(locks->p, lock, &word, sizeof word) && !word);
}

bool loader_lets_make_thread(const struct loader_locks *locks)
{
    return is_free(locks, locks->storage) && is_free(locks, locks->stacks);
}

bool loader_lets_add_library(const struct loader_locks *locks) { return is_free(locks, locks->list); }
