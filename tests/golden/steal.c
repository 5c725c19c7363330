/* Procs taken from threads that are in a system call. */
#include "tests/golden/scenario.h"

/* Thread 0 with goroutine 1 on proc 0 enters a system call and comes back without its proc. */
static void victim(struct trace *t)
{
    thread(t, 0);
    running(t, 0, 0, 1);
    EV(GoSyscallBegin, 1, NO_STACK);
    EV(GoSyscallEndBlocked);
}

/* As before, but it takes proc 1 on its way out. */
static void victim_with_new_proc(struct trace *t)
{
    thread(t, 0);
    EV(ProcStatus, 1, PROC_IDLE);
    running(t, 0, 0, 1);
    EV(GoSyscallBegin, 1, NO_STACK);
    EV(ProcStart, 1, 1);
    EV(GoSyscallEndBlocked);
}

static void simple(struct trace *t)
{
    generation(t, 1);
    victim(t);
    thread(t, 1);
    running(t, 1, 2, 2);
    EV(ProcSteal, 0, 2, 0);
}

static void simple_bare(struct trace *t)
{
    generation(t, 1);
    victim(t);
    thread(t, 1);
    EV(ProcSteal, 0, 2, 0);
}

static void new_proc(struct trace *t)
{
    generation(t, 1);
    victim_with_new_proc(t);
    thread(t, 1);
    running(t, 1, 2, 2);
    EV(ProcSteal, 0, 2, 0);
}

static void new_proc_bare(struct trace *t)
{
    generation(t, 1);
    victim_with_new_proc(t);
    thread(t, 1);
    EV(ProcSteal, 0, 2, 0);
}

/* Only the sequence number of the proc tells which of two system calls the proc is taken out of. */
static void second_of_two_syscalls(struct trace *t)
{
    t->still = true;
    generation(t, 1);
    thread(t, 0);
    running(t, 0, 0, 1);
    EV(GoSyscallBegin, 1, NO_STACK);
    EV(GoSyscallEnd);
    EV(GoSyscallBegin, 2, NO_STACK);
    EV(GoSyscallEndBlocked);
    thread(t, 1);
    running(t, 1, 2, 2);
    EV(ProcSteal, 0, 3, 0);
}

static void from_self(struct trace *t)
{
    t->still = true;
    generation(t, 1);
    thread(t, 0);
    running(t, 0, 0, 1);
    EV(GoSyscallBegin, 1, NO_STACK);
    EV(ProcSteal, 0, 2, 0);
    EV(ProcStart, 0, 3);
    EV(GoSyscallEndBlocked);
}

/* The steal is all that the generation sees of the system call's proc. */
static void boundary(struct trace *t, bool takes_proc, bool bare)
{
    generation(t, 1);
    thread(t, 0);
    if (takes_proc) {
        EV(GoStatus, 1, 0, GO_SYSCALL);
        EV(ProcStatus, 1, PROC_IDLE);
        EV(ProcStart, 1, 1);
    } else {
        EV(ProcStatus, 1, PROC_RUNNING);
        EV(GoStatus, 1, 0, GO_SYSCALL);
    }
    EV(GoSyscallEndBlocked);
    thread(t, 1);
    if (!bare)
        running(t, 1, 2, 2);
    EV(ProcStatus, 0, PROC_SYSCALL_ABANDONED);
    EV(ProcSteal, 0, 1, 0);
}

static void at_boundary(struct trace *t) { boundary(t, false, false); }
static void at_boundary_bare(struct trace *t) { boundary(t, false, true); }
static void at_boundary_new_proc(struct trace *t) { boundary(t, true, false); }
static void at_boundary_new_proc_bare(struct trace *t) { boundary(t, true, true); }

static void from_a_syscall_all_along(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    EV(ProcStatus, 0, PROC_SYSCALL_ABANDONED);
    EV(ProcSteal, 0, 1, 1);
    thread(t, ID_NONE);
    EV(GoStatus, 1, 1, GO_SYSCALL);
}

/* A foreign thread calls in and out again; another with its ID then takes the proc that the first one left. */
static void thread_id_reused(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    EV(GoCreateSyscall, 4);
    EV(GoSyscallEndBlocked);
    EV(ProcStatus, 0, PROC_IDLE);
    EV(ProcStart, 0, 1);
    EV(GoStatus, 4, ID_NONE, GO_RUNNABLE);
    EV(GoStart, 4, 1);
    EV(GoSyscallBegin, 2, NO_STACK);
    EV(GoDestroySyscall);
    thread(t, 0);
    EV(ProcStatus, 1, PROC_IDLE);
    EV(ProcStart, 1, 1);
    EV(ProcSteal, 0, 3, 0);
}

/* The next generation calls the proc abandoned though we know its thread: it is taken from that thread. */
static void abandoned_but_known(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    running(t, 0, 0, 1);
    EV(GoSyscallBegin, 1, NO_STACK);
    generation(t, 2);
    thread(t, 1);
    EV(ProcStatus, 0, PROC_SYSCALL_ABANDONED);
    EV(ProcSteal, 0, 1, 0);
    thread(t, 0);
    EV(GoStatus, 1, 0, GO_SYSCALL);
    EV(GoSyscallEndBlocked);
}

/* Abandoned in two generations running, and found by nobody. */
static void abandoned_twice(struct trace *t)
{
    for (uint64_t gen = 1; gen <= 2; gen++) {
        generation(t, gen);
        thread(t, 1);
        EV(ProcStatus, 0, PROC_SYSCALL_ABANDONED);
    }
}

static void callback_takes_no_proc(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    EV(GoCreateSyscall, 4);
    EV(ProcStatus, 0, PROC_IDLE);
    EV(ProcStart, 0, 1);
    EV(GoSyscallEndBlocked);
    EV(GoStart, 4, 1);
    EV(GoSyscallBegin, 2, NO_STACK);
    EV(GoDestroySyscall);
    EV(GoCreateSyscall, 4);
    EV(GoSyscallEnd);
    EV(GoSyscallBegin, 3, NO_STACK);
    EV(GoDestroySyscall);
}

const struct scenario steal_scenarios[] = {
    GOOD(22, "steal", simple),
    GOOD(22, "steal-by-bare-thread", simple_bare),
    GOOD(22, "steal-victim-has-new-proc", new_proc),
    GOOD(22, "steal-victim-has-new-proc-by-bare-thread", new_proc_bare),
    GOOD(22, "steal-second-of-two-syscalls", second_of_two_syscalls),
    GOOD(22, "steal-from-self", from_self),
    GOOD(22, "steal-at-boundary", at_boundary),
    GOOD(22, "steal-at-boundary-by-bare-thread", at_boundary_bare),
    GOOD(22, "steal-at-boundary-victim-has-new-proc", at_boundary_new_proc),
    GOOD(22, "steal-at-boundary-victim-has-new-proc-by-bare-thread", at_boundary_new_proc_bare),
    GOOD(22, "steal-from-syscall-all-along", from_a_syscall_all_along),
    GOOD(22, "steal-thread-id-reused", thread_id_reused),
    GOOD(26, "steal-abandoned-but-known", abandoned_but_known),
    GOOD(26, "steal-abandoned-twice", abandoned_twice),
    BROKEN(22, "callback-without-proc", callback_takes_no_proc, "expected a proc but didn't have one"),
    END,
};
