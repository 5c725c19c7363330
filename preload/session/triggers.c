#include "preload/session/triggers.h"

#include <signal.h>
#include <string.h>

#include "lib/options/options.h"
#include "preload/recorder.h"
#include "preload/sampler/wrap_signal.h"
#include "preload/say.h"
#include "preload/session/flight.h"
#include "preload/session/helper.h"
#include "preload/session/snapshot.h"
#include "preload/session/start.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/thread.h"

static struct {
    const struct options *options;
    uint64_t start_at; /* CLOCK_MONOTONIC; UINT64_MAX: not at a time */
    uint64_t stop_at;  /* of the session with this number */
    uint32_t session;
    /* Caught and not obeyed yet. What both starts and stops counts once, so that it is seen whole. */
    uint32_t start_signals, stop_signals, toggle_signals, snapshot_signals;
    struct thread *waiter; /* that waited long; NULL: none. Records of threads are never unmapped */
    uint64_t cool_at; /* no snapshot for a long wait before that */
} triggers = {.start_at = UINT64_MAX, .stop_at = UINT64_MAX};

static void caught(int sig)
{
    const struct options *o = triggers.options;
    if (!recorder.owner->alive)
        return;
    if (sig == o->start.signal)
        __atomic_fetch_add(sig == o->stop.signal ? &triggers.toggle_signals : &triggers.start_signals, 1,
                           __ATOMIC_SEQ_CST);
    else if (sig == o->stop.signal)
        __atomic_fetch_add(&triggers.stop_signals, 1, __ATOMIC_SEQ_CST);
    if (sig == o->snapshot.signal)
        __atomic_fetch_add(&triggers.snapshot_signals, 1, __ATOMIC_SEQ_CST);
    helper_wake();
}

void triggers_note_long_wait(struct thread *t)
{
    if (clock_mono_ns() < __atomic_load_n(&triggers.cool_at, __ATOMIC_RELAXED))
        return;
    struct thread *none = NULL;
    if (__atomic_compare_exchange_n(&triggers.waiter, &none, t, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        helper_wake();
}

static void catch_signal(int sig)
{
    if (!sig)
        return;
    struct sigaction sa = {.sa_handler = caught, .sa_flags = SA_RESTART | signal_stack_flag()};
    sigfillset(&sa.sa_mask);
    sigaction(sig, &sa, NULL);
}

bool triggers_init(const struct options *o)
{
    triggers.options = o;
    triggers.waiter = NULL; /* that was not obeyed any more in a recording before this one */
    triggers.cool_at = 0;
    catch_signal(o->start.signal);
    catch_signal(o->stop.signal);
    catch_signal(o->snapshot.signal);
    if (o->start.when == START_DELAYED)
        triggers.start_at = clock_mono_ns() + o->start.delay_ns;
    return o->start.when == START_DELAYED || o->start.signal || o->stop.signal || o->stop.after_ns ||
           o->flight.bytes;
}

static const char *why_not(int err)
{
    switch (-err) {
    case ENOSPC: return "no space left on the device, nothing is recorded: ";
    case EDQUOT: return "the disk quota is used up, nothing is recorded: ";
    case EACCES:
    case EPERM: return "no permission to write there, nothing is recorded: ";
    case ENOENT: return "no such directory, nothing is recorded: ";
    case EROFS: return "the file system is read-only, nothing is recorded: ";
    case EFBIG: return "the file size limit is too low, nothing is recorded: ";
    case ENOMEM: return "not enough memory or address space, nothing is recorded: ";
    case EMEDIUMTYPE: return "what is no file of this user stands in the place of its spool, nothing is recorded: ";
    case EEXIST: return "another recording to this file is under way: ";
    case EMLINK: return "the spools of earlier programs of the process (exec) take all names, this one is not "
                        "recorded, thrace finish makes traces of those: ";
    case EBUSY: return "a thread did not give way, nothing is recorded: ";
    default: return "cannot create the spool, nothing is recorded: ";
    }
}

void complain_of_start(int err, const char *out) { say(why_not(err), out); }

static void start(void)
{
    int err = session_start();
    if (err && err != -EALREADY)
        say_later(why_not(err), triggers.options->out);
}

static bool take(uint32_t *signals) { return __atomic_exchange_n(signals, 0, __ATOMIC_RELAXED); }

static void obey_signals(void)
{
    bool toggles = take(&triggers.toggle_signals);
    bool starts = take(&triggers.start_signals) || toggles, stops = take(&triggers.stop_signals) || toggles;
    if (recording() ? stops : starts) {
        if (recording())
            session_stop();
        else
            start();
    }
}

static struct thread *take_waiter(void) { return __atomic_exchange_n(&triggers.waiter, NULL, __ATOMIC_ACQUIRE); }

static void say_why(const struct thread *waiter, char *spool)
{
    static char line[SPOOL_PATH_MAX];
    spool[strlen(spool) - strlen(".spool")] = 0;
    flight_describe(waiter, spool, line, sizeof line);
    say_later("a snapshot: ", line);
}

/* Signals are obeyed at once; long waits come in swarms. */
static void take_snapshots(void)
{
    static char spool[SPOOL_PATH_MAX];
    bool ordered = take(&triggers.snapshot_signals);
    struct thread *waiter = take_waiter();
    if (!ordered && !waiter)
        return;
    if (waiter)
        __atomic_store_n(&triggers.cool_at, UINT64_MAX, __ATOMIC_RELAXED);
    int err = session_snapshot(spool);
    if (err)
        say_later("no snapshot could be written: ", triggers.options->out);
    else if (waiter)
        say_why(waiter, spool);
    if (waiter) {
        take_waiter(); /* of those that ended meanwhile */
        __atomic_store_n(&triggers.cool_at, clock_mono_ns() + triggers.options->cooldown_ns, __ATOMIC_RELAXED);
    }
}

static void note_session(void)
{
    uint32_t number = session_number();
    if (!recording() || number == triggers.session)
        return;
    triggers.session = number;
    triggers.stop_at = triggers.options->stop.after_ns ? clock_mono_ns() + triggers.options->stop.after_ns : UINT64_MAX;
}

void triggers_run(void)
{
    if (!triggers.options)
        return;
    if (triggers.start_at != UINT64_MAX && clock_mono_ns() >= triggers.start_at) {
        triggers.start_at = UINT64_MAX;
        start();
    }
    obey_signals();
    note_session();
    if (recording() && triggers.options->flight.bytes)
        take_snapshots();
    if (recording() && clock_mono_ns() >= triggers.stop_at)
        session_stop();
}

uint64_t triggers_due(void)
{
    uint64_t stop_at = recording() ? triggers.stop_at : UINT64_MAX;
    return triggers.start_at < stop_at ? triggers.start_at : stop_at;
}
