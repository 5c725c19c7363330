#include "config.h"

#include "cmd/stacks/stop.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/stacks/restarts.h"
#include "lib/clock.h"

enum { STOP_NS = 2000000000 };

/* By now: since it was looked at it may have run. */
static bool would_notice(const struct process *p, pid_t tid)
{
    struct thread now = {.tid = tid};
    thread_line(p, tid, now.line, sizeof now.line);
    return thread_take_line(&now, now.line) && !goes_on_after_stop(p, &now);
}

static pid_t tracer_of(const struct process *p, pid_t tid)
{
    struct thread_seen seen;
    return thread_see(p, tid, &seen) && seen.tracer != getpid() ? seen.tracer : 0;
}

/* False: it does not stop. */
static bool await_stop(struct stop *s, uint64_t until)
{
    enum { YIELDS = 500 }; /* it is soon there, if it gets a processor */
    const struct timespec moment = {0, 20000};
    for (int i = 0;; i++) {
        int status;
        pid_t got = waitpid(s->t->tid, &status, __WALL | WNOHANG);
        if (got == s->t->tid && WIFSTOPPED(status)) {
            s->stopped = true;
            s->signal = status >> 16 ? 0 : WSTOPSIG(status);
            return true;
        }
        if (got < 0 || got == s->t->tid)
            return true; /* it has ended */
        if (clock_mono_ns() > until)
            return false;
        if (i < YIELDS)
            sched_yield();
        else
            nanosleep(&moment, NULL);
    }
}

/* What a stopped thread has. The call may be another one than it was last seen in. False: memory is short. */
static bool copy_stopped(struct process *p, struct thread *t)
{
    struct user_regs_struct regs;
    struct iovec into = {&regs, sizeof regs};
    if (ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_PRSTATUS, &into))
        return true;
    thread_line(p, t->tid, t->line, sizeof t->line);
    if (!thread_take_line(t, t->line))
        t->call = NO_CALL;
    if (t->call == NO_CALL) {
        t->call = thread_interrupted_call(p, &regs, t->args);
        *t->line = 0;
    }
    if (t->state != 'T' && t->state != 't')
        t->state = t->call == NO_CALL ? 'R' : 'S';
    thread_take_registers(&t->stack.regs, &regs);
    return thread_copy_stack(p, &t->stack);
}

/*
 * Lets go of whatever is still traced. Where a thread called exec, its tracer has the first thread instead, by another
 * number. False: something does not stop; it is let go when this process ends.
 */
static bool let_go(const struct process *p, const struct stop *stops, size_t n)
{
    const struct timespec moment = {0, 20000};
    const uint64_t until = clock_mono_ns() + STOP_NS;
    for (bool asked = false;; asked = true) {
        int status;
        pid_t got = waitpid(-1, &status, __WALL | WNOHANG);
        if (got < 0)
            return true;
        if (got > 0 && WIFSTOPPED(status))
            ptrace(PTRACE_DETACH, got, NULL, (void *)(intptr_t)(status >> 16 ? 0 : WSTOPSIG(status)));
        if (got > 0)
            continue;
        for (size_t i = 0; i < n && !asked; i++)
            ptrace(PTRACE_INTERRUPT, stops[i].t->tid, NULL, NULL);
        if (!asked)
            ptrace(PTRACE_INTERRUPT, p->pid, NULL, NULL);
        if (clock_mono_ns() > until)
            return false;
        nanosleep(&moment, NULL);
    }
}

/* In the call that it was stopped in. The line of one whose call only its registers told is taken then. */
static bool is_back(const struct process *p, struct thread *t)
{
    struct thread_moment moment;
    if (*t->line)
        return thread_moment(p, t, &moment);
    struct thread now = {.call = NO_CALL};
    char line[sizeof t->line];
    thread_line(p, t->tid, line, sizeof line);
    if (!thread_take_line(&now, line) || (now.call != t->call && now.call != SYS_restart_syscall))
        return false;
    memcpy(t->line, line, sizeof line);
    return true;
}

/* Until they are in their calls again: who holds what they wait for can be told then only. */
static void await_calls(const struct process *p, const struct stop *stops, size_t n)
{
    enum { AGAIN_NS = 100000000 };
    const struct timespec moment = {0, 200000};
    const uint64_t until = clock_mono_ns() + AGAIN_NS;
    for (size_t i = 0; i < n; i++) {
        while (stops[i].stopped && stops[i].t->call != NO_CALL && !is_back(p, stops[i].t) &&
               clock_mono_ns() < until)
            nanosleep(&moment, NULL);
    }
}

const char *stop_and_copy(struct process *p, struct stop *stops, size_t n, bool safe, struct stops_done *done)
{
    const char *wrong = NULL;
    uint64_t began = clock_mono_ns();
    for (size_t i = 0; i < n; i++) {
        pid_t tid = stops[i].t->tid;
        if (safe && would_notice(p, tid)) {
            stops[i].t->spared = true;
            continue;
        }
        if (!ptrace(PTRACE_SEIZE, tid, NULL, NULL))
            stops[i].asked = !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
        else if (errno == EPERM && !done->tracer)
            done->tracer = tracer_of(p, tid);
    }
    for (size_t i = 0; i < n && !wrong; i++) {
        if (!stops[i].asked)
            continue;
        if (!await_stop(&stops[i], began + STOP_NS))
            wrong = "a thread does not stop";
        else if (stops[i].stopped && !copy_stopped(p, stops[i].t))
            wrong = no_memory;
    }
    for (size_t i = 0; i < n; i++)
        if (stops[i].stopped) {
            ptrace(PTRACE_DETACH, stops[i].t->tid, NULL, (void *)(intptr_t)stops[i].signal);
            done->stopped++;
        }
    done->pause_ns += clock_mono_ns() - began;
    if (!let_go(p, stops, n) && !wrong)
        wrong = "a thread does not stop";
    if (!wrong)
        await_calls(p, stops, n);
    return wrong;
}
