/*
 * The constructor starts the recording, the destructor ends it and has `thrace finish` make the trace, in a process of
 * its own, before the program's exit completes. Under `thrace record` the launcher does that instead.
 *
 * Whatever cannot be done is said in one line, and the program runs on untraced.
 */
#include <string.h>
#include <sys/resource.h>

#include "lib/options/options.h"
#include "preload/annotate/annotate.h"
#include "preload/config.h"
#include "preload/heap/heap_setup.h"
#include "preload/hooks/counted_locks.h"
#include "preload/modules.h"
#include "preload/probes/probes.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/sampler/sample.h"
#include "preload/say.h"
#include "preload/session/control.h"
#include "preload/session/finisher.h"
#include "preload/session/flight.h"
#include "preload/session/fork.h"
#include "preload/session/helper.h"
#include "preload/session/own_threads.h"
#include "preload/session/own_spool.h"
#include "preload/session/start.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/session/triggers.h"
#include "preload/symbols.h"
#include "preload/thread.h"
#include "preload/thread_end.h"
#include "preload/thread_name.h"
#include "preload/unseen.h"
#include "preload/valgrind.h"

static struct options options;
static char **environment;
static bool followed; /* this process records, so its children may, too */
static char out[SPOOL_PATH_MAX];

/* --- start -------------------------------------------------------------------------------------------------------- */

enum { MAX_PIECES = 5 };

/* The pieces, of which none may fill the line by itself, up to a NULL. */
static void say_pieces(const char *text, const char *const pieces[MAX_PIECES])
{
    char line[SPOOL_PATH_MAX];
    size_t n = 0;
    for (int i = 0; i < MAX_PIECES && pieces[i]; i++) {
        size_t len = strnlen(pieces[i], 512);
        memcpy(line + n, pieces[i], len);
        n += len;
    }
    line[n] = 0;
    say(text, line);
}

static void complain_of_option(const struct option_fault *fault)
{
    const char *const pieces[MAX_PIECES] = {fault->kind->variable, "=", fault->value, " makes no sense; it takes ",
                                            fault->kind->takes};
    say_pieces("nothing is recorded: ", pieces);
}

/* One is enough to make somebody look. */
static void name_misspelt_variable(char **envp)
{
    for (; envp && *envp; envp++) {
        struct piece name;
        const char *meant = option_meant(*envp, &name);
        if (!meant)
            continue;
        char given[64] = "";
        memcpy(given, name.text, name.len < sizeof given ? name.len : sizeof given - 1);
        say_pieces("no such variable: ", (const char *const[MAX_PIECES]){given, "; did you mean ", meant, "?"});
        return;
    }
}

/* A process that is not the one that `thrace record` started stays out of it. */
static bool is_launched(void) { return options.launcher == (uint64_t)sys_getpid(); }
static bool is_for_us(void) { return options.out && (!options.launcher || is_launched() || options.follow); }

extern void *__libc_stack_end;

static void begin_main_thread(void)
{
    struct rlimit limit = {0, 0};
    raw_syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
    struct thread *t = thread_new();
    self = t;
    if (!t)
        return;
    t->stack_hi = ((uintptr_t)__libc_stack_end | 0xfff) + 1;
    t->stack_lo = t->stack_hi - (limit.rlim_cur < (UINT64_C(1) << 30) ? limit.rlim_cur : UINT64_C(1) << 30);
    registry.first = t;
    registry.first_lo = t->stack_lo;
    registry.first_hi = t->stack_hi;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    t->pthread = registry.main_thread = pthread_self();
    thread_watch_exit(t);
    if (options.start.when != START_NOW)
        sched_track(&t->sched, GO_RUNNING);
}

/* Nothing will ever be recorded: hooks need not look any further. */
static void give_up(void)
{
    session_stop_for_good();
    recorder.owner->alive = 0;
}

/* The program may change its folder, and may write over its environment, as those do that set their title in ps. */
static void keep_out_path(void)
{
    absolute_path(options.out, out, sizeof out);
    options.out = out;
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
    long m = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/thread-self/exe", (long)true_one, sizeof true_one, 0, 0);
    return !sys_failed(n) && !sys_failed(m) && (n != m || memcmp(reported, true_one, (size_t)n));
}

/* Why nothing can be recorded in this process, or NULL. */
static const char *find_obstacle(void)
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
    if (!options.follow || !followed || !t || t == THREAD_OFF || clock_is_forbidden)
        return;
    if (t->writer.writing) { /* a handler forks in the middle of an event, which is still being written to the old place */
        say("a signal handler forked while an event was being recorded, the child is not recorded: ", options.out);
        return;
    }
    fork_inherit(t);
    session_init(&options, true);
    if (options.start.when != START_NOW)
        return;
    int err = session_start_with_modules();
    if (err && (err != -EEXIST || options.verbose))
        complain_of_start(err, options.out);
    if (err)
        give_up();
    else if (sample_perf_wanted())
        own_threads_start();
}

static void configure(void)
{
    config_to_set = (struct config){
        .classes = (uint32_t)options.classes,
        .stack_kinds = (uint32_t)options.stack_kinds,
        .max_objects = (uint32_t)options.max_objects,
        .annotations = (uint32_t)options.annotations,
        .stack_depth = (uint16_t)options.stack_depth,
        .unwind_mode = (uint8_t)options.unwind,
        .errors = (uint8_t)options.errors,
        .call_objects = options.call_objects && options.max_objects && options.stack_kinds & STACK_OF_CALL,
        .self_contained = options.flight.bytes,
        .period_ns = options.period_ns,
    };
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
    /*
     * A program that was built for other tracers may load this library, because a variable names it that a recorded
     * program has handed down without LD_PRELOAD. Then it stays a guest that does nothing.
     */
    if (!symbol_is_before_libc())
        return;
    real_resolve();
    environment = envp;
    struct option_fault fault;
    bool understood = options_read(&options, envp, &fault);
    if (!understood && (!options.launcher || is_launched() || options.follow))
        complain_of_option(&fault);
    if (understood && !options.launcher && !options.out)
        name_misspelt_variable(envp);
    if (!understood || !is_for_us()) {
        heap_begin(false, 0, false);
        return;
    }
    keep_out_path();
    const char *obstacle = find_obstacle();
    if (obstacle) {
        say(obstacle, options.out);
        heap_begin(false, 0, false);
        return;
    }
    session_init(&options, false);
    modules_init(session_exe());
    configure();
    if (!recorder_init()) {
        complain_of_start(-ENOMEM, options.out);
        heap_begin(false, 0, false);
        return;
    }
    annotate_init();
    config_to_set.min_call = clock_roughly(&recorder.clock, options.min_call_ns);
    followed = true;
    self = THREAD_OFF; /* what follows may allocate, and an allocator call what is wrapped: we are nobody yet */
    thread_end_init();
    thread_name_init();
    fork_init(begin_in_child);
    heap_begin(options.classes & CLASS_HEAP, options.heap_sample, options.heap_events);
    if (options.lock_stats)
        count_locks();
    probes_init(options.probes, session_exe(), !options.follow, options.verbose);
    begin_main_thread();
    sample_init(options.cpu_hz);
    flight_init(&options, triggers_note_long_wait);
    bool listens = options.control || options.start.when == START_OFF, triggered = triggers_init(&options) || listens;
    int err = options.start.when == START_NOW ? session_start() : 0;
    if (!options.launcher && err != -EEXIST) /* thrace record has looked itself, and so has who records there already */
        name_misspelt_variable(envp);
    if (err && (err != -EEXIST || options.verbose))
        complain_of_start(err, options.out);
    if (err && !listens)
        give_up();
    else if (triggered)
        helper_start_for_triggers();
    if (listens) {
        control_enable();
        control_start();
    }
    if (recording() && options.verbose)
        say("recording to ", session_spool());
}

/* --- end ---------------------------------------------------------------------------------------------------------- */

__attribute__((destructor)) static void end(void)
{
    if (!recorder.owner->alive)
        return;
    session_stop_for_good();
    say_pending();
    if (is_under_valgrind())
        own_threads_stop(); /* what libc allocated for a thread that lives on is reported as a leak */
    if (is_launched() || !session_number())
        return;
    if (!run_finisher(environment))
        say("the trace is not finished yet; this finishes it: thrace finish ", session_spool());
}
