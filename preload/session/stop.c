#include "preload/session/stop.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "preload/config.h"
#include "preload/generation.h"
#include "preload/held_signals.h"
#include "preload/heap/heap_setup.h"
#include "preload/modules.h"
#include "preload/recorder.h"
#include "preload/sampler/sample.h"
#include "preload/sampler/sample_record.h"
#include "preload/say.h"
#include "preload/session/state.h"
#include "preload/short_calls.h"
#include "preload/switches/switches.h"
#include "preload/thread.h"
#include "preload/unseen.h"

enum { STOP_GRACE_NS = 100000000 };

/*
 * A thread that is in a section, and does not come out because it has lost the CPU or a debugger holds it, keeps all
 * that it writes to: its chunk, the lists of the spool, its place in memory. What it had committed is in the file; what
 * it writes from now on goes nowhere. The next session waits until it is out (session.ends).
 */
static void end_recording(uint32_t hooked_then)
{
    struct spool_header *h = recorder.spool.header;
    while (!gate_close(&recorder.gate)) /* false once, when membarrier is refused for the first time */
        ;
    lock_take(&registry.lock);
    sample_stop();
    uint32_t inside = seal_those_out(STOP_GRACE_NS), sampling = sample_seal();
    spool_count_lost(h, LOST_OTHER, LOSS_HELD, inside);
    __atomic_fetch_add(&h->samples.lost, sampling, __ATOMIC_RELAXED);
    session.ends = inside || sampling;
    recorder.wants_maintenance = 0;
    recorder_read_clocks();
    __atomic_store_n(&recorder.owner->hooked, hooked_then, __ATOMIC_RELEASE);
    lock_drop(&registry.lock);
    gate_open(&recorder.gate);
    int fd = recorder.spool.file_end ? spool_open(&recorder.spool) : -1;
    if (fd >= 0) {
        spool_trim(&recorder.spool, fd);
        sys_close(fd);
    }
    spool_close_log(&recorder.spool);
    spool_detach(&recorder.spool, inside ? SPOOL_TORN : SPOOL_COMPLETE);
}

static bool stop_locked(uint32_t hooked_then)
{
    lock_take(&recorder.advance_lock);
    bool stopped = __atomic_exchange_n(&recorder.owner->recording, 0, __ATOMIC_SEQ_CST);
    if (stopped)
        end_recording(hooked_then);
    __atomic_store_n(&recorder.owner->hooked, hooked_then, __ATOMIC_RELEASE);
    lock_drop(&recorder.advance_lock);
    return stopped;
}

static bool stop(bool for_good, char *spool)
{
    uint64_t held = signals_hold();
    if (recording()) {
        modules_refresh();
        unseen_look();
        short_calls_write();
        heap_end();
        switches_drain();
    }
    lock_take(&session.lock);
    session.over |= for_good; /* whoever comes later, by order from outside, hooks nothing again */
    bool stopped = stop_locked(session.over ? 0 : tracked_classes());
    if (stopped && spool)
        strcpy(spool, recorder.spool.path);
    lock_drop(&session.lock);
    signals_release(held);
    return stopped;
}

bool session_stop(void) { return session_stop_reporting(NULL); }
bool session_stop_reporting(char *spool) { return recorder.owner->alive && stop(false, spool); }

/*
 * At the end of the process a thread that a debugger holds with one of our locks must not keep it. The spool then stays
 * as a kill would leave it.
 */
static bool locks_come_free(void)
{
    enum { PATIENCE_MS = 2000 };
    struct lock *const locks[] = {&session.lock, &recorder.advance_lock, &registry.lock};
    for (unsigned i = 0; i < sizeof locks / sizeof *locks; i++) {
        if (!lock_take_for(locks[i], PATIENCE_MS))
            return false;
        lock_drop(locks[i]);
    }
    return true;
}

static void abandon(void)
{
    __atomic_store_n(&recorder.owner->hooked, 0, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&recorder.owner->recording, 0, __ATOMIC_SEQ_CST))
        recorder.spool.header->state = SPOOL_TORN;
}

/* Its path says nothing of it any more once the process has another root directory, or may not look there. */
static bool spool_was_removed(void)
{
    long err = raw_syscall(SYS_faccessat, AT_FDCWD, (long)recorder.spool.path, F_OK, 0, 0, 0);
    return (err == -ENOENT || err == -ENOTDIR) && session_root() == session.root;
}

void session_stop_for_good(void)
{
    if (!recorder.owner->alive)
        return;
    if (!locks_come_free()) {
        abandon();
        return;
    }
    if (!stop(true, NULL))
        return;
    if (session.options->flight.bytes && !session.options->snapshot.exit)
        sys_unlink(recorder.spool.path);
    else if (spool_was_removed())
        say("the spool was removed, nothing is left of the recording: ", session.out);
}
