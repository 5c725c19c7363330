/*
 * When a flight recorder writes by itself: after a wait that took too long. Most long waits are of threads that have
 * nothing to do, for a time to come, for input, for work. What counts unless all were asked for is what another thread
 * of the program has caused: a lock that it held, or an end or a post that it came late with.
 */
#include "preload/session/flight.h"

#include <string.h>

#include "lib/options/options.h"
#include "lib/text.h"
#include "preload/config.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/thread.h"

enum { LEAVES_MAX = 64 };

static struct {
    const struct options *options;
    bool any; /* all waits count, not only those with these leaves */
    struct leaf {
        uintptr_t pc;
        bool by_release; /* it counts if a thread of the program has ended it */
    } leaves[LEAVES_MAX];
    uint32_t nleaves;
    void (*note)(struct thread *t);
} flight;

static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

static bool is_lock(const char *name)
{
    return begins(name, "pthread_mutex_") || begins(name, "pthread_rwlock_") || begins(name, "pthread_spin_") ||
           begins(name, "mtx_") || strstr(name, "once");
}

/* A time that runs out is no fault of another thread. */
static bool is_released(const char *name) { return strstr(name, "join") || begins(name, "sem_"); }

static void find_function(void *arg, const void *address, const char *name)
{
    struct piece wanted = flight.options->snapshot.function;
    bool by_release = !wanted.len && is_released(name);
    if ((wanted.len ? piece_is(wanted, name) : by_release || is_lock(name)) && flight.nleaves < LEAVES_MAX)
        flight.leaves[flight.nleaves++] = (struct leaf){(uintptr_t)address + 1, by_release};
}

/* Generations are short enough for the window to have several. */
static uint64_t period(const struct options *o)
{
    enum { PARTS = 8, SHORTEST_NS = 10000000 };
    uint64_t parts = o->flight.generations > PARTS ? PARTS : o->flight.generations - 1;
    uint64_t part = o->flight.window_ns / parts, longest = o->flight.window_ns ? part : o->period_ns;
    uint64_t ns = o->period_ns < longest ? o->period_ns : longest;
    return ns > SHORTEST_NS ? ns : SHORTEST_NS;
}

void flight_init(const struct options *o, void (*note)(struct thread *t))
{
    flight.options = o;
    flight.note = note;
    flight.nleaves = 0;
    if (!o->flight.bytes)
        return;
    config_to_set.period_ns = period(o);
    if (!o->snapshot.wait_ns)
        return;
    config_to_set.long_wait = clock_roughly(&recorder.clock, o->snapshot.wait_ns) / 2;
    flight.any = piece_is(o->snapshot.function, "any");
    real_each(find_function, NULL);
    if (!flight.any && !flight.nleaves) {
        config_to_set.long_wait = 0;
        say("THRACE_SNAPSHOT: this function is not wrapped, so nothing is written for its waits: ",
            o->snapshot.function.text);
    }
}

/*
 * What a tick is worth shows in what passed since the recording began; 0 until that is something. By any thread in a
 * hook: the spool stays mapped.
 */
static uint64_t ns_of(uint64_t ticks)
{
    const struct spool_header *h = recorder.spool.header;
    uint64_t hz = suspensions_frequency(&h->suspensions, &h->clock, h->first, clock_read_pair(&h->clock));
    return hz ? (uint64_t)((double)ticks * 1e9 / (double)hz) : 0;
}

static bool counts(const struct thread *t)
{
    for (uint32_t i = 0; i < flight.nleaves; i++)
        if (flight.leaves[i].pc == t->wait_site.leaf)
            return !flight.leaves[i].by_release || t->woken != NOT_WOKEN;
    return flight.any;
}

void flight_waited_long(struct thread *t, uint64_t ticks)
{
    uint64_t ns = recording() && counts(t) ? ns_of(ticks) : 0;
    if (!ns || ns < flight.options->snapshot.wait_ns)
        return;
    t->long_wait.ns = ns;
    t->long_wait.leaf = t->wait_site.leaf;
    flight.note(t);
}

struct wanted_name {
    uintptr_t leaf;
    const char *name;
};

static void find_name(void *arg, const void *address, const char *name)
{
    struct wanted_name *wanted = arg;
    if ((uintptr_t)address + 1 == wanted->leaf)
        wanted->name = name;
}

void flight_describe(const struct thread *waiter, const char *out, char *line, size_t size)
{
    enum { MS = 1000000, TENTH = MS / 10 };
    struct wanted_name wanted = {waiter->long_wait.leaf, "a wait"};
    struct text t = {line, line + size - 1};
    real_each(find_name, &wanted);
    text_put_string(&t, wanted.name, 64);
    text_put_string(&t, " took ", 8);
    text_put_number(&t, (uint32_t)(waiter->long_wait.ns / MS));
    text_put(&t, '.');
    text_put_number(&t, (uint32_t)(waiter->long_wait.ns % MS / TENTH));
    text_put_string(&t, " ms in thread ", 16);
    text_put_number(&t, (uint32_t)waiter->sched.m);
    if (waiter->name[0]) {
        text_put_string(&t, " (", 2);
        text_put_string(&t, waiter->name, sizeof waiter->name);
        text_put(&t, ')');
    }
    text_put_string(&t, ": ", 2);
    text_put_string(&t, out, (uint32_t)size);
    *t.p = 0;
}
