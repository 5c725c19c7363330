/* What is said of stacks: what was waited for, the function, and the program's own place. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "parser/analyze/folded.h"
#include "parser/analyze/stat_text.h"

enum { FRAMES = 12 };

struct frame {
    const char *function, *file;
    uint64_t line;
};

struct reading {
    struct gotrace_builder *b;
    struct gotrace_reader *r;
    struct gotrace_stack stack;
};

/* Goroutine 1 waits with that stack. */
static void read_stack(struct reading *it, const struct frame *frames)
{
    struct gotrace_builder_frame v[FRAMES];
    size_t n = 0, size;
    const struct gotrace_event *ev;
    struct gotrace_transition t;
    for (; frames[n].function; n++)
        v[n] = (struct gotrace_builder_frame){100 + n, frames[n].function, frames[n].file, frames[n].line};
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, 1, 0, 0, 0), 0);
    assert_int_equal(gotrace_builder_batch(b, 1, 1), 0);
    uint64_t reason = gotrace_builder_string(b, "sync", 4), stack = gotrace_builder_stack(b, v, n);
    assert_int_equal(gotrace_builder_event(b, 1, EV_ProcStatus, (uint64_t[]){0, 1}, 2), 0);
    assert_int_equal(gotrace_builder_event(b, 2, EV_GoStatus, (uint64_t[]){1, 1, 2}, 3), 0);
    assert_int_equal(gotrace_builder_event(b, 3, EV_GoBlock, (uint64_t[]){reason, stack}, 2), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    *it = (struct reading){.b = b, .r = gotrace_reader_open_memory(bytes, size)};
    while ((ev = gotrace_reader_next(it->r)))
        if (gotrace_event_transition(ev, &t) && t.to == GOTRACE_STATE_WAITING) {
            it->stack = t.stack;
            return;
        }
    fail_msg("the wait is not there");
}

static void end_reading(struct reading *it)
{
    gotrace_reader_free(it->r);
    gotrace_builder_free(it->b);
}

static void stacks_are_told_apart(void **state)
{
    static const struct {
        struct frame frames[FRAMES];
        enum wait_object kind;
        size_t first, program;
        const char *object, *name, *where, *call, *place, *sampled;
    } cases[] = {
        {{{"mutex pool.lock", "/src/pool.c", 12}, {"pthread_mutex_lock", "libc", 1}, {"take", "/src/pool.c", 40},
          {"worker", "/src/main.c", 7}},
         WAIT_MUTEX, 1, 2, "mutex pool.lock (pool.c:12)", "mutex pool.lock",
         "mutex pool.lock (pool.c:12)\npthread_mutex_lock (libc)\ntake (pool.c:40)\nworker (main.c:7)",
         "pthread_mutex_lock (pool.c:40 take)", "take (pool.c:40)", "take (pool.c)"},
        /* A name with its place in it, one without any, and one whose line is another one. */
        {{{"mutex initialised at pool.c:44 (0x7f00)", "/src/pool.c", 44}, {"take", "/src/pool.c", 40}},
         WAIT_MUTEX, 1, 1, "mutex initialised at pool.c:44 (0x7f00)", "mutex initialised at pool.c:44 (0x7f00)",
         "mutex initialised at pool.c:44 (0x7f00)\ntake (pool.c:40)", "take (pool.c:40)", "take (pool.c:40)",
         "take (pool.c)"},
        {{{"pipe 1234", "[object]", 1}, {"read", "./io/../sysdeps/unix/sysv/linux/read.c", 26}, {"f", "/src/a.c", 2}},
         WAIT_PIPE, 1, 2, "pipe 1234", "pipe 1234", "pipe 1234\nread (read.c:26)\nf (a.c:2)", "read (a.c:2 f)",
         "f (a.c:2)", "f (a.c)"},
        {{{"mutex initialised at pool.c:449", "/src/pool.c", 44}, {"f", "/src/a.c", 2}},
         WAIT_MUTEX, 1, 1, "mutex initialised at pool.c:449 (pool.c:44)", "mutex initialised at pool.c:449",
         "mutex initialised at pool.c:449 (pool.c:44)\nf (a.c:2)", "f (a.c:2)", "f (a.c:2)", "f (a.c)"},
        /* Five frames of C++ in between, and as many of the program as there is room for. */
        {{{"mutex m", "/src/a.cc", 3}, {"pthread_mutex_lock", "./nptl/./nptl/pthread_mutex_lock.c", 80},
          {"__gthread_mutex_lock", "/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h", 749},
          {"std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", 100},
          {"std::unique_lock<std::mutex>::lock()", "/usr/include/c++/12/bits/unique_lock.h", 139},
          {"place_order()", "/src/a.cc", 8}, {"two()", "/src/a.cc", 9},
          {"int std::invoke<int>()", "/usr/include/c++/12/bits/invoke.h", 61}, {"three()", "/src/a.cc", 10},
          {"four()", "/src/a.cc", 11}, {"five()", "/src/a.cc", 12}},
         WAIT_MUTEX, 1, 5, "mutex m (a.cc:3)", "mutex m",
         "mutex m (a.cc:3)\npthread_mutex_lock (pthread_mutex_lock.c:80)\nplace_order() (a.cc:8)\ntwo() (a.cc:9)\n"
         "three() (a.cc:10)\nfour() (a.cc:11)\n…",
         "pthread_mutex_lock (a.cc:8 place_order())", "place_order() (a.cc:8)", "place_order() (a.cc)"},
        {{{"futex (any)", "[object]", 1}, {"syscall", "libc", 1},
          {"std::sys::sync::condvar::futex::Condvar::wait", "/rustc/abc/library/std/src/sys/sync/condvar/futex.rs", 52},
          {"<alloc::boxed::Box<F> as core::ops::FnOnce<A>>::call_once", "app", 1}, {"app::main", "src/main.rs", 5}},
         WAIT_FUTEX, 1, 4, "futex (any)", "futex (any)", "futex (any)\nsyscall (libc)\napp::main (main.rs:5)",
         "syscall (main.rs:5 app::main)", "app::main (main.rs:5)", "app::main (main.rs)"},
        /* The path of a package's source may be like that, too, but only libc's folders are libc's. */
        {{{"read", "libc", 1}, {"f", "./io/./iq/a.c", 2}, {"g", "./sql/./sql/b.cc", 3}, {"h", "./io/./io/read.c", 4},
          {"i", "./nptl/./nptlx", 5}},
         WAIT_NO_OBJECT, 0, 1, "", "", "read (libc)\nf (a.c:2)\ng (b.cc:3)\ni (nptlx:5)", "read (a.c:2 f)", "f (a.c:2)",
         "f (a.c)"},
        {{{"sync.(*Mutex).lockSlow", "/go/src/sync/mutex.go", 90}, {"sync.(*Mutex).Lock", "/go/src/sync/mutex.go", 45},
          {"main.mutexed", "/app/main.go", 3}},
         WAIT_NO_OBJECT, 0, 2, "", "", "sync.(*Mutex).lockSlow (mutex.go:90)\nmain.mutexed (main.go:3)",
         "sync.(*Mutex).lockSlow (main.go:3 main.mutexed)", "main.mutexed (main.go:3)", "main.mutexed (main.go)"},
        /* Stacks without an object stay as they are, and so do those without any function of the program. */
        {{{"mutexes", "/src/a.c", 90}, {"main", "/src/a.c", 3}},
         WAIT_NO_OBJECT, 0, 0, "", "", "mutexes (a.c:90)\nmain (a.c:3)", "mutexes (a.c:90)", "mutexes (a.c:90)",
         "mutexes (a.c)"},
        {{{"read", "libc", 1}, {"std::thread::run()", "/lib/libstdc++.so.6", 1}, {"clone", "/lib/libc.so.6", 1}},
         WAIT_NO_OBJECT, 0, 0, "", "", "read (libc)\nstd::thread::run() (libstdc++.so.6)\nclone (libc.so.6)", "read",
         "read (libc)", "read (libc)"},
        {{{"[thrace]", "libthrace-preload.so", 1}},
         WAIT_NO_OBJECT, 0, 0, "", "", "its end", "its end", "its end", "its end"},
        {{{"thread worker 4", "/src/a.c", 1}}, WAIT_THREAD, 1, 1, "thread worker 4 (a.c:1)", "thread worker 4",
         "thread worker 4 (a.c:1)", "", "", ""},
        {{{NULL, NULL, 0}}, WAIT_NO_OBJECT, 0, 0, "", "", "", "", "", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct reading it;
        struct stack_parts parts;
        struct stat_texts t;
        const char *innermost = cases[i].frames[cases[i].first].function;
        char call_on[400];
        snprintf(call_on, sizeof call_on, *cases[i].object ? "%s on %s" : "%s", cases[i].call, cases[i].object);
        const char *wanted[STAT_STACK_TEXTS] = {
            [STAT_WHERE] = cases[i].where, [STAT_CALL] = cases[i].call,       [STAT_CALL_ON] = call_on,
            [STAT_PLACE] = cases[i].place, [STAT_SAMPLED] = cases[i].sampled, [STAT_INNERMOST] = innermost ? innermost : ""};
        read_stack(&it, cases[i].frames);
        stack_split(it.stack, &parts);
        assert_int_equal(parts.kind, cases[i].kind);
        assert_int_equal(parts.first, cases[i].first);
        assert_int_equal(parts.program, cases[i].program);
        stat_texts_init(&t);
        for (int round = 0; round < 2; round++) {
            for (int what = 0; what < STAT_STACK_TEXTS; what++)
                assert_string_equal(stat_text_of(&t, stat_text_stack(&t, it.stack, (enum stat_stack_text)what)),
                                    wanted[what]);
            struct stat_object o = stat_text_split(&t, &it.stack)->object;
            assert_int_equal(o.kind, cases[i].kind);
            assert_string_equal(o.kind ? stat_text_of(&t, o.text) : "", cases[i].object);
            assert_string_equal(o.kind ? stat_text_of(&t, o.name) : "", cases[i].name);
        }
        stat_texts_free(&t);
        end_reading(&it);
    }
}

static void kinds_have_classes(void **state)
{
    static const enum wait_class wanted[WAIT_OBJECTS] = {
        [WAIT_COND] = WAIT_CLASS_SIGNAL, [WAIT_SEM] = WAIT_CLASS_SIGNAL,     [WAIT_BARRIER] = WAIT_CLASS_MEETING,
        [WAIT_TEAM] = WAIT_CLASS_MEETING, [WAIT_THREAD] = WAIT_CLASS_END,    [WAIT_PIPE] = WAIT_CLASS_DATA,
        [WAIT_SOCKET] = WAIT_CLASS_DATA, [WAIT_LISTENER] = WAIT_CLASS_DATA,  [WAIT_EVENTFD] = WAIT_CLASS_DATA,
        [WAIT_TIMERFD] = WAIT_CLASS_DATA, [WAIT_SIGNALFD] = WAIT_CLASS_DATA, [WAIT_QUEUE] = WAIT_CLASS_DATA,
        [WAIT_EPOLL] = WAIT_CLASS_DATA,  [WAIT_FDS] = WAIT_CLASS_DATA,       [WAIT_FILE] = WAIT_CLASS_DATA,
    };
    for (unsigned kind = 1; kind < WAIT_OBJECTS; kind++)
        assert_int_equal(wait_class_of((enum wait_object)kind), wanted[kind]);
}

static void all_frames_are_there_when_asked_for(void **state)
{
    static const struct frame frames[] = {{"mutex m", "/src/a.cc", 3},
                                          {"pthread_mutex_lock", "libc", 1},
                                          {"std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", 100},
                                          {"place_order()", "/src/a.cc", 8},
                                          {"std::invoke()", "/usr/include/c++/12/bits/invoke.h", 61},
                                          {NULL, NULL, 0}};
    static const struct frame end[] = {{"[thrace]", "libthrace-preload.so", 1}, {NULL, NULL, 0}};
    static const char whole[] = "mutex m (a.cc:3)\npthread_mutex_lock (libc)\nstd::mutex::lock() (std_mutex.h:100)\n"
                                "place_order() (a.cc:8)\nstd::invoke() (invoke.h:61)";
    static const char *const wanted[] = {
        "mutex m (a.cc:3)\npthread_mutex_lock (libc)\nplace_order() (a.cc:8)",
        "mutex m (a.cc:3)\npthread_mutex_lock (libc)\n…",
        "mutex m (a.cc:3)\npthread_mutex_lock (libc)\nstd::mutex::lock() (std_mutex.h:100)\n…", whole};
    static const unsigned depths[] = {0, 1, 2, 500};
    struct stat_texts t;
    struct reading it;
    for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
        read_stack(&it, frames);
        stat_texts_init(&t);
        t.depth = depths[i];
        assert_string_equal(stat_text_of(&t, stat_text_stack(&t, it.stack, STAT_WHERE)), wanted[i]);
        stat_texts_free(&t);
        end_reading(&it);
    }
    read_stack(&it, end);
    stat_texts_init(&t);
    t.depth = 1;
    assert_string_equal(stat_text_of(&t, stat_text_stack(&t, it.stack, STAT_WHERE)), "its end");
    stat_texts_free(&t);
    end_reading(&it);
}

static struct gotrace_str str(const char *text) { return (struct gotrace_str){text, strlen(text)}; }

static void functions_of_libraries_are_not_the_programs(void **state)
{
    static const struct {
        const char *function, *file;
        bool folded;
    } cases[] = {
        {"pthread_join", "./nptl/./nptl/pthread_join.c", true},
        {"pthread_join", "/usr/src/debug/glibc-2.38-7.fc39.x86_64/nptl/pthread_join.c", true},
        {"pthread_join", "/build/glibc-eX1tMB/glibc-2.31/nptl/pthread_join.c", true},
        {"pthread_join", "/usr/src/debug/glibc/glibc/nptl/pthread_join.c", true},
        {"futex_wait", "../sysdeps/nptl/futex-internal.h", true},
        {"std::thread::join()", "../../../../../src/libstdc++-v3/src/c++11/thread.cc", true},
        {"gomp_team_barrier_wait_end", "/build/gcc/src/gcc/libgomp/config/linux/bar.c", true},
        {"f", "/home/user/glibc-tests/a.c", false},
        {"f", "/home/user/glibc", false},
        {"f", "/src/mysysdeps/a.c", false},
        {"f", "./sql/./sql/a.c", false},
        {"f", "./io/x/./io/a.c", false},
        {"f", "/opt/lib/libc.so.6", true},
        {"f", "/opt/lib/libcurl.so.4", false},
        {"f", "/lib/x86_64-linux-gnu/libc-2.31.so", true},
        {"f", "/lib/x86_64-linux-gnu/ld-2.31.so", true},
        {"f", "/lib/x86_64-linux-gnu/librt-2.31.so", true},
        {"f", "/lib/x86_64-linux-gnu/libdl-2.31.so", true},
        {"f", "/opt/lib/libdlib.so.19", false},
        {"g_cond_wait", "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0.7400.6", true},
        {"<lock_api::mutex::Mutex<parking_lot::raw_mutex::RawMutex, u64>>::lock", "/r/a.rs", true},
        {"net/http.(*conn).serve", "/usr/lib/go-1.22/src/net/http/server.go", true},
        {"sync.(*Mutex).Lock", "sync/mutex.go", true},
        {"runtime.chanrecv1", "/usr/local/go/src/runtime/chan.go", true},
        {"main.main", "/usr/local/go/src/sync/main.go", false},
        {"net.f", "/home/user/net/a.go", false},
        {"synchro.f", "/home/user/go/src/synchro/a.go", false},
        {"example.org/net.f", "/home/user/go/src/example.org/net/a.go", false},
        {"sync.f", "/src/sync/a.c", false},
        {"parking_lot::raw_mutex::RawMutex::lock_slow", "/r/parking_lot-0.12.1/src/raw_mutex.rs", true},
        {"std::sync::poison::condvar::Condvar::wait", "/usr/src/rustc-1.63.0/library/std/src/sync/poison/condvar.rs",
         true},
        {"thrace_region_begin", "/usr/include/thrace/annotate.h", true},
        {"", "libc", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gotrace_frame f = {.function = str(cases[i].function), .file = str(cases[i].file), .line = 2};
        if (frame_is_folded(&f) != cases[i].folded)
            fail_msg("%s of %s", cases[i].function, cases[i].file);
    }
}

static void waits_hold_up_what_their_stack_or_reason_says(void **state)
{
    static const struct {
        struct frame frames[FRAMES];
        const char *reason;
        enum wait_need need;
    } cases[] = {
        {{{"mutex m", "/src/a.c", 3}, {"f", "/src/a.c", 8}}, "sync", WAIT_NEED_WORK},
        {{{"barrier b", "/src/a.c", 3}, {"f", "/src/a.c", 8}}, "sync", WAIT_NEED_WORK},
        {{{"openmp-team 1", "[object]", 1}, {"f", "/src/a.c", 8}}, "sync", WAIT_NEED_EVENT},
        {{{"condition c", "/src/a.c", 3}, {"f", "/src/a.c", 8}}, "sync.(*Cond).Wait", WAIT_NEED_EVENT},
        {{{"semaphore s", "/src/a.c", 3}, {"f", "/src/a.c", 8}}, "sync", WAIT_NEED_EVENT},
        {{{"thread w 4", "/src/a.c", 3}, {"f", "/src/a.c", 8}}, "sync", WAIT_NEED_END},
        {{{"pipe 5", "[object]", 1}, {"f", "/src/a.c", 8}}, "chan receive", WAIT_NEED_EVENT},
        {{{"pipe 5", "[object]", 1}, {"f", "/src/a.c", 8}}, "chan send", WAIT_NEED_WORK},
        {{{"futex x", "/src/a.c", 3}, {"syscall", "libc", 1},
          {"<std::sys::sync::mutex::futex::Mutex>::lock_contended", "/rustc/1/library/std/src/a.rs", 1},
          {"app::f", "/src/a.rs", 8}}, "sync", WAIT_NEED_WORK},
        {{{"futex x", "/src/a.c", 3}, {"syscall", "libc", 1},
          {"<std::sys::sync::condvar::futex::Condvar>::wait", "/rustc/1/library/std/src/a.rs", 1},
          {"std::sync::Mutex::x", "/rustc/1/library/std/src/a.rs", 1},
          {"app::f", "/src/a.rs", 8}}, "sync", WAIT_NEED_EVENT},
        {{{"futex x", "/src/a.c", 3}, {"syscall", "libc", 1}, {"app::Mutex", "/src/a.rs", 8}}, "sync", WAIT_NEED_EVENT},
        {{{"sync.(*Mutex).Lock", "/go/src/sync/mutex.go", 90}, {"main.f", "/app/main.go", 3}}, "sync", WAIT_NEED_WORK},
        {{{"sync.(*WaitGroup).Wait", "/go/src/sync/waitgroup.go", 90}, {"main.f", "/app/main.go", 3}}, "sync",
         WAIT_NEED_END},
        {{{"pthread_join", "libc", 1}, {"f", "/src/a.c", 3}}, "sync", WAIT_NEED_END},
        {{{"runtime.chansend1", "/go/src/runtime/chan.go", 90}, {"main.f", "/app/main.go", 3}}, "chan send",
         WAIT_NEED_EVENT},
        {{{"usleep", "libc", 1}, {"f", "/src/a.c", 3}}, "sleep", WAIT_NEED_TIME},
        {{{"runtime.gopark", "/go/src/runtime/proc.go", 90}}, "GC background sweeper wait", WAIT_NEED_NOTHING},
        {{{"runtime.gopark", "/go/src/runtime/proc.go", 90}}, "system goroutine wait", WAIT_NEED_NOTHING},
        {{{"runtime.gcAssistAlloc", "/go/src/runtime/mgc.go", 90}}, "GC mark assist wait for work", WAIT_NEED_WORK},
        {{{"epoll_wait", "libc", 1}}, "select", WAIT_NEED_EVENT},
        {{{"__futex_abstimed_wait_common64", "./nptl/./nptl/futex-internal.c", 57},
          {"__pthread_cond_wait_common", "./nptl/./nptl/pthread_cond_wait.c", 503}, {"f", "/src/a.c", 3}}, "sync",
         WAIT_NEED_EVENT},
        {{{"__futex_abstimed_wait_common64", "./nptl/./nptl/futex-internal.c", 57},
          {"__pthread_clockjoin_ex", "./nptl/./nptl/pthread_join_common.c", 102}, {"f", "/src/a.c", 3}}, "sync",
         WAIT_NEED_END},
        {{{"__futex_abstimed_wait_common64", "./nptl/./nptl/futex-internal.c", 57},
          {"___pthread_barrier_wait", "./nptl/./nptl/pthread_barrier_wait.c", 184}, {"f", "/src/a.c", 3}}, "sync",
         WAIT_NEED_WORK},
        {{{"__futex_abstimed_wait_common64", "./nptl/./nptl/futex-internal.c", 57},
          {"__new_sem_wait_slow64", "./nptl/./nptl/sem_waitcommon.c", 183}, {"f", "/src/a.c", 3}}, "sync",
         WAIT_NEED_EVENT},
        {{{"__lll_lock_wait_private", "./nptl/./nptl/lowlevellock.c", 34}, {"f", "/src/a.c", 3}}, "sync", WAIT_NEED_WORK},
        {{{NULL, NULL, 0}}, "sync", WAIT_NEED_EVENT},
        {{{NULL, NULL, 0}}, "sleep", WAIT_NEED_TIME},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct reading it;
        struct stack_parts parts;
        read_stack(&it, cases[i].frames);
        stack_split(it.stack, &parts);
        if (wait_need_of(parts.need, cases[i].reason) != cases[i].need)
            fail_msg("case %zu", i);
        end_reading(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_told_apart),
        cmocka_unit_test(kinds_have_classes),
        cmocka_unit_test(all_frames_are_there_when_asked_for),
        cmocka_unit_test(functions_of_libraries_are_not_the_programs),
        cmocka_unit_test(waits_hold_up_what_their_stack_or_reason_says),
    };
    return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
