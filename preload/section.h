/* The section in which a thread may write, or change what the model says of it (recorder.h has the rules). */
#ifndef THRACE_PRELOAD_SECTION_H
#define THRACE_PRELOAD_SECTION_H

#include "preload/recorder.h"
#include "preload/thread.h"

/*
 * Opens a section with room for one transition and extra bytes of meta records, for an event of that kind. False: not
 * recording, or no room, which is counted; the caller then leaves the model as it is. The last of the room is for waits,
 * wake-ups, threads and the ends of what was begun.
 */
bool section_enter_slow(struct thread *t, size_t extra, enum lost what);
static inline bool section_try(struct thread *t, size_t extra)
{
    if (likely(gate_enter(&recorder.gate, &t->writer))) {
        if (recording() && likely(sched_has_room(&t->sched, extra)))
            return true;
        gate_leave(&t->writer);
    }
    return false;
}
static inline bool section_enter(struct thread *t, size_t extra, enum lost what)
{
    return likely(section_try(t, extra)) || section_enter_slow(t, extra, what);
}

/*
 * A section without room for anything. False: not recording. Whoever has a chunk, as for section_try, is marked as active
 * (active.h); all others come here.
 */
bool bare_section_enter(struct thread *t);
static inline void section_leave(struct thread *t) { gate_leave(&t->writer); }

/* The same before a wait, of which nobody knows how long it will be: where many wait, none keeps a chunk meanwhile. */
static inline void section_leave_to_wait(struct thread *t)
{
    if (unlikely(spool_is_crowded(&recorder.spool)))
        seal_chunk(&t->sched);
    section_leave(t);
}

/*
 * While nothing is recorded the model holds each thread's status and nothing else. It is changed in a section, too, so
 * that a start finds every thread in a state that lasts until the gate opens. False: something is recorded, or nothing
 * ever will be.
 */
bool track_enter(struct thread *t);

/* Whichever it is; either is left by section_leave. */
enum section { NO_SECTION, SECTION_TRACKS, SECTION_WRITES };
enum section any_section_enter_slow(struct thread *t, size_t extra, enum lost what);
static inline enum section any_section_enter(struct thread *t, size_t extra, enum lost what)
{
    return likely(section_try(t, extra)) ? SECTION_WRITES : any_section_enter_slow(t, extra, what);
}

/* Runnable → Running. */
void thread_starts(struct thread *t);

#endif
