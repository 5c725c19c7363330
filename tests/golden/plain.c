/* What a sound program does: running, waiting, waking, creating, annotating, collecting garbage. */
#include "tests/golden/scenario.h"

static void annotations(struct trace *t)
{
    generation(t, 1);
    thread(t, 7);
    running(t, 7, 0, 1);
    EV(GoLabel, text(t, "GC worker"));
    EV(UserTaskBegin, 1, 0, text(t, "harvest"), stack(t, 1, 3));
    EV(UserTaskBegin, 2, 1, text(t, "apples"), NO_STACK);
    EV(UserRegionBegin, 2, text(t, "pick"), stack(t, 2, 2));
    EV(UserRegionBegin, 0, text(t, "rest"), NO_STACK);
    EV(UserLog, 2, text(t, "colour"), text(t, "red \"and\" green\n"), stack(t, 1, 3));
    EV(UserLog, 1, 0, text(t, "no key"), NO_STACK);
    EV(UserRegionEnd, 0, text(t, "rest"), NO_STACK);
    EV(UserRegionEnd, 2, text(t, "pick"), NO_STACK);
    EV(UserTaskEnd, 2, stack(t, 3, 1));
    EV(UserTaskEnd, 1, NO_STACK);
    EV(UserTaskBegin, 2, 0, 0, NO_STACK);
}

static void ends_of_what_began_before(struct trace *t)
{
    generation(t, 1);
    thread(t, 7);
    running(t, 7, 0, 1);
    EV(UserRegionEnd, 5, text(t, "long ago"), NO_STACK);
    EV(UserTaskEnd, 5, NO_STACK);
    EV(UserTaskEnd, 5, NO_STACK);
}

static void annotations_of_many(struct trace *t)
{
    for (uint64_t gen = 1; gen <= 3; gen++) {
        generation(t, gen);
        for (uint64_t m = 10; m < 16; m++) {
            thread(t, m);
            running(t, m, m - 10, m);
            for (uint64_t i = 0; i < 4; i++) {
                uint64_t task = gen * 1000 + m * 10 + i;
                EV(UserTaskBegin, task, i ? task - 1 : 0, text(t, i % 2 ? "odd" : "even"), stack(t, (unsigned)m, 2));
                EV(UserRegionBegin, task, text(t, "work"), NO_STACK);
                EV(UserLog, task, text(t, "step"), text(t, m % 2 ? "left" : "right"), NO_STACK);
                EV(UserRegionEnd, task, text(t, "work"), NO_STACK);
                if (i != 3)
                    EV(UserTaskEnd, task, NO_STACK);
            }
        }
    }
}

static void task_over_generations(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    running(t, 0, 0, 1);
    EV(UserTaskBegin, 9, 0, text(t, "migration"), NO_STACK);
    EV(UserRegionBegin, 9, text(t, "flight"), NO_STACK);
    generation(t, 2);
    thread(t, 0);
    running(t, 0, 0, 1);
    uint64_t other = text(t, "something else, so that ids differ");
    EV(UserLog, 9, other, other, NO_STACK);
    EV(UserRegionEnd, 9, text(t, "flight"), NO_STACK);
    EV(UserTaskEnd, 9, NO_STACK);
}

/* A wait that another thread ends, one that a thread without proc ends, one that nobody in particular ends. */
static void block_and_wake(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    uint64_t why = text(t, "sync"), where = stack(t, 4, 3);
    for (uint64_t seq = 1; seq < 6; seq += 2) {
        EV(GoBlock, why, where);
        EV(GoStart, 1, seq + 1);
    }
    EV(GoStop, text(t, "preempted"), where);
    t->now = 12;
    thread(t, 2);
    running(t, 2, 1, 2);
    EV(GoUnblock, 1, 1, where);
    thread(t, 3);
    EV(GoUnblock, 1, 3, NO_STACK);
    thread(t, ID_NONE);
    EV(GoUnblock, 1, 5, NO_STACK);
}

static void create_and_destroy(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(ProcsChange, 8, stack(t, 1, 2));
    EV(GoCreate, 2, stack(t, 2, 1), stack(t, 3, 2));
    EV(GoDestroy);
    EV(GoStart, 2, 1);
    EV(GoCreate, 1, NO_STACK, NO_STACK);
    EV(GoDestroy);
    EV(ProcStop);
    EV(ProcStart, 0, 1);
    EV(GoStart, 1, 1);
}

static void create_on_bare_proc(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    EV(ProcStatus, 0, PROC_RUNNING);
    EV(GoCreate, 5, NO_STACK, NO_STACK);
    EV(GoStart, 5, 1);
    EV(GoStop, text(t, "tired"), NO_STACK);
}

/* A GoStart whose number would fit the generation before must wait for the goroutine's status in its own. */
static void numbers_start_over(struct trace *t)
{
    generation(t, 1);
    thread(t, 0);
    running(t, 0, 0, 1);
    EV(GoStop, text(t, "tired"), NO_STACK);
    thread(t, 1);
    EV(ProcStatus, 1, PROC_RUNNING);
    EV(GoStart, 1, 1);
    EV(GoStop, text(t, "tired"), NO_STACK);
    generation(t, 2);
    thread(t, 1);
    EV(ProcStatus, 1, PROC_RUNNING);
    EV(GoStart, 1, 2);
    thread(t, 0);
    EV(ProcStatus, 0, PROC_RUNNING);
    EV(GoStatus, 1, 0, GO_RUNNABLE);
    EV(GoStart, 1, 1);
    EV(GoStop, text(t, "tired"), NO_STACK);
}

/* Times run against causes: only the numbers tell the order. */
static void times_lie(struct trace *t)
{
    generation(t, 1);
    t->now = 1000;
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GoCreate, 2, NO_STACK, NO_STACK);
    EV(GoBlock, text(t, "select"), NO_STACK);
    EV(ProcStop);
    t->now = 500;
    thread(t, 2);
    EV(ProcStart, 0, 1);
    EV(GoStart, 2, 1);
    EV(GoUnblock, 1, 1, NO_STACK);
    EV(GoDestroy);
    EV(ProcStop);
    t->now = 1;
    thread(t, 3);
    EV(ProcStart, 0, 2);
    EV(GoStart, 1, 2);
}

static void syscalls_over_generations(struct trace *t)
{
    generation(t, 4);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GoSyscallBegin, 1, stack(t, 1, 4));
    EV(GoSyscallEnd);
    EV(GoSyscallBegin, 2, stack(t, 1, 4));
    thread(t, ID_NONE);
    EV(GoStatus, 2, 9, GO_SYSCALL);
    EV(GoStatus, 3, ID_NONE, GO_WAITING);
    EV(ProcStatus, 3, PROC_IDLE);
    generation(t, 5);
    thread(t, 1);
    EV(ProcStatus, 0, PROC_SYSCALL);
    EV(GoStatus, 1, 1, GO_SYSCALL);
    EV(GoSyscallEnd);
    thread(t, ID_NONE);
    EV(GoStatus, 2, 9, GO_SYSCALL);
    EV(GoStatus, 3, ID_NONE, GO_WAITING);
    EV(ProcStatus, 3, PROC_IDLE);
    thread(t, 9);
    EV(ProcStart, 3, 1);
    EV(GoSyscallEndBlocked);
    EV(GoStart, 2, 1);
    EV(ProcStatus, 4, PROC_IDLE);
}

/* A thread that nobody announced calls in, runs, goes back out and ends. */
static void foreign_thread(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    generation(t, 2);
    thread(t, 1);
    running(t, 1, 0, 1);
    thread(t, 2);
    EV(GoCreateSyscall, 8);
    EV(ProcStatus, 1, PROC_IDLE);
    EV(ProcStart, 1, 1);
    EV(GoSyscallEndBlocked);
    EV(GoStart, 8, 1);
    EV(GoSyscallBegin, 2, NO_STACK);
    EV(GoDestroySyscall);
}

static void samples(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    sample(t, 1, 0, 1, stack(t, 1, 5));
    EV(GoStop, text(t, "preempted"), NO_STACK);
    t->now += 10;
    sample(t, 1, 0, 0, stack(t, 2, 2));
    sample(t, 4, ID_NONE, 0, stack(t, 1, 5));
    t->now -= 15;
    sample(t, 4, ID_NONE, 0, NO_STACK);
}

static void samples_alone(struct trace *t)
{
    generation(t, 1);
    sample(t, 1, 0, 1, stack(t, 1, 1));
}

/* Two stops of the world at once, for different reasons. */
static void stops_within_a_stop(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(STWBegin, text(t, "outer"), NO_STACK);
    EV(STWBegin, text(t, "inner"), NO_STACK);
    EV(STWEnd);
    EV(STWEnd);
}

static void collection(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GCSweepBegin, NO_STACK);
    EV(GCSweepEnd, 8192, 4096);
    EV(HeapAlloc, 1 << 20);
    EV(GCBegin, 7, stack(t, 1, 3));
    EV(STWBegin, text(t, "GC sweep termination"), stack(t, 1, 2));
    EV(HeapGoal, 4 << 20);
    EV(STWEnd);
    EV(GCMarkAssistBegin, stack(t, 2, 3));
    thread(t, 2);
    running(t, 2, 1, 2);
    EV(GCMarkAssistBegin, NO_STACK);
    EV(GCMarkAssistEnd);
    EV(GCSweepBegin, NO_STACK);
    generation(t, 2);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GCActive, 8);
    EV(GCMarkAssistActive, 1);
    EV(GCMarkAssistEnd);
    EV(GCEnd, 9);
    EV(HeapAlloc, 1 << 19);
    thread(t, 2);
    running(t, 2, 1, 2);
    EV(GCSweepActive, 1);
    EV(GCSweepEnd, 0, 0);
    EV(GCBegin, 10, NO_STACK);
    EV(GCEnd, 11);
}

static void collection_from_the_start(struct trace *t)
{
    generation(t, 1);
    thread(t, 2);
    running(t, 2, 1, 2);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GCActive, 3);
    EV(GCSweepActive, 0);
    EV(GCMarkAssistActive, 2);
    EV(GCSweepEnd, 1, 1);
    EV(GCEnd, 4);
    thread(t, 2);
    EV(GCMarkAssistEnd);
    t->now = 10;
    thread(t, ID_NONE);
    EV(GoStatus, 3, ID_NONE, GO_WAITING);
}

static void nothing(struct trace *t) { generation(t, 1); }

/* Tables at the format's limits, ids from everywhere. */
static void full_tables(struct trace *t)
{
    char long_text[STRING_MAX_SIZE + 1];
    for (int i = 0; i < STRING_MAX_SIZE; i++)
        long_text[i] = (char)('a' + i % 26);
    long_text[STRING_MAX_SIZE] = 0;
    generation(t, UINT64_C(1) << 40);
    thread(t, UINT64_MAX - 1);
    running(t, UINT64_MAX - 1, 0, UINT64_C(1) << 50);
    gotrace_builder_string_as(t->b, 100000, "far", 3);
    EV(GoLabel, text(t, long_text));
    EV(GoLabel, 100000);
    EV(GoStop, text(t, "\xff\x01 not UTF-8 \xc3\xa9 \xe2\x80\xa8"), stack(t, 1, STACK_MAX_FRAMES));
}

static void many_batches(struct trace *t)
{
    generation(t, 1);
    for (uint64_t i = 0; i < 30; i++) {
        thread(t, i % 3);
        if (i < 3)
            running(t, i, i, i + 1);
        EV(HeapAlloc, i);
    }
    thread(t, 5);
}

const struct scenario plain_scenarios[] = {
    GOOD(22, "annotations", annotations),
    GOOD(22, "annotations-end-what-began-before", ends_of_what_began_before),
    GOOD(22, "annotations-of-many", annotations_of_many),
    GOOD(22, "task-over-generations", task_over_generations),
    GOOD(22, "block-and-wake", block_and_wake),
    GOOD(22, "create-and-destroy", create_and_destroy),
    GOOD(22, "create-on-bare-proc", create_on_bare_proc),
    GOOD(22, "numbers-start-over", numbers_start_over),
    GOOD(22, "times-lie", times_lie),
    GOOD(22, "syscalls-over-generations", syscalls_over_generations),
    GOOD(22, "foreign-thread", foreign_thread),
    GOOD(22, "samples", samples),
    GOOD(22, "samples-alone", samples_alone),
    GOOD(22, "collection", collection),
    GOOD(22, "stops-within-a-stop", stops_within_a_stop),
    GOOD(22, "collection-from-the-start", collection_from_the_start),
    GOOD(22, "nothing", nothing),
    GOOD(22, "full-tables", full_tables),
    GOOD(22, "many-batches", many_batches),
    END,
};
