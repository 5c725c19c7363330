#include "preload/section.h"

#include "preload/active.h"
#include "preload/delays.h"
#include "preload/upcalls.h"

/* A fresh chunk for the calling thread, inside its section. */
static SLOW bool new_chunk(struct sched_thread *t)
{
    struct chunk *c;
    seal_chunk(t);
    if (spool_wants_drain(&recorder.spool))
        request_maintenance();
    if (!(c = spool_take(&recorder.spool)))
        return false;
    sched_attach_chunk(&recorder.sched, t, c, now());
    return true;
}

static void wait_at_gate(const struct thread *t)
{
    uint64_t since = clock_mono_ns();
    gate_wait(&recorder.gate);
    delay_add(DELAY_GATE, t, since);
}

/* True: it is inside, by the narrow gate (closing.h). */
static SLOW bool pass_gate(struct thread *t)
{
    if (gate_pass(&recorder.gate, &t->writer))
        return true;
    wait_at_gate(t);
    return false;
}

static inline bool come_in(struct thread *t)
{
    return likely(gate_enter(&recorder.gate, &t->writer)) || pass_gate(t);
}

/*
 * What is recorded, and whether, changes behind a closed gate only: what was seen inside holds until the thread leaves.
 */
bool bare_section_enter(struct thread *t)
{
    while (recording()) {
        mark_active(t);
        if (!come_in(t))
            continue;
        if (recording() && likely(is_active(t))) /* else a generation began in between, without it */
            return true;
        gate_leave(&t->writer);
    }
    return false;
}

bool track_enter(struct thread *t)
{
    while (hooked() && !recording()) {
        if (!come_in(t))
            continue;
        if (!recording())
            return true;
        gate_leave(&t->writer);
    }
    return false;
}

enum { WAITS_FOR_ROOM = 50, WAIT_FOR_ROOM_NS = 100000 };

/*
 * Outside of a section: the pool is empty, but the helper may make it larger or drain it, which takes a moment. Where it
 * did neither for as long as anybody waits, nobody does again until it has written something.
 */
static SLOW bool await_room(int waits)
{
    static uint64_t in_vain = UINT64_MAX;
    const struct timespec moment = {0, WAIT_FOR_ROOM_NS};
    uint64_t written = __atomic_load_n(&recorder.spool.header->log_end, __ATOMIC_RELAXED);
    if (waits == WAITS_FOR_ROOM)
        __atomic_store_n(&in_vain, written, __ATOMIC_RELAXED);
    if (__atomic_load_n(&in_vain, __ATOMIC_RELAXED) == written || !upcalls.wake_helper())
        return false;
    raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    return true;
}

/* What would be missed the least. */
static bool is_cheap(enum lost what)
{
    return what == LOST_CALL || what == LOST_SAID || what == LOST_HEAP || what == LOST_OTHER;
}

/*
 * The helper has to have a processor before the pool is empty. Among many busy threads its fair share may be less than
 * what it takes to write down what these do, so they leave it theirs, once for each chunk. Not on the way to a wakeup,
 * which somebody waits for.
 */
bool section_enter_slow(struct thread *t, size_t extra, enum lost what)
{
    uint64_t since = 0;
    bool entered;
    for (int waits = 0; (entered = bare_section_enter(t)); waits++) {
        if (likely(sched_has_room(&t->sched, extra)))
            break;
        if (!waits && what != LOST_WAKEUP && unlikely(spool_is_low(&recorder.spool))) {
            gate_leave(&t->writer);
            sys_sched_yield();
            continue;
        }
        if (!(is_cheap(what) && unlikely(spool_is_short(&recorder.spool))) && new_chunk(&t->sched))
            break;
        gate_leave(&t->writer);
        entered = false;
        since = since ? since : clock_mono_ns();
        if (await_room(waits))
            continue;
        count_lost(what, LOSS_ROOM);
        break;
    }
    if (unlikely(since))
        delay_add(DELAY_ROOM, t, since);
    return entered;
}

enum section any_section_enter_slow(struct thread *t, size_t extra, enum lost what)
{
    do {
        if (section_enter_slow(t, extra, what))
            return SECTION_WRITES;
        if (recording())
            break;
        if (track_enter(t))
            return SECTION_TRACKS;
    } while (hooked());
    return NO_SECTION;
}

void thread_starts(struct thread *t)
{
    switch (any_section_enter(t, 0, LOST_THREAD)) {
    case SECTION_WRITES:
        if (!sched_start(&recorder.sched, &t->sched, now()))
            count_lost(LOST_THREAD, LOSS_STATE);
        break;
    case SECTION_TRACKS:
        sched_track(&t->sched, GO_RUNNING);
        break;
    case NO_SECTION:
        return;
    }
    section_leave(t);
}
