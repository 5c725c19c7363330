#include "preload/flight.h"

#include <string.h>

#include "preload/options.h"
#include "preload/orders.h"
#include "preload/real.h"
#include "preload/tracer.h"

static struct {
    const struct options *options;
    uintptr_t leaf; /* of the only function that counts; 0: all do */
    struct clock_pair began;
} flight;

static void find_function(void *arg, const void *address, const char *name)
{
    if (piece_is(flight.options->snapshot.function, name))
        flight.leaf = (uintptr_t)address + 1;
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

void flight_init(const struct options *o)
{
    flight.options = o;
    if (!o->flight.bytes)
        return;
    tracer.period_ns = period(o);
    flight.began = clock_read_pair(&tracer.clock);
    if (!o->snapshot.wait_ns)
        return;
    tracer.long_wait = clock_roughly(&tracer.clock, o->snapshot.wait_ns) / 2;
    real_each(find_function, NULL);
    if (o->snapshot.function.len && !flight.leaf) {
        tracer.long_wait = 0;
        say("THRACE_SNAPSHOT: this function is not wrapped, so nothing is written for its waits: ",
            o->snapshot.function.text);
    }
}

/* What a tick is worth shows in what passed since the beginning. */
static uint64_t ns_of(uint64_t ticks)
{
    struct clock_pair n = clock_read_pair(&tracer.clock);
    uint64_t all = n.ticks - flight.began.ticks;
    return all ? (uint64_t)((double)ticks * (double)(n.mono_ns - flight.began.mono_ns) / (double)all) : 0;
}

void flight_long_wait(const struct thread *t, uint64_t ticks)
{
    if (recording() && (!flight.leaf || t->at.leaf == flight.leaf) && ns_of(ticks) >= flight.options->snapshot.wait_ns)
        orders_note_long_wait();
}
