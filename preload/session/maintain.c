#include "preload/session/maintain.h"

#include "preload/config.h"
#include "preload/expected.h"
#include "preload/generation.h"
#include "preload/heap/heap.h"
#include "preload/held_signals.h"
#include "preload/modules.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/session/slots.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/thread.h"
#include "preload/unseen.h"

int session_drain(int fd)
{
    int err = spool_drain(&recorder.spool, fd);
    while (!err && spool_wants_chunks(&recorder.spool) && !spool_grow(&recorder.spool, fd))
        ; /* what is out is in use, not full */
    return err;
}

/*
 * A generation that has outgrown the ring is kept until the next one comes, for a snapshot, or until nobody can begin
 * one, as it has all chunks. Then it stands in the way.
 */
static bool stands_in_the_way(void)
{
    return spool_newest_generation(&recorder.spool) < recorder.sched.generation || spool_is_short(&recorder.spool);
}

int session_make_way(int fd)
{
    if (session.outgrown != session.number)
        say_later("more is recorded in a moment than the flight recorder has room for, and part of what it should keep "
                  "is gone; a larger one helps (THRACE_FLIGHT_RECORDER): ",
                  session.out);
    session.outgrown = session.number;
    spool_abandon_newest(&recorder.spool);
    return session_drain(fd);
}

static int drain_on(int fd)
{
    int err = session_drain(fd);
    return err == -ENOBUFS && stands_in_the_way() ? session_make_way(fd) : err;
}

/* Where there is no helper. The process may have given up what it takes to open the spool: then without. */
static int drain_by_path(void)
{
    if (!spool_wants_drain(&recorder.spool))
        return 0;
    int fd = spool_open(&recorder.spool), err = drain_on(fd);
    if (fd >= 0)
        sys_close(fd);
    return err;
}

void session_make_room(void)
{
    if (!recording())
        return;
    uint64_t held = signals_hold();
    if (lock_try(&session.lock)) {
        if (recording() && !__atomic_load_n(&recorder.spool.drain_lock.word, __ATOMIC_RELAXED))
            drain_by_path();
        lock_drop(&session.lock);
    }
    signals_release(held);
}

/* What was written, not what there is room for: the log, which a drain has just brought up to date. */
static bool is_full(void)
{
    return !session.options->flight.bytes && recorder.spool.header->log_end >= session.options->stop.size;
}

/* What is recorded is in the pool, whose pages the file has already: nothing that was recorded is lost. */
static void stop_early(int err)
{
    if (!session_stop())
        return;
    switch (-err) {
    case 0: say_later("the recording has reached its size and ended: ", session.out); break;
    case ENOSPC: say_later("no space left on the device, the recording ended: ", session.out); break;
    case EDQUOT: say_later("the disk quota is used up, the recording ended: ", session.out); break;
    case EFBIG: say_later("the file size limit is reached, the recording ended: ", session.out); break;
    case EOVERFLOW: say_later("the spool cannot be opened any more, and is full, the recording ended: ", session.out); break;
    default: say_later("the spool cannot be written any more, the recording ended: ", session.out); break;
    }
}

/*
 * Extents for the threads that the first one announces; their pages come into being when they are used. Half of the
 * pool may be full before it is drained, so a recording that is to be small has a small one.
 */
enum { HEAD_START = 7, PARTS_OF_SIZE = 8 };

static uint64_t head_start(void)
{
    enum { EXTENT = SPOOL_EXTENT_CHUNKS * SPOOL_CHUNK_SIZE };
    uint64_t fitting = session.options->flight.bytes ? HEAD_START : session.options->stop.size / PARTS_OF_SIZE / EXTENT;
    return fitting < HEAD_START ? fitting : HEAD_START;
}

static void reopen(struct session_file *f)
{
    if (f->fd >= 0)
        sys_close(f->fd);
    f->fd = spool_open(&recorder.spool);
    f->session = session.number;
    if (f->fd >= 0)
        spool_trim(&recorder.spool, f->fd);
    for (uint64_t n = head_start(); n; n--)
        spool_grow(&recorder.spool, f->fd);
}

/* What is too old goes; and no generation is to take more than a good part of the ring. */
static bool flight_wants_generation(void)
{
    const struct flight_option *flight = &session.options->flight;
    if (!flight->bytes)
        return false;
    uint64_t time = clock_mono_ns();
    if (flight->window_ns && time > flight->window_ns)
        spool_forget(&recorder.spool, time - flight->window_ns);
    return spool_wants_generation(&recorder.spool);
}

static int drain(const struct session_file *f) { return f ? drain_on(f->fd) : drain_by_path(); }

/* What was in the way of the generation that has just begun. */
static void drain_once_more(const struct session_file *f)
{
    if (!lock_try(&session.lock))
        return;
    if (recording())
        drain(f);
    lock_drop(&session.lock);
}

void session_maintain(struct session_file *f)
{
    if (!recording() || !lock_try(&session.lock))
        return;
    bool due = false, full = false;
    int err = 0;
    if (recording()) {
        if (f && f->session != session.number)
            reopen(f);
        err = drain(f);
        due = flight_wants_generation() || clock_mono_ns() >= recorder.deadline_ns;
        full = is_full();
    }
    lock_drop(&session.lock);
    if ((err && err != -ENOBUFS) || full)
        stop_early(err);
    bool may_ask = f || registry.nthreads == 1; /* else another thread may hold the loader's lock and wait for this one */
    if ((modules_wanted() || due) && may_ask)
        modules_refresh();
    if (f)
        slots_take_new();
    if (!due)
        return;
    heap_look();
    end_expected_threads();
    unseen_look();
    if (!generation_advance() || !config.self_contained)
        return;
    if (err == -ENOBUFS)
        drain_once_more(f);
    session_record_surroundings();
}
