#include "preload/session/start.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "preload/config.h"
#include "preload/cpus.h"
#include "preload/generation.h"
#include "preload/go.h"
#include "preload/heap/heap_setup.h"
#include "preload/held_signals.h"
#include "preload/hooks/fds.h"
#include "preload/libc_words.h"
#include "preload/modules.h"
#include "preload/recorder.h"
#include "preload/sampler/sample.h"
#include "preload/sampler/sample_record.h"
#include "preload/session/helper.h"
#include "preload/session/own_spool.h"
#include "preload/session/state.h"
#include "preload/statuses.h"
#include "preload/switches/switches.h"
#include "preload/thread.h"

static struct spool fresh;

/*
 * The path without a number is for the first session of the last image: the spool of an earlier one makes room. Any
 * other path that is taken, by a spool or by a trace, is left alone, and the next number tried.
 */
static int create_spool(void)
{
    enum { TRIES = 100000 };
    char spool[SPOOL_PATH_MAX];
    void *place = session.recorded ? recorder.spool.header : NULL;
    uint32_t n = session.last_n ? session.last_n + 1 : session_is_numbered() ? 1 : session.number ? 2 : 0;
    for (uint32_t last = n + TRIES; n < last; n++) {
        if (!session_paths(n, session.out, spool))
            return -ENAMETOOLONG;
        if (n && session_path_exists(session.out))
            continue;
        int err = spool_create_at(&fresh, spool, place);
        if (err == -EEXIST && whose_spool(spool) == SPOOL_IS_OURS) {
            uint32_t moved = n ? 0 : move_own_spool(session.out, spool);
            if (moved)
                err = spool_create_at(&fresh, spool, place);
            else if (n)
                mark_torn(spool);
            else {
                mark_unrecorded(spool);
                return -EMLINK;
            }
            if (moved > session.last_n)
                session.last_n = moved;
        }
        if (err == -EEXIST && n)
            continue;
        if (err == -EEXIST && !is_plain_file(spool))
            return -EMEDIUMTYPE;
        if (!err && n > session.last_n)
            session.last_n = n;
        return err;
    }
    return -EEXIST;
}

static void fill_header(struct spool_header *h)
{
    h->start_realtime_ns = clock_ns(CLOCK_REALTIME);
    h->pid = (uint32_t)sys_getpid();
    h->pid_start = process_start_time();
    fill_place(h);
    h->trace_version = (uint32_t)session.options->trace_version;
    h->launcher = (uint32_t)session.options->launcher;
    h->session = session.number + 1;
    h->clock = recorder.clock;
    strcpy(h->out, session.out);
    strcpy(h->exe, session_exe());
    recorder.suspended_ns = clock_suspended_ns();
    h->first = h->last = clock_read_all(&recorder.clock, &recorder.suspended_ns);
    heap_fill(h);
    h->show_cpus = (uint32_t)session.options->cpus;
    h->locks.counted = (uint32_t)session.options->lock_stats;
    h->owners_hidden = !is_trusted(WORD_OWNER);
    h->unseen.go = go_was_seen(); /* now: its programs end by a system call */
}

static void open_first_generation(uint32_t cpus)
{
    struct spool_header *h = recorder.spool.header;
    first_generation(cpus);
    fd_closed(0, UINT32_MAX); /* nobody saw what was opened and closed meanwhile */
    h->last_generation = recorder.sched.generation;
    h->nthreads = registry.nthreads;
    h->last_g = registry.last_g;
    recorder.deadline_ns = clock_mono_ns() + config.period_ns;
    request_maintenance();
    spool_publish(&recorder.spool);
    __atomic_store_n(&recorder.owner->recording, recorded_classes(), __ATOMIC_SEQ_CST);
    __atomic_store_n(&recorder.owner->hooked, recorded_classes(), __ATOMIC_RELEASE);
    sample_start();
}

enum { START_PATIENCE_NS = 1000000000, START_GRACE_NS = 1000000, START_PAUSE_NS = 100000 };

/*
 * Does it behind the gate, with the registry lock, once nobody writes or takes a sample. The gate is opened between
 * tries: a thread that lost the CPU in a section must not hold up the others. -EBUSY: it never came to that.
 */
static int when_all_are_out(int (*act)(uint32_t cpus), uint32_t cpus)
{
    static const struct timespec pause = {0, START_PAUSE_NS};
    uint64_t until = clock_mono_ns() + START_PATIENCE_NS;
    int err;
    do {
        err = -EBUSY;
        if (!gate_close(&recorder.gate))
            continue;
        lock_take(&registry.lock);
        if (all_writers_out(START_GRACE_NS) && sample_is_idle())
            err = act(cpus);
        lock_drop(&registry.lock);
        gate_open(&recorder.gate);
        if (err == -EBUSY)
            raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    } while (err == -EBUSY && clock_mono_ns() < until);
    return err;
}

static int forget_chunks(uint32_t cpus)
{
    (void)cpus;
    for (struct thread *t = registry.threads; t; t = t->next)
        sched_forget_chunk(&t->sched);
    session.ends = false;
    return 0;
}

static int open_if_it_fits(uint32_t cpus)
{
    if (!statuses_fit())
        return -EAGAIN;
    open_first_generation(cpus);
    return 0;
}

static int begin_recording(int fd)
{
    uint32_t cpus = cpus_of_process();
    int err;
    while ((err = when_all_are_out(open_if_it_fits, cpus)) == -EAGAIN)
        if (spool_grow(&recorder.spool, fd))
            return -ENOSPC;
    return err;
}

static int start_locked(void)
{
    if (recording())
        return -EALREADY;
    if (session.over || !hooked())
        return -ESHUTDOWN;
    int err = modules_missing();
    if (err)
        return err;
    err = session.ends ? when_all_are_out(forget_chunks, 0) : 0;
    if (err)
        return err;
    err = create_spool();
    if ((err == -EEXIST || err == -EMLINK) && session.options->follow && session_name_child())
        err = create_spool();
    if (err)
        return err;
    fill_header(fresh.header);
    if (session.options->flight.bytes)
        spool_make_ring(&fresh, session.options->flight.bytes,
                        (uint32_t)session.options->flight.generations);
    spool_bound_pool(&fresh, session.options->memory);
    lock_take(&recorder.advance_lock);
    recorder.spool = fresh;
    session.recorded = true;
    session.root = session_root();
    switches_begin(recorder.spool.header->first);
    int fd = spool_open(&recorder.spool);
    err = begin_recording(fd);
    if (fd >= 0)
        sys_close(fd);
    if (err) {
        sys_unlink(recorder.spool.path);
        spool_detach(&recorder.spool, SPOOL_COMPLETE);
    } else {
        __atomic_store_n(&session.number, session.number + 1, __ATOMIC_RELEASE);
    }
    lock_drop(&recorder.advance_lock);
    return err;
}

int session_start_with_modules(void)
{
    if (!recorder.owner->alive)
        return -ESHUTDOWN;
    uint64_t held = signals_hold();
    lock_take(&session.lock);
    int err = start_locked();
    lock_drop(&session.lock);
    if (!err) {
        session_record_surroundings();
        switches_begun();
    }
    signals_release(held);
    if (err)
        return err;
    if (registry.nthreads > 1 || sample_perf_wanted() || switches_wanted())
        helper_start();
    helper_wake();
    return 0;
}

int session_start(void)
{
    uint64_t held = signals_hold();
    if (recorder.owner->alive)
        modules_refresh(); /* before: for the stacks of those that wait */
    int err = session_start_with_modules();
    signals_release(held);
    return err;
}
