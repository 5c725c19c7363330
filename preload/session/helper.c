/*
 * The helper thread, named "thrace": drains full chunks, makes the pool larger, begins generations, and starts and
 * stops sessions when it is time. It is started when the program makes its first thread, because some system calls want
 * a process with one, or at once when there are triggers; and it stops when the last thread of the program has ended,
 * because otherwise a program whose main called pthread_exit would never end.
 *
 * It has a file table of its own: its descriptor of the spool takes no number from the program, and nothing that the
 * program closes is closed for it.
 */
#include "preload/session/helper.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/prctl.h>
#include <signal.h>
#include <unistd.h>

#include "preload/real.h"
#include "preload/held_signals.h"
#include "preload/recorder.h"
#include "preload/thread.h"
#include "preload/unseen.h"

enum { HELPER_STACK = 48 << 10, MIN_PAUSE_NS = 20000 };

static struct {
    struct lock lock;
    pthread_t thread;
    uint32_t running;
    uint32_t wakeups; /* futex word: counts them */
    uint32_t stop;
    uint32_t needed; /* whatever is recorded */
} helper;

static void leave_file_table(void)
{
    const unsigned close_range = 436; /* the same number everywhere; CLOSE_RANGE_UNSHARE does not even copy the table */
    if (sys_failed(raw_syscall(close_range, 0, ~0u, CLOSE_RANGE_UNSHARE, 0, 0, 0)) &&
        !sys_failed(raw_syscall(SYS_unshare, 0x400 /* CLONE_FILES */, 0, 0, 0, 0, 0)))
        for (int fd = 0; fd < 65536; fd++)
            sys_close(fd);
}

void helper_settle(const char *name)
{
    self = THREAD_OFF;
    unseen_not_me((uint64_t)sys_gettid());
    unseen_expected();
    raw_syscall(SYS_prctl, PR_SET_NAME, (long)name, 0, 0, 0, 0);
    leave_file_table();
}

#define EACH_JOB(callback)                                                                                             \
    for (const struct helper_job *job = helper_jobs; job->run; job++)                                           \
        if (job->callback)                                                                                             \
    job->callback()

static uint64_t pause_ns(void)
{
    uint64_t t = clock_mono_ns(), until = UINT64_MAX;
    for (const struct helper_job *job = helper_jobs; job->run; job++) {
        uint64_t due = job->due ? job->due() : UINT64_MAX;
        until = due < until ? due : until;
    }
    return t + MIN_PAUSE_NS < until ? until - t : MIN_PAUSE_NS;
}

static void *helper_main(void *arg)
{
    helper_settle("thrace");
    EACH_JOB(begin);
    while (!__atomic_load_n(&helper.stop, __ATOMIC_ACQUIRE)) {
        uint32_t wakeups = __atomic_load_n(&helper.wakeups, __ATOMIC_ACQUIRE);
        EACH_JOB(run);
        uint64_t ns = pause_ns();
        const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        sys_futex_wait(&helper.wakeups, wakeups, ns > UINT64_MAX / 2 ? NULL : &pause);
    }
    EACH_JOB(end);
    return NULL;
}

bool helper_wake(void)
{
    if (!__atomic_load_n(&helper.running, __ATOMIC_SEQ_CST))
        return false;
    __atomic_fetch_add(&helper.wakeups, 1, __ATOMIC_RELEASE);
    sys_futex_wake(&helper.wakeups, 1);
    return true;
}

/*
 * With the program's signals blocked, so that the helper inherits that: no handler of the program ever runs in it. Not
 * 32 to 34, which are libc's own: setuid waits until every thread has answered glibc's 33, or musl's 34.
 */
bool helper_create(pthread_t *thread, void *(*run)(void *))
{
    uint64_t all = ~(((UINT64_C(1) << (SIGNAL_SETXID - 31)) - 1) << 31), old = 0;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN) + HELPER_STACK);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof all, 0, 0);
    unseen_expect();
    int err = real.pthread_create(thread, &attr, run, NULL);
    if (err)
        unseen_expected();
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof old, 0, 0);
    pthread_attr_destroy(&attr);
    return !err;
}

void helper_start(void)
{
    if (likely(__atomic_load_n(&helper.running, __ATOMIC_ACQUIRE)) || !lock_try(&helper.lock))
        return;
    if (!helper.running && (recording() || __atomic_load_n(&helper.needed, __ATOMIC_ACQUIRE))) {
        helper.stop = 0;
        EACH_JOB(prepare);
        if (helper_create(&helper.thread, helper_main)) {
            __atomic_store_n(&helper.running, 1, __ATOMIC_SEQ_CST);
            helper_wake(); /* for who found it not running, when it had looked around already and gone to sleep */
        } else {
            EACH_JOB(end);
        }
    }
    lock_drop(&helper.lock);
}

void helper_start_for_triggers(void)
{
    __atomic_store_n(&helper.needed, 1, __ATOMIC_RELEASE);
    helper_start();
}

void helper_stop(void)
{
    lock_take(&helper.lock);
    if (helper.running) {
        __atomic_store_n(&helper.stop, 1, __ATOMIC_RELEASE);
        helper_wake();
        __atomic_store_n(&helper.running, 0, __ATOMIC_RELEASE);
        real.pthread_join(helper.thread, NULL);
        request_maintenance();
    }
    lock_drop(&helper.lock);
}

void helper_stop_for_good(void)
{
    __atomic_store_n(&helper.needed, 0, __ATOMIC_RELEASE);
    helper_stop();
}

void helper_forget(void)
{
    EACH_JOB(forget);
    unseen_expect_none();
    helper.lock.word = 0;
    helper.running = 0;
}
