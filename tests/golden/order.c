/* Traces that say what cannot have happened to procs and goroutines. Each function breaks one rule. */
#include "tests/golden/scenario.h"

static void begin(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
}

static void begin_running(struct trace *t)
{
    begin(t);
    running(t, 1, 0, 1);
}

/* A second generation in which thread 1 goes on running. */
static void go_on(struct trace *t)
{
    generation(t, 2);
    thread(t, 1);
    running(t, 1, 0, 1);
}

#define RULE(name, ...)                                                                                                \
    static void name(struct trace *t)                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

/* Procs */
RULE(proc_status_unknown, begin(t), EV(ProcStatus, 0, 9))
RULE(proc_status_differs, begin_running(t), EV(ProcStatus, 0, PROC_IDLE))
RULE(proc_start_with_proc, begin_running(t), EV(ProcStatus, 1, PROC_IDLE), EV(ProcStart, 1, 1))
RULE(proc_start_out_of_turn, begin(t), EV(ProcStatus, 0, PROC_IDLE), EV(ProcStart, 0, 2))
RULE(proc_start_unknown, begin(t), EV(ProcStart, 5, 1))
RULE(proc_stop_without, begin(t), EV(ProcStop))
RULE(proc_stop_twice, begin_running(t), EV(ProcStop), EV(ProcStop))
RULE(proc_start_no_thread, generation(t, 1), thread(t, ID_NONE), EV(ProcStatus, 0, PROC_IDLE), EV(ProcStart, 0, 1))
RULE(steal_no_thread, generation(t, 1), thread(t, ID_NONE), EV(ProcStatus, 0, PROC_SYSCALL_ABANDONED),
     EV(ProcSteal, 0, 1, 1))
RULE(steal_running, begin_running(t), thread(t, 2), EV(ProcSteal, 0, 1, 1))
RULE(steal_out_of_turn, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), thread(t, 2), EV(ProcSteal, 0, 1, 1))
RULE(steal_wrong_thread, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), thread(t, 2), running(t, 2, 1, 2),
     thread(t, 3), EV(ProcSteal, 0, 2, 2))
RULE(steal_no_such_thread, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), thread(t, 2), EV(ProcSteal, 0, 2, 77))
RULE(steal_self_other_proc, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), thread(t, 2), running(t, 2, 1, 2),
     EV(ProcSteal, 0, 2, 2))
RULE(abandoned_unknown_thread, begin(t), running(t, 1, 0, 1), EV(GoSyscallBegin, 1, NO_STACK), EV(ProcStatus, 1, 1),
     generation(t, 2), thread(t, 2), EV(ProcStatus, 0, PROC_SYSCALL_ABANDONED))

/* Statuses of goroutines */
RULE(go_status_unknown, begin(t), EV(GoStatus, 1, 1, 9))
RULE(go_status_differs, begin_running(t), EV(GoStatus, 1, 1, GO_WAITING))
RULE(go_status_late, begin_running(t), go_on(t), EV(GoStatus, 2, ID_NONE, GO_WAITING))
RULE(go_syscall_no_thread, begin(t), EV(GoStatus, 1, ID_NONE, GO_SYSCALL))
RULE(go_syscall_other_thread, begin_running(t), thread(t, 2), EV(GoStatus, 2, 1, GO_SYSCALL))
RULE(go_syscall_moved, generation(t, 1), thread(t, ID_NONE), EV(GoStatus, 2, 5, GO_SYSCALL), generation(t, 2),
     thread(t, 6), EV(GoStatus, 2, 6, GO_SYSCALL))

/* Creation */
RULE(create_no_proc, begin(t), EV(GoCreate, 2, NO_STACK, NO_STACK))
RULE(create_in_syscall, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), EV(GoCreate, 2, NO_STACK, NO_STACK))
RULE(create_existing, begin_running(t), EV(GoCreate, 1, NO_STACK, NO_STACK))
RULE(create_blocked_existing, begin_running(t), EV(GoCreateBlocked, 1, NO_STACK, NO_STACK))
RULE(create_syscall_existing, begin_running(t), thread(t, 2), EV(GoCreateSyscall, 1))
RULE(create_syscall_while_running, begin_running(t), EV(GoCreateSyscall, 2))
RULE(create_syscall_no_thread, generation(t, 1), thread(t, ID_NONE), EV(GoCreateSyscall, 2))

/* Running */
RULE(start_no_proc, begin(t), EV(GoStatus, 1, 1, GO_RUNNABLE), EV(GoStart, 1, 1))
RULE(start_while_running, begin_running(t), EV(GoStatus, 2, 1, GO_RUNNABLE), EV(GoStart, 2, 1))
RULE(start_out_of_turn, begin(t), EV(ProcStatus, 0, 1), EV(GoStatus, 1, 1, GO_RUNNABLE), EV(GoStart, 1, 2))
RULE(start_unknown, begin(t), EV(ProcStatus, 0, 1), EV(GoStart, 3, 1))
RULE(start_waiting, begin(t), EV(ProcStatus, 0, 1), EV(GoStatus, 1, 1, GO_WAITING), EV(GoStart, 1, 1))
RULE(stop_no_goroutine, begin(t), EV(ProcStatus, 0, 1), EV(GoStop, 0, NO_STACK))
RULE(stop_no_proc, begin_running(t), EV(ProcStop), EV(GoStop, 0, NO_STACK))
RULE(block_twice, begin_running(t), EV(GoBlock, 0, NO_STACK), EV(GoBlock, 0, NO_STACK))
RULE(block_reason_unknown, begin_running(t), EV(GoBlock, 99, NO_STACK))
RULE(block_stack_unknown, begin_running(t), EV(GoBlock, 0, 99))
RULE(unblock_stack_unknown, begin_running(t), EV(GoCreateBlocked, 2, NO_STACK, NO_STACK), EV(GoUnblock, 2, 1, 99))
RULE(syscall_stack_unknown, begin_running(t), EV(GoSyscallBegin, 1, 99))
RULE(block_in_syscall, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), EV(GoBlock, 0, NO_STACK))
RULE(destroy_twice, begin_running(t), EV(GoDestroy), EV(GoDestroy))
RULE(stop_no_thread, generation(t, 1), thread(t, ID_NONE), EV(GoStop, 0, NO_STACK))
RULE(unblock_running, begin_running(t), EV(GoUnblock, 1, 1, NO_STACK))
RULE(unblock_out_of_turn, begin_running(t), EV(GoBlock, 0, NO_STACK), EV(GoUnblock, 1, 2, NO_STACK))
RULE(switch_no_goroutine, begin(t), EV(ProcStatus, 0, 1), EV(GoSwitch, 2, 1))
RULE(switch_in_syscall, begin_running(t), EV(GoCreateBlocked, 2, NO_STACK, NO_STACK), EV(GoSyscallBegin, 1, NO_STACK),
     EV(GoSwitch, 2, 1))
RULE(switch_to_runnable, begin_running(t), EV(GoCreate, 2, NO_STACK, NO_STACK), EV(GoSwitch, 2, 1))
RULE(switch_out_of_turn, begin_running(t), EV(GoCreateBlocked, 2, NO_STACK, NO_STACK), EV(GoSwitchDestroy, 2, 2))

/* System calls */
RULE(syscall_no_goroutine, begin(t), EV(ProcStatus, 0, 1), EV(GoSyscallBegin, 1, NO_STACK))
RULE(syscall_out_of_turn, begin_running(t), EV(GoSyscallBegin, 2, NO_STACK))
RULE(syscall_in_syscall, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), EV(GoSyscallBegin, 2, NO_STACK))
RULE(syscall_end_only, begin_running(t), EV(GoSyscallEnd))
RULE(syscall_end_no_proc, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), EV(ProcStop), EV(GoSyscallEnd))
RULE(syscall_end_proc_running, begin(t), EV(ProcStatus, 0, 1), EV(GoStatus, 1, 1, GO_SYSCALL), EV(GoSyscallEnd))
RULE(syscall_blocked_only, begin_running(t), EV(GoSyscallEndBlocked))
RULE(syscall_blocked_with_proc, begin_running(t), EV(GoSyscallBegin, 1, NO_STACK), EV(GoSyscallEndBlocked))
RULE(syscall_blocked_no_goroutine, begin(t), EV(GoSyscallEndBlocked))
RULE(destroy_syscall_running, begin_running(t), EV(GoDestroySyscall))
RULE(destroy_syscall_no_goroutine, begin(t), EV(GoDestroySyscall))
RULE(destroy_syscall_proc_running, begin(t), EV(ProcStatus, 0, 1), EV(GoStatus, 1, 1, GO_SYSCALL),
     EV(GoDestroySyscall))

/* Two things are wrong; the first is what the reader must name. */
RULE(first_of_two, begin(t), EV(GoCreate, 1, NO_STACK, NO_STACK), generation(t, 2), thread(t, 1), EV(ProcStop))
static void second_generation_lies(struct raw_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].id == EV_EventBatch && l->at[i].args[0] == 2)
            l->at[i].args[3] = 5000;
}

#define NO_P "expected a proc but didn't have one"
#define NO_G "expected a goroutine but didn't have one"
#define NO_M "expected a thread but didn't have one"
#define STUCK "failed to advance"

const struct scenario order_scenarios[] = {
    BROKEN(22, "proc-status-unknown", proc_status_unknown, "invalid status for proc 0: 9"),
    BROKEN(22, "proc-status-differs", proc_status_differs, "inconsistent status for proc 0"),
    BROKEN(22, "proc-start-with-proc", proc_start_with_proc, STUCK),
    BROKEN(22, "proc-start-out-of-turn", proc_start_out_of_turn, STUCK),
    BROKEN(22, "proc-start-unknown", proc_start_unknown, STUCK),
    BROKEN(22, "proc-stop-without-proc", proc_stop_without, "ProcStop for proc .*that doesn't exist"),
    BROKEN(22, "proc-stop-twice", proc_stop_twice, "ProcStop for proc .*that doesn't exist"),
    BROKEN(22, "proc-start-without-thread", proc_start_no_thread, NO_M),
    BROKEN(22, "steal-without-thread", steal_no_thread, NO_M),
    BROKEN(22, "steal-running-proc", steal_running, STUCK),
    BROKEN(22, "steal-out-of-turn", steal_out_of_turn, STUCK),
    BROKEN(22, "steal-from-wrong-thread", steal_wrong_thread, "tried to steal proc 0 from thread 2, but got proc 1"),
    BROKEN(22, "steal-from-no-such-thread", steal_no_such_thread, "stole proc from non-existent thread 77"),
    BROKEN(22, "steal-other-proc-from-self", steal_self_other_proc, "tried to self-steal proc 0"),
    BROKEN(26, "abandoned-by-unknown-thread", abandoned_unknown_thread, "failed to find sched context for proc 0"),
    BROKEN(22, "status-unknown", go_status_unknown, "invalid status for goroutine 1: 9"),
    BROKEN(22, "status-differs", go_status_differs, "inconsistent status for goroutine 1"),
    BROKEN(22, "status-late", go_status_late, "new goroutine after the first generation"),
    BROKEN(22, "status-syscall-without-thread", go_syscall_no_thread, "goroutine 1 in syscall without a thread"),
    BROKEN(22, "status-syscall-of-other-thread", go_syscall_other_thread,
           "inconsistent thread for syscalling goroutine 2: thread has goroutine 1"),
    BROKEN(22, "status-syscall-moved", go_syscall_moved, "inconsistent thread for syscalling goroutine 2"),
    BROKEN(22, "create-without-proc", create_no_proc, NO_P),
    BROKEN(22, "create-in-syscall", create_in_syscall, "GoCreate event for goroutine that's not Running"),
    BROKEN(22, "create-existing", create_existing, "goroutine .?1.? that already exists"),
    BROKEN(23, "create-blocked-existing", create_blocked_existing, "goroutine .?1.? that already exists"),
    BROKEN(22, "create-syscall-existing", create_syscall_existing, "goroutine .?1.? in syscall that already exists"),
    BROKEN(22, "create-syscall-while-running", create_syscall_while_running, "expected no goroutine but had one"),
    BROKEN(22, "create-syscall-without-thread", create_syscall_no_thread, NO_M),
    BROKEN(22, "start-without-proc", start_no_proc, NO_P),
    BROKEN(22, "start-while-running", start_while_running, "expected no goroutine but had one"),
    BROKEN(22, "start-out-of-turn", start_out_of_turn, STUCK),
    BROKEN(22, "start-unknown", start_unknown, STUCK),
    BROKEN(22, "start-waiting", start_waiting, STUCK),
    BROKEN(22, "stop-without-goroutine", stop_no_goroutine, NO_G),
    BROKEN(22, "block-reason-unknown", block_reason_unknown, "found invalid string ID 99"),
    BROKEN(22, "block-stack-unknown", block_stack_unknown, "found invalid stack ID 99"),
    BROKEN(23, "unblock-stack-unknown", unblock_stack_unknown, "found invalid stack ID 99"),
    BROKEN(22, "syscall-stack-unknown", syscall_stack_unknown, "found invalid stack ID 99"),
    BROKEN(22, "stop-without-proc", stop_no_proc, NO_P),
    BROKEN(22, "block-twice", block_twice, NO_G),
    BROKEN(22, "block-in-syscall", block_in_syscall, "GoBlock event for goroutine that's not Running"),
    BROKEN(22, "destroy-twice", destroy_twice, NO_G),
    BROKEN(22, "stop-without-thread", stop_no_thread, NO_M),
    BROKEN(22, "unblock-running", unblock_running, STUCK),
    BROKEN(22, "unblock-out-of-turn", unblock_out_of_turn, STUCK),
    BROKEN(23, "switch-without-goroutine", switch_no_goroutine, NO_G),
    BROKEN(23, "switch-in-syscall", switch_in_syscall, "GoSwitch event for goroutine that's not Running"),
    BROKEN(23, "switch-to-runnable", switch_to_runnable, STUCK),
    BROKEN(23, "switch-out-of-turn", switch_out_of_turn, STUCK),
    BROKEN(22, "syscall-without-goroutine", syscall_no_goroutine, NO_G),
    BROKEN(22, "syscall-out-of-turn", syscall_out_of_turn, "can't make sequence"),
    BROKEN(22, "syscall-in-syscall", syscall_in_syscall, "GoSyscallBegin event for goroutine that's not Running"),
    BROKEN(22, "syscall-end-only", syscall_end_only, "GoSyscallEnd event for goroutine that's not "),
    BROKEN(22, "syscall-end-without-proc", syscall_end_no_proc, NO_P),
    BROKEN(22, "syscall-end-on-running-proc", syscall_end_proc_running,
           "expected proc 0 in state Syscall, but got Running"),
    BROKEN(22, "syscall-end-blocked-only", syscall_blocked_only, "GoSyscallEndBlocked event for goroutine that's not "),
    BROKEN(22, "syscall-end-blocked-with-proc", syscall_blocked_with_proc, STUCK),
    BROKEN(22, "syscall-end-blocked-without-goroutine", syscall_blocked_no_goroutine, NO_G),
    BROKEN(22, "destroy-syscall-while-running", destroy_syscall_running,
           "GoDestroySyscall event for goroutine that's not Syscall"),
    BROKEN(22, "destroy-syscall-without-goroutine", destroy_syscall_no_goroutine, NO_G),
    BROKEN(22, "destroy-syscall-on-running-proc", destroy_syscall_proc_running, "proc 0 in unexpected state Running"),
    LIED(22, "first-of-two-errors", first_of_two, NO_P, second_generation_lies),
    END,
};
