#include "config.h"

#include "cmd/attach/stops.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/attach/hurry.h"
#include "lib/clock.h"

#if defined(__x86_64__)

enum { SYSCALL_STOP = SIGTRAP | 0x80 };

const char tracee_has_ended[] = "its thread has ended";
const char stop_is_late[] = "a call takes long";
static const char does_not_stop[] = "a thread does not stop";

/* Whatever wait says: one that is taken for ended is not put back. */
static bool is_there(const struct tracee *t) { return !syscall(SYS_tgkill, t->p->pid, t->tid, 0) || errno != ESRCH; }

/* The kernel sends a signal then: whoever looks again and again takes the processor from the thread. */
const char *stop_await(const struct tracee *t, int *status, uint64_t until)
{
    const struct timespec at_most = {0, 100000000};
    const char *wrong = NULL;
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGCHLD);
    sigprocmask(SIG_BLOCK, &stops, &before);
    for (bool found = false; !found && !wrong;) {
        pid_t got = waitpid(t->tid, status, __WALL | WNOHANG);
        found = got == t->tid && WIFSTOPPED(*status);
        if (!found && (got == t->tid || (got < 0 && errno != EINTR && !is_there(t))))
            wrong = tracee_has_ended;
        else if (!found && clock_mono_ns() > until)
            wrong = does_not_stop;
        else if (!found)
            sigtimedwait(&stops, NULL, &at_most);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return wrong;
}

static bool is_event_stop(int status) { return status >> 16 == PTRACE_EVENT_STOP; }

uint64_t stop_signals(const struct tracee *t, const char *field)
{
    char file[64], status[8192];
    snprintf(file, sizeof file, "task/%ld/status", (long)t->tid);
    const char *text = process_text(t->p, file, status, sizeof status) > 0 ? status_field(status, field) : NULL;
    return text ? strtoull(text, NULL, 16) : UINT64_MAX;
}

/* A traced thread is sent signals, too, that nobody handles: SIGCHLD of a child that ends. They change nothing. */
static bool is_caught(const struct tracee *t, int signal) { return stop_signals(t, "SigCgt") >> (signal - 1) & 1; }

/* A thread that it makes is held as well, where that was asked for. */
static int signal_of_stop(struct tracee *t, int status)
{
    unsigned long made = 0;
    if (status >> 16 == PTRACE_EVENT_CLONE && !ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &made))
        t->made = (pid_t)made;
    return status >> 16 || WSTOPSIG(status) == SYSCALL_STOP ? 0 : WSTOPSIG(status);
}

const char *stop_interrupt(struct tracee *t, bool is_stopped)
{
    int status;
    const uint64_t until = clock_mono_ns() + STOP_NS;
    if (ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) || (is_stopped && ptrace(PTRACE_CONT, t->tid, NULL, NULL)))
        return tracee_has_ended;
    for (;;) {
        const char *wrong = stop_await(t, &status, until);
        if (wrong || is_event_stop(status))
            return wrong;
        int signal = signal_of_stop(t, status);
        t->signalled |= signal && is_caught(t, signal);
        if (ptrace(PTRACE_CONT, t->tid, NULL, (void *)(intptr_t)signal))
            return tracee_has_ended;
    }
}

bool stop_get_regs(const struct tracee *t, struct user_regs_struct *regs)
{
    struct iovec into = {regs, sizeof *regs};
    return !ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_PRSTATUS, &into);
}

bool stop_set_regs(const struct tracee *t, const struct user_regs_struct *regs)
{
    struct iovec from = {(void *)regs, sizeof *regs};
    return !ptrace(PTRACE_SETREGSET, t->tid, (void *)NT_PRSTATUS, &from);
}

/* With what whoever reads the report needs. */
static const char *crashes(const struct tracee *t, int signal)
{
    static char text[256];
    struct user_regs_struct regs = {0};
    siginfo_t info = {0};
    stop_get_regs(t, &regs);
    ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info);
    const struct mapping *m = process_mapping(t->p, regs.rip);
    snprintf(text, sizeof text, "the library crashes there (signal %d, code %d, address %p, at %#llx of %s): this is a bug "
             "of thrace, please report it", signal, info.si_code, info.si_addr, regs.rip - (m ? m->start - m->offset : 0),
             m ? m->path : "memory");
    return text;
}

/*
 * Of what it does itself. All else waits, as it is blocked, until the thread is back; but for libc's own signals, and for
 * a stop of the process, which is for its other threads.
 */
static bool is_fault(int signal)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};
    bool found = false;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        found |= signal == faults[i];
    return found;
}

const char *stop_at_call(struct tracee *t, uint64_t until, struct user_regs_struct *regs)
{
    for (int signal = 0;;) {
        int status;
        if (ptrace(PTRACE_SYSCALL, t->tid, NULL, (void *)(intptr_t)signal))
            return tracee_has_ended;
        const char *wrong = stop_await(t, &status, until);
        bool late = wrong == does_not_stop;
        if (late && !ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL)) {
            hurry_no_more(t->tid, &t->schedule); /* where real-time threads take all, others have a share still */
            wrong = stop_await(t, &status, until = UINT64_MAX);
        }
        if (wrong)
            return tracee_has_ended;
        if (WSTOPSIG(status) == SYSCALL_STOP || (late && is_event_stop(status)))
            return !stop_get_regs(t, regs) ? tracee_has_ended : WSTOPSIG(status) == SYSCALL_STOP ? NULL : stop_is_late;
        signal = signal_of_stop(t, status);
        if (is_fault(signal))
            return crashes(t, signal);
    }
}

bool stop_also_at_clone(const struct tracee *t)
{
    return !ptrace(PTRACE_SETOPTIONS, t->tid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE));
}

int stop_idle_signal(const struct tracee *t)
{
    static const int idle[] = {SIGURG, SIGWINCH, SIGCHLD};
    const uint64_t used = stop_signals(t, "SigCgt") | t->mask;
    int found = 0;
    for (size_t i = 0; i < sizeof idle / sizeof *idle && !found; i++)
        found = used >> (idle[i] - 1) & 1 ? 0 : idle[i];
    return found;
}

const char *stop_at_clone(struct tracee *t, int back)
{
    const char *wrong = NULL;
    for (int signal = 0; !wrong && !t->made;) {
        int status;
        if (ptrace(PTRACE_CONT, t->tid, NULL, (void *)(intptr_t)signal))
            return tracee_has_ended;
        wrong = stop_await(t, &status, clock_mono_ns() + STOP_NS);
        signal = wrong ? 0 : signal_of_stop(t, status);
        if (signal == back && !wrong)
            return NULL;
        if (is_fault(signal))
            return crashes(t, signal);
    }
    if (wrong != does_not_stop)
        return wrong;
    wrong = stop_interrupt(t, false);
    return wrong ? wrong : stop_is_late;
}

/* One that has not stopped yet may do so with a signal, which it is to get. */
bool stop_release(struct tracee *t)
{
    int status;
    return !ptrace(PTRACE_DETACH, t->tid, NULL, NULL) ||
           (!stop_await(t, &status, clock_mono_ns() + STOP_NS) &&
            !ptrace(PTRACE_DETACH, t->tid, NULL, (void *)(intptr_t)signal_of_stop(t, status)));
}

#endif
