#include "preload/session/begin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/clock.h"
#include "preload/annotate/annotate.h"
#include "preload/config.h"
#include "preload/expected.h"
#include "preload/heap/heap_setup.h"
#include "preload/hooks/counted_locks.h"
#include "preload/libc_words.h"
#include "preload/modules.h"
#include "preload/probes/probes.h"
#include "preload/recorder.h"
#include "preload/sampler/sample.h"
#include "preload/say.h"
#include "preload/session/control.h"
#include "preload/session/flight.h"
#include "preload/session/fork.h"
#include "preload/session/helper.h"
#include "preload/session/own_spool.h"
#include "preload/session/own_threads.h"
#include "preload/session/start.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/session/triggers.h"
#include "preload/switches/switches.h"
#include "preload/thread.h"
#include "preload/thread_end.h"
#include "preload/thread_name.h"
#include "preload/unseen.h"
#include "preload/valgrind.h"

static struct options *options;
static bool followed; /* this process records, so its children may, too */
static char out[SPOOL_PATH_MAX];

static void begin_main_thread(void)
{
    struct thread *t = thread_new();
    self = t;
    if (!t)
        return;
    first_thread_stack(t);
    if (!stack_is_here(WORD_FIRST_STACK, t->stack_lo, t->stack_hi))
        t->stack_lo = t->stack_hi = registry.first_lo = registry.first_hi = 0;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    t->pthread = registry.main_thread = pthread_self();
    thread_watch_exit(t);
    if (options->start.when != START_NOW)
        sched_track(&t->sched, GO_RUNNING);
}

/* Nothing will ever be recorded: hooks need not look any further. */
static void give_up(void)
{
    session_stop_for_good();
    recorder.owner->alive = 0;
}

/*
 * An emulator in user space, such as qemu's, hands its own environment to the program within. The library is then there
 * twice in one process, and both would have the same spool. The emulator answers for /proc/self itself, and has the
 * kernel answer for what hardly anybody reads.
 */
static bool is_emulated(void)
{
    static char reported[SPOOL_PATH_MAX], true_one[SPOOL_PATH_MAX];
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)reported, sizeof reported, 0, 0);
    long m = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/thread-self/exe", (long)true_one, sizeof true_one, 0,
                         0);
    return !sys_failed(n) && !sys_failed(m) && (n != m || memcmp(reported, true_one, (size_t)n));
}

const char *begin_obstacle(void)
{
    clock_is_forbidden = !clock_may_count();
    if (clock_is_forbidden)
        return "not recorded, because who started the program forbade it to read clocks (PR_SET_TSC): ";
    if (is_under_race_checker())
        return "not recorded, because valgrind's helgrind and drd would report the recorder as the program: ";
    if (!is_under_valgrind() && is_emulated()) /* valgrind answers so, too, and does not load us itself */
        return "not recorded, because the program runs in an emulator, which may be recorded instead: ";
    return NULL;
}

/* What the parent was told of times and signals is for the parent. */
static void begin_in_child(struct thread *t)
{
    if (!options->follow || !followed || !t || t == THREAD_OFF || clock_is_forbidden)
        return;
    if (t->writer.writing) { /* a handler forks in the middle of an event, which goes on to the old place */
        say("a signal handler forked while an event was being recorded, the child is not recorded: ", options->out);
        return;
    }
    fork_inherit(t);
    session_init(options, true);
    switches_open(options);
    if (options->start.when != START_NOW)
        return;
    int err = session_start_with_modules();
    if (err && (err != -EEXIST || options->verbose))
        complain_of_start(err, options->out);
    if (err)
        give_up();
    else if (sample_perf_wanted() || switches_wanted())
        own_threads_start();
}

static uint32_t classes_to_record(void)
{
    return (uint32_t)options->classes & ~(is_trusted(WORD_STREAM) ? 0u : (uint32_t)CLASS_STDIO);
}

/* Of a program and those that it executes, the first one says what none of them can have. */
static void say_what_is_missing(void)
{
    uint32_t used = ~UINT32_C(0);
    if (!options->lock_stats)
        used &= ~(UINT32_C(1) << WORD_MUTEX_COUNT);
    if (!(options->classes & CLASS_STDIO))
        used &= ~(UINT32_C(1) << WORD_STREAM);
    if (options->follow && options->launcher && options->launcher != (uint64_t)recorder.pid && !options->verbose)
        used = 0;
    libc_words_say(used, options->verbose);
}

static void configure(void)
{
    config_to_set = (struct config){
        .classes = classes_to_record(),
        .stack_kinds = (uint32_t)options->stack_kinds,
        .max_objects = (uint32_t)options->max_objects,
        .annotations = (uint32_t)options->annotations,
        .stack_depth = (uint16_t)options->stack_depth,
        .unwind_mode = (uint8_t)options->unwind,
        .errors = (uint8_t)options->errors,
        .call_objects = options->call_objects && options->max_objects && options->stack_kinds & STACK_OF_CALL,
        .self_contained = options->flight.bytes,
        .period_ns = options->period_ns,
    };
}

/* What is not to be read from a clock yet follows when there is one. */
static void configure_times(void)
{
    config_to_set.min_call = clock_roughly(&recorder.clock, options->min_call_ns);
}

void begin_with(struct options *o)
{
    options = o;
    absolute_path(o->out, out, sizeof out);
    o->out = out;
}

bool begin_process(enum begin_when when)
{
    libc_words_try();
    session_init(options, false);
    modules_init(session_exe());
    configure();
    if (!recorder_init(when == BEGIN_LATE))
        return false;
    annotate_init();
    configure_times();
    followed = true;
    self = THREAD_OFF; /* what follows may allocate, and an allocator call what is wrapped: we are nobody yet */
    thread_end_init();
    thread_name_init();
    fork_init(begin_in_child);
    heap_begin(options->classes & CLASS_HEAP, options->heap_sample, options->heap_events);
    if (options->lock_stats)
        count_locks();
    if (when == BEGIN_WITH_PROGRAM) {
        switches_open(options);
        probes_init(options->probes, session_exe(), !options->follow, options->verbose);
        begin_main_thread();
    }
    say_what_is_missing();
    sample_init(options->cpu_hz);
    return true;
}

void begin_process_again(void)
{
    session_reopen();
    configure();
    configure_times();
    annotate_forget_regions();
    annotate_init();
    __atomic_store_n(&recorder.owner->hooked, tracked_classes(), __ATOMIC_RELEASE);
}

int begin_sessions(void)
{
    flight_init(options, triggers_note_long_wait);
    bool listens = options->control || options->start.when == START_OFF, triggered = triggers_init(options) || listens;
    int err = options->start.when == START_NOW ? session_start() : 0;
    bool is_told = err == -EEXIST || (err == -EMLINK && options->launcher); /* by who records there, and finishes */
    if (err && (!is_told || options->verbose))
        complain_of_start(err, options->out);
    if (err && !listens)
        give_up();
    else if (triggered)
        helper_start_for_triggers();
    if (listens) {
        control_enable();
        control_start();
    }
    return err;
}
