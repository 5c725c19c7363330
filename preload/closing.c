#include "preload/closing.h"

#include "preload/active.h"
#include "preload/recorder.h"

enum {
    PATIENCE_NS = 2000000,     /* the gate narrow; a turn of 64 threads on two processors takes a quarter of that */
    WRITERS_GRACE_NS = 500000, /* behind the closed gate, when that was in vain */
    URGENT_GRACE_NS = 20000000, /* some turns, where other programs are busy, too */
};

/* Not asleep: time enough for those that execute. */
static bool leaves_soon(const struct writer *w)
{
    for (int tries = 0; tries < 5; tries++)
        if (gate_await_writer(w, 0))
            return true;
    return false;
}

static bool are_out(uint64_t until_ns)
{
    uint32_t slot = 0;
    for (struct thread *t; (t = next_active(&slot));)
        if (!(until_ns ? gate_await_writer(&t->writer, until_ns) : leaves_soon(&t->writer)))
            return false;
    return true;
}

/* The lock first: its holder may have lost the CPU, too. */
static bool shut(uint64_t grace_ns)
{
    lock_take(&registry.lock);
    gate_shut(&recorder.gate);
    if (are_out(grace_ns ? clock_mono_ns() + grace_ns : 0))
        return true;
    lock_drop(&registry.lock);
    return false;
}

bool narrow_gate(void) { return gate_narrow(&recorder.gate); }

bool close_gate_behind_all(bool urgent)
{
    if (are_out(0) && shut(0))
        return true;
    uint64_t until = clock_mono_ns() + PATIENCE_NS;
    do {
        gate_ask(&recorder.gate);
        if (are_out(until) && shut(0))
            return true;
    } while (clock_mono_ns() < until);
    if (shut(urgent ? URGENT_GRACE_NS : WRITERS_GRACE_NS))
        return true;
    gate_open(&recorder.gate);
    return false;
}

void open_gate_for_all(void)
{
    lock_drop(&registry.lock);
    gate_open(&recorder.gate);
}
