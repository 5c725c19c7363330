/* Generations: the advancer, and what each begins with. */
#include "preload/generation.h"

#include "preload/active.h"
#include "preload/closing.h"
#include "preload/config.h"
#include "preload/lock_stats.h"
#include "preload/objects.h"
#include "preload/resting.h"
#include "preload/statuses.h"
#include "preload/thread.h"
#include "preload/upcalls.h"

enum {
    RETRY_NS = 10000000, /* until the next try, when a writer stayed in for longer (it waits for a page of the spool), or
                            the pool has to grow first */
    URGENT_PAUSE_NS = 500000000, /* until there may be another try of which all may have to wait for long */
};

bool all_writers_out(uint64_t grace_ns)
{
    uint64_t until = clock_mono_ns() + grace_ns;
    for (struct thread *t = registry.threads; t; t = t->next)
        if (!gate_await_writer(&t->writer, until))
            return false;
    return true;
}

#define STATUSES_ROOM(n) ((n) * (2 * SCHED_STATUS_MAX + BATCH_HEADER_MAX) / (CHUNK_CAPACITY / 2) + 3)

/* Every status has room, and every batch of one status its header; what is not packed takes a chunk each. */
static uint32_t active_room(void)
{
    uint32_t own_batches = 0, slot = 0;
    for (struct thread *t; !spool_can_pack(&recorder.spool) && (t = next_active(&slot));)
        own_batches += sched_has_proc(&recorder.sched, &t->sched);
    return STATUSES_ROOM(count_active() + recorder.sched.nprocs_known) + own_batches;
}

static bool prepare(void)
{
    return config.self_contained || (chunks_are_free(active_room() + resting_room()) && resting_prepare());
}

/* What only the pool has is in no snapshot. */
static bool write_lock_stats(void)
{
    if (config.self_contained)
        lock_stats_flush();
    return true;
}

static void seal_shared(void)
{
    seal_chunk(&recorder.service);
    spool_seal_packed(&recorder.spool);
}

uint32_t seal_those_out(uint64_t grace_ns)
{
    uint64_t until = clock_mono_ns() + grace_ns;
    uint32_t inside = 0;
    for (struct thread *t = registry.threads; t; t = t->next) {
        if (gate_await_writer(&t->writer, until))
            seal_chunk(&t->sched);
        else
            inside++;
    }
    seal_shared();
    return inside;
}

/*
 * All were seen outside of the closed gate. The flag of one may be up again: it looks at the gate, maybe for as long as
 * it has no processor, and then stays out. So flags are not asked; a chunk that was left open would take what its thread
 * writes in the next generation.
 */
static void seal_all(void)
{
    uint32_t slot = 0;
    for (struct thread *t; (t = next_active(&slot));)
        seal_chunk(&t->sched);
    seal_shared();
}

/* Threads that wait may have a good part of the pool's chunks, with a few events in each: packed they take little. */
static bool first_statuses_fit(void)
{
    if (statuses_fit())
        return true;
    seal_all();
    return statuses_fit();
}

static bool enough_chunks(void) { return config.self_contained ? first_statuses_fit() : chunks_are_free(active_room()); }

/*
 * A thread in a system call stays active, as its clock has to be put past each status; and one that found no room. For
 * a flight recorder all do, as each generation has more to say of them.
 */
static void status_of_active(struct thread *t, uint64_t time, bool *heap_reported)
{
    uint32_t status = sched_current(&t->sched)->status;
    resting_ends(t->slot);
    if (status == GO_NOT_EXIST || status == GO_DEAD) {
        unmark_active(t);
    } else if (sched_has_proc(&recorder.sched, &t->sched)) {
        write_status_with_proc(t, time, heap_reported);
    } else {
        status = write_status_other(t, time, config.self_contained);
        if (!config.self_contained && (status == GO_RUNNABLE || status == GO_WAITING)) {
            resting_begins(t->slot, t->sched.g, status);
            unmark_active(t);
        }
    }
}

/* Each mark is looked at once: a thread that waits at the gate may set its own at any time. */
static void write_statuses(uint64_t time)
{
    bool heap_reported = false;
    uint32_t slot = 0;
    for (struct thread *t; (t = next_active(&slot));)
        status_of_active(t, time, &heap_reported);
    resting_publish(time);
    for (uint32_t p = 0; p < recorder.sched.nprocs_known; p++)
        if (!sched_proc_is_busy(&recorder.sched, p))
            write_status_idle_proc(p, time);
}

static void begin_next(void)
{
    seal_all();
    upcalls.seal_samples();
    const uint64_t seals = __atomic_load_n(&recorder.spool.header->seal_count, __ATOMIC_RELAXED);
    sched_advance(&recorder.sched, recorder.sched.generation + 1);
    stacktab_clear(&recorder.stacks);
    objects_forget();
    recorder_read_clocks();
    uint64_t time = now();
    write_statuses(time);
    spool_generation_has_begun(&recorder.spool, seals);
    recorder.deadline_ns = clock_mono_ns() + config.period_ns;
    recorder.spool.header->last_generation = recorder.sched.generation;
}

/* What outgrows the ring of a flight recorder is lost as a whole. But nobody is to be held up all the time. */
static bool is_urgent(void)
{
    static uint64_t not_before; /* with the advance lock */
    uint64_t time = clock_mono_ns(), ring = recorder.spool.header->ring_size;
    if (!ring || time < not_before || spool_newest_bytes(&recorder.spool) <= ring / 2)
        return false;
    not_before = time + URGENT_PAUSE_NS;
    return true;
}

bool generation_advance(void)
{
    bool done = false;
    if (!lock_try(&recorder.advance_lock))
        return false;
    if (recording()) {
        bool narrow = prepare() && narrow_gate(), closed = false;
        if (narrow) {
            if (!config.self_contained)
                put_to_rest();
            closed = close_gate_behind_all(is_urgent());
        }
        done = closed && write_lock_stats() && enough_chunks();
        if (done)
            begin_next();
        else
            recorder.deadline_ns = clock_mono_ns() + (config.period_ns < RETRY_NS ? config.period_ns : RETRY_NS);
        if (closed)
            open_gate_for_all();
    }
    lock_drop(&recorder.advance_lock);
    return done;
}

/* --- the first generation of a recording that begins in mid-run --------------------------------------------------- */

static void forget_last_recording(struct thread *t)
{
    sched_forget_procs(&t->sched);
    t->promise.wakeup.g = 0;
    t->lost = 0;
    if (t->spare)
        sched_track(&t->sched, GO_NOT_EXIST);
}

void first_generation(uint32_t gomaxprocs)
{
    struct thread *oldest = NULL;
    bool said = false;
    bool in_mid_run = false;
    lock_stats_forget();
    for (struct thread *t = registry.threads; t; oldest = t, t = t->next) {
        forget_last_recording(t);
        in_mid_run |= sched_current(&t->sched)->status != GO_NOT_EXIST;
    }
    /* The number before that is for the generation that thrace finish puts in front. */
    sched_restart(&recorder.sched, recorder.sched.generation + 1 + in_mid_run, gomaxprocs);
    stacktab_clear(&recorder.stacks);
    objects_forget();
    uint64_t time = now();
    for (struct thread *t = oldest; t; t = t->prev) {
        uint32_t status = sched_current(&t->sched)->status;
        if (status == GO_RUNNING)
            write_first_running(t, time, &said);
        else if (status != GO_NOT_EXIST && status != GO_DEAD)
            write_status_other(t, time, true);
        else if (t == self)
            write_first_thread(t, time);
    }
    /* What an earlier recording, or the parent, left in records that are in the pool now means nothing. */
    mark_none_active();
    resting_forget();
    mark_all_active();
}
