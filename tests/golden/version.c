/* What came after 1.22: coroutines, statuses with stacks, experiments, clock snapshots, ends of generations. */
#include "tests/golden/scenario.h"

static void coroutines(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GoCreateBlocked, 2, stack(t, 1, 1), stack(t, 2, 2));
    EV(GoSwitch, 2, 1);
    EV(GoSwitch, 1, 1);
    EV(GoCreateBlocked, 3, NO_STACK, NO_STACK);
    EV(GoSwitch, 3, 1);
    EV(GoSwitchDestroy, 2, 2);
    EV(GoSwitchDestroy, 1, 2);
    EV(GoStop, text(t, "preempted"), NO_STACK);
}

/* The coroutine is switched to by another thread than the one that left it. */
static void coroutine_moves(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GoCreateBlocked, 3, NO_STACK, NO_STACK);
    EV(GoSwitch, 3, 1);
    EV(GoSwitch, 1, 1);
    t->now = 10;
    thread(t, 2);
    running(t, 2, 1, 2);
    EV(GoSwitch, 3, 2);
    generation(t, 2);
    thread(t, 2);
    running(t, 2, 1, 3);
    EV(GoSwitchDestroy, 2, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    t->now = 10;
    thread(t, ID_NONE);
    EV(GoStatus, 2, ID_NONE, GO_WAITING);
}

static void status_with_stack(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    thread(t, ID_NONE);
    EV(GoStatusStack, 2, ID_NONE, GO_WAITING, stack(t, 1, 3));
    EV(GoStatusStack, 3, 8, GO_SYSCALL, stack(t, 2, 1));
    EV(GoStatusStack, 4, ID_NONE, GO_RUNNABLE, NO_STACK);
    generation(t, 2);
    thread(t, 1);
    EV(ProcStatus, 0, PROC_RUNNING);
    EV(GoStatusStack, 1, 1, GO_RUNNING, stack(t, 1, 2));
    thread(t, ID_NONE);
    EV(GoStatusStack, 2, ID_NONE, GO_WAITING, stack(t, 1, 3));
    EV(GoStatusStack, 3, 8, GO_SYSCALL, NO_STACK);
    EV(GoStatusStack, 4, ID_NONE, GO_RUNNABLE, NO_STACK);
}

static void experiment(struct trace *t)
{
    generation(t, 1);
    gotrace_builder_experimental(t->b, 1, ID_NONE, t->now, "\x01\x02", 2);
    gotrace_builder_experimental(t->b, 1, 4, t->now, "", 0);
    thread(t, 1);
    EV(Span, 1, 2, 3);
    running(t, 1, 0, 1);
    EV(SpanAlloc, 2, 8, 1);
    EV(SpanFree, 2);
    EV(HeapObject, 1, 0);
    EV(HeapObjectAlloc, 2, 5);
    EV(HeapObjectFree, 2);
    EV(GoroutineStack, 1, 0);
    EV(GoroutineStackAlloc, 2, 3);
    EV(GoroutineStackFree, 2);
}

static void frequency_changes(struct trace *t)
{
    for (uint64_t gen = 1; gen <= 3; gen++) {
        generation_without_clock(t, gen);
        gotrace_builder_sync(t->b, gen == 1 ? 1000000000 : 500000000, 10 * gen, 0, 0, 0);
        t->now = 10 * gen + 5;
        if (gen == 2)
            continue;
        thread(t, 1);
        EV(ProcStatus, 0, PROC_RUNNING);
    }
}

static void clock(struct trace *t)
{
    for (uint64_t gen = 1; gen <= 3; gen++) {
        generation_without_clock(t, gen);
        gotrace_builder_sync(t->b, 1000000000 / gen, 100 * gen, 1000 * gen, 1700000000 + gen, 999999990 + gen);
        t->now = 100 * gen + 5;
        if (gen == 2)
            continue;
        thread(t, 1);
        running(t, 1, 0, 1);
    }
}

const struct scenario version_scenarios[] = {
    GOOD(23, "coroutines", coroutines),
    GOOD(23, "coroutine-moves", coroutine_moves),
    GOOD(26, "coroutine-moves", coroutine_moves),
    GOOD(23, "status-with-stack", status_with_stack),
    GOOD(23, "experiment", experiment),
    GOOD(26, "experiment", experiment),
    GOOD(22, "frequency-changes", frequency_changes),
    GOOD(23, "frequency-changes", frequency_changes),
    GOOD(25, "clock", clock),
    GOOD(26, "clock", clock),
    END,
};
