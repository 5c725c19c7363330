#include "preload/section.h"

#include "preload/active.h"
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

/*
 * What is recorded, and whether, changes behind a closed gate only: what was seen inside holds until the thread leaves.
 */
bool bare_section_enter(struct thread *t)
{
    while (recording()) {
        mark_active(t);
        if (unlikely(!gate_enter(&recorder.gate, &t->writer))) {
            gate_wait(&recorder.gate);
            continue;
        }
        if (recording() && likely(is_active(t))) /* else a generation began in between, without it */
            return true;
        gate_leave(&t->writer);
    }
    return false;
}

bool track_enter(struct thread *t)
{
    while (hooked() && !recording()) {
        if (unlikely(!gate_enter(&recorder.gate, &t->writer))) {
            gate_wait(&recorder.gate);
            continue;
        }
        if (!recording())
            return true;
        gate_leave(&t->writer);
    }
    return false;
}

enum { GROWTH_WAITS = 50, GROWTH_WAIT_NS = 100000 };

/* Outside of a section: the pool is empty but may still grow, which takes the helper a moment. */
static SLOW bool await_growth(void)
{
    const struct timespec moment = {0, GROWTH_WAIT_NS};
    if (recorder.spool.header->nchunks >= SPOOL_MAX_CHUNKS || !upcalls.wake_helper())
        return false;
    raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    return true;
}

bool section_enter_slow(struct thread *t, size_t extra)
{
    for (int waits = 0; bare_section_enter(t); waits++) {
        if (likely(sched_has_room(&t->sched, extra)) || new_chunk(&t->sched))
            return true;
        gate_leave(&t->writer);
        if (waits < GROWTH_WAITS && await_growth())
            continue;
        count_lost();
        break;
    }
    return false;
}

enum section any_section_enter_slow(struct thread *t, size_t extra)
{
    do {
        if (section_enter_slow(t, extra))
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
    switch (any_section_enter(t, 0)) {
    case SECTION_WRITES:
        if (!sched_start(&recorder.sched, &t->sched, now()))
            count_lost();
        break;
    case SECTION_TRACKS:
        sched_track(&t->sched, GO_RUNNING);
        break;
    case NO_SECTION:
        return;
    }
    section_leave(t);
}
