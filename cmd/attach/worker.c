#include "config.h"

#include "cmd/attach/worker.h"

#if defined(__x86_64__)

#include <pthread.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmd/attach/hurry.h"
#include "cmd/attach/remote_function.h"
#include "cmd/attach/stops.h"
#include "lib/clock.h"

enum { SLEEP_S = 1, STACK_MIN = 1 << 20, STACK_UNLIMITED = 2 << 20, STACK_MAX = 32 << 20 };

/* The kernel fills all of the memory at once, where it is to be locked in it. */
static bool locks_memory(const struct process *p)
{
    char status[8192];
    const char *locked = process_text(p, "status", status, sizeof status) > 0 ? status_field(status, "VmLck") : NULL;
    return !locked || strtoul(locked, NULL, 10);
}

static size_t stack_size(const struct process *p)
{
    struct rlimit limit;
    if (locks_memory(p))
        return STACK_MIN;
    if (prlimit(p->pid, RLIMIT_STACK, NULL, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return STACK_UNLIMITED;
    return limit.rlim_cur < STACK_MIN || limit.rlim_cur > STACK_MAX ? STACK_MIN : limit.rlim_cur;
}

/* glibc's attributes are the same bytes in all versions, there as here. */
static pthread_attr_t attributes;

const char *worker_prepare(const struct process *p)
{
    static const char *const needed[] = {"mmap", "munmap", "pthread_create", "sleep", "__errno_location"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!remote_libc_function(p, needed[i]).from)
            return "it has no libc that this command knows";
    bool described = !pthread_attr_init(&attributes) &&
                     !pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) &&
                     !pthread_attr_setstacksize(&attributes, stack_size(p));
    return described ? NULL : no_memory;
}

size_t worker_stack(void)
{
    size_t size = 0;
    pthread_attr_getstacksize(&attributes, &size);
    return size;
}

/* It has the mask of its maker, so that no signal of the program's comes to it. */
const char *worker_make(struct tracee *maker)
{
    const uint64_t create = remote_libc_function(maker->p, "pthread_create").from;
    const uint64_t sleeps = remote_libc_function(maker->p, "sleep").from;
    uint64_t at = tracee_put(maker, 0, &attributes, sizeof attributes);
    const uint64_t args[TRACEE_ARGS] = {at + sizeof attributes, at, sleeps, SLEEP_S};
    return at ? tracee_make_thread(maker, create, args) : tracee_has_ended;
}

/* In front of its sleep, which is over without having begun. */
static const char *run_to_sleep(struct tracee *w)
{
    struct user_regs_struct regs;
    const char *wrong;
    do
        wrong = stop_at_call(w, UINT64_MAX, &regs);
    while (!wrong && regs.orig_rax != SYS_clock_nanosleep);
    regs.orig_rax = (unsigned long long)-1;
    if (!wrong && (!stop_set_regs(w, &regs) || stop_at_call(w, UINT64_MAX, &regs) || !tracee_remember(w)))
        wrong = tracee_has_ended;
    w->before.orig_rax = (unsigned long long)-1;
    w->before.rax = 0;
    return wrong;
}

const char *worker_hold(struct tracee *w, const struct tracee *maker)
{
    int status;
    *w = (struct tracee){.p = maker->p, .tid = maker->made, .since = clock_mono_ns()};
    hurry_command();
    const char *wrong = stop_await(w, &status, w->since + STOP_NS);
    if (!wrong && ptrace(PTRACE_SETOPTIONS, w->tid, NULL, (void *)PTRACE_O_TRACESYSGOOD))
        wrong = tracee_has_ended;
    if (!wrong) {
        hurry_no_more(w->tid, &maker->schedule); /* as its maker was before that was hurried */
        hurry(w->tid, &w->schedule);
        wrong = run_to_sleep(w);
    }
    w->lost = wrong;
    if (wrong)
        tracee_let_go(w);
    return wrong;
}

void worker_end(struct tracee *w)
{
    const struct timespec pause = {0, 200000};
    const uint64_t until = clock_mono_ns() + STOP_NS;
    tracee_let_go(w);
    while (!syscall(SYS_tgkill, w->p->pid, w->tid, 0) && clock_mono_ns() < until)
        nanosleep(&pause, NULL);
}

#endif
