/*
 * What `thrace attach` calls in a process that runs, in a thread that it has chosen: the library has been loaded by
 * dlopen, and does nothing yet. A thread of the library's own does it all, as soon as the other one is where it was.
 * `thrace stop` and its like speak to the process as to any other; CONTROL_DETACH puts all slots back, and then none of
 * our threads is left.
 */
#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/control.h"
#include "lib/options/classes.h"
#include "lib/options/options.h"
#include "preload/annotate/annotate.h"
#include "preload/attributes.h"
#include "preload/config.h"
#include "preload/expected.h"
#include "preload/generation.h"
#include "preload/heap/heap_setup.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/session/begin.h"
#include "preload/session/control.h"
#include "preload/session/finisher.h"
#include "preload/session/helper.h"
#include "preload/session/own_spool.h"
#include "preload/session/slots.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/switches/switches.h"
#include "preload/symbols.h"

enum { ENTRIES_MAX = 64 };

static struct attached {
    struct options options;
    char entries[ATTACH_TEXT_MAX]; /* what the options point into */
    int pid;                       /* of the process that was prepared, once and for all; 0: none was */
    bool begins, now;
    pid_t held;                    /* the thread that was made to call us, */
    struct attach_schedule before; /* and how it was scheduled before the command hurried it */
    struct {
        const struct attach_wait *v; /* in a mapping of its own */
        size_t n;
    } waits;
} attached;

static struct attach_reply reply;

static bool read_options(const char *text, size_t size)
{
    char *entries[ENTRIES_MAX + 1];
    struct option_fault fault;
    int n = 0;
    if (size > sizeof attached.entries || !size || text[size - 1])
        return false;
    memcpy(attached.entries, text, size);
    for (char *p = attached.entries; p < attached.entries + size && n < ENTRIES_MAX; p += strlen(p) + 1)
        entries[n++] = p;
    entries[n] = NULL;
    if (!options_read(&attached.options, entries, &fault) || !attached.options.out)
        return false;
    attached.options.classes &= ~(uint64_t)CLASS_HEAP; /* what was allocated before nobody knows */
    return true;
}

/*
 * By the thread that listens, which goes, too. A thread of the program may still be in one of our wrappers, and about
 * to see to it that we have threads. Others that have waited all the while have no event; a last generation says that
 * they still do.
 */
static bool end(char *spool)
{
    if (!attached.now)
        return false;
    control_disable();
    end_expected_threads();
    if (generation_advance() && config.self_contained)
        session_record_surroundings();
    session_stop_reporting(spool);
    annotate_rest();
    heap_rest();
    slots_give_back(); /* what still comes to the library is tracked as between recordings: threads that end */
    helper_stop_for_good();
    attached.now = false;
    return true;
}

/* Behind what was said before of the same recording. */
static void say_also(const char *text, const char *detail)
{
    static const char between[] = "; ";
    size_t n = strlen(reply.said);
    if (n && n + sizeof between < sizeof reply.said) {
        memcpy(reply.said + n, between, sizeof between);
        n += sizeof between - 1;
    }
    say_to(reply.said + n, sizeof reply.said - n);
    say(text, detail);
}

/* A thread of the program that is in one of our wrappers since the last time may just be about to see to it. */
static bool begin_to_listen(void)
{
    enum { TRIES = 10 };
    static const struct timespec pause = {0, 1000000};
    control_enable();
    control_start();
    for (int i = 1; i < TRIES && !control_listens(); i++) {
        raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
        control_start();
    }
    return control_listens();
}

/* The first time, or after it was detached. 0, or a negative errno. */
static int begin(void)
{
    begin_with(&attached.options);
    const char *obstacle = begin_obstacle();
    if (obstacle) {
        say(obstacle, attached.options.out);
        return -EOPNOTSUPP;
    }
    if (attached.pid)
        begin_process_again();
    else if (!begin_process(BEGIN_LATE))
        return -ENOMEM;
    attached.pid = recorder.pid;
    control_may_detach(end);
    end_expected_threads();
    expect_threads(attached.waits.v, attached.waits.n);
    switches_want_of_all(&attached.options);
    const char *no_profile = heap_begin_late(attached.options.heap_sample);
    int err = begin_to_listen() ? begin_sessions() : -EAGAIN; /* nobody could end it */
    if (err) {
        annotate_rest();
        heap_rest();
        control_disable();
        control_stop();
        helper_stop_for_good();
        return err;
    }
    switches_await_of_all();
    if (no_profile)
        say_also("no heap profile: ", no_profile);
    reply.unwritable = slots_take();
    attached.now = true;
    return 0;
}

/* False: who wanted this is gone. */
static bool await_command(void)
{
    enum { PATIENCE_S = 30 };
    static const struct timespec pause = {0, 100000};
    const uint64_t until = clock_mono_ns() + PATIENCE_S * UINT64_C(1000000000);
    while (!__atomic_load_n(&reply.let_go, __ATOMIC_ACQUIRE) && clock_mono_ns() < until)
        raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    return reply.let_go;
}

/* A thread of ours begins as the one that made it. */
static void hurry_no_more(pid_t tid)
{
    if (attached.before.size)
        raw_syscall(SYS_sched_setattr, tid, (long)&attached.before, 0, 0, 0, 0);
}

static void *attach_main(void *arg)
{
    helper_settle("thrace-attach");
    hurry_no_more(0);
    say_nothing_aloud();
    say_to(reply.said, sizeof reply.said);
    bool there = await_command();
    process_start_time_is(reply.started);
    leave_to_others(reply.let_go == ATTACH_GO_APART);
    if (!there)
        hurry_no_more(attached.held);
    reply.error = there ? begin() : -ETIMEDOUT;
    if (attached.waits.n)
        raw_syscall(SYS_munmap, (long)attached.waits.v, (long)(attached.waits.n * sizeof *attached.waits.v), 0, 0, 0,
                    0);
    say_to(NULL, 0);
    const bool begun = !reply.error;
    __atomic_store_n(&reply.over, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&attached.begins, false, __ATOMIC_RELEASE);
    if (begun)
        recorder_spare_fences(); /* which takes its time, and nobody waits for this thread */
    return arg;
}

/* A child of a process that was attached to has its wrappers, and nothing else of it. */
static bool is_child(void) { return attached.pid && attached.pid != (int)sys_getpid(); }

static int begin_elsewhere(const char *text, size_t size, const struct attach_schedule *before)
{
    pthread_t thread;
    if (is_child())
        return -ECHILD;
    if (attached.now || __atomic_exchange_n(&attached.begins, true, __ATOMIC_ACQ_REL))
        return -EALREADY;
    if (!attached.pid && !symbol_is_before_libc()) {
        symbol_come_late();
        real_resolve();
    }
    memset(&reply, 0, sizeof reply);
    attached.held = (pid_t)sys_gettid();
    attached.before = *before;
    int err = !attached.pid && symbol_is_before_libc() ? -EALREADY
              : !clock_may_count()                     ? -EPERM
              : !read_options(text, size)              ? -EINVAL
              : !helper_create(&thread, attach_main)    ? -EAGAIN
                                                        : 0;
    if (err)
        attached.begins = false;
    else
        pthread_detach(thread);
    return err;
}

EXPORT void thrace_attach(const char *text, size_t size, const struct attach_wait *waits, size_t n,
                          const struct attach_reply **answer, const struct attach_schedule *before);
void thrace_attach(const char *text, size_t size, const struct attach_wait *waits, size_t n,
                   const struct attach_reply **answer, const struct attach_schedule *before)
{
    static struct attach_reply refused;
    attached.waits.v = waits;
    attached.waits.n = n;
    refused = (struct attach_reply){.over = 1, .error = begin_elsewhere(text, size, before)};
    if (refused.error == -EPERM)
        strcpy(refused.said, "the program forbids itself to read clocks (PR_SET_TSC), and there is no trace without");
    *answer = refused.error ? &refused : &reply;
}
