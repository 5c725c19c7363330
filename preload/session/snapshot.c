#include "preload/session/snapshot.h"

#include <errno.h>

#include "preload/generation.h"
#include "preload/heap/heap.h"
#include "preload/held_signals.h"
#include "preload/modules.h"
#include "preload/recorder.h"
#include "preload/sampler/sample_timer.h"
#include "preload/session/maintain.h"
#include "preload/session/own_spool.h"
#include "preload/session/state.h"
#include "preload/switches/switches.h"

enum { ADVANCE_TRIES = 100, ADVANCE_PAUSE_NS = 1000000 };

/* The pool may have to be written out, or to grow, before there is room for the statuses of all threads. */
static bool advance_now(int fd)
{
    static const struct timespec pause = {0, ADVANCE_PAUSE_NS};
    for (int i = 0; i < ADVANCE_TRIES; i++) {
        if (generation_advance())
            return true;
        if (session_drain(fd) == -ENOBUFS && spool_is_short(&recorder.spool))
            session_make_way(fd);
        raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    return false;
}

static int no_generation(void)
{
    return __atomic_load_n(&recorder.spool.wanted, __ATOMIC_RELAXED) ? -ENOBUFS : -EBUSY;
}

static int copy_flight(int fd, char *spool)
{
    uint32_t n = session.last_n + 1 > 2 || session_is_numbered() ? session.last_n + 1 : 2;
    char out[SPOOL_PATH_MAX];
    /* What finds no room, as behind a generation that is as large as the ring, is missing in the copy. */
    int missing = session_drain(fd);
    for (;; n++) {
        if (!session_paths(n, out, spool))
            return -ENAMETOOLONG;
        int err = session_path_exists(out) ? -EEXIST
                              : spool_copy_ring(&recorder.spool, fd, recorder.sched.generation, spool, out);
        if (err == -EEXIST)
            continue;
        if (!err && missing && !mark_torn(spool)) {
            sys_unlink(spool);
            err = missing;
        }
        if (!err)
            session.last_n = n;
        return err;
    }
}

int session_snapshot(char *spool)
{
    if (!session.options->flight.bytes)
        return -EOPNOTSUPP;
    int err = -EALREADY;
    uint64_t held = signals_hold();
    modules_refresh();
    lock_take(&session.lock);
    if (recording()) {
        sample_account();
        heap_look();
        heap_report();
        switches_drain();
        int fd = spool_open(&recorder.spool);
        err = fd < 0 ? fd : advance_now(fd) ? copy_flight(fd, spool) : no_generation();
        if (fd >= 0)
            sys_close(fd);
    }
    lock_drop(&session.lock);
    if (!err)
        session_record_surroundings();
    signals_release(held);
    return err;
}
