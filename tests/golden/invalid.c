/* Traces that a reader can put in order, but that break what the validator alone enforces. */
#include "tests/golden/scenario.h"

static void begin(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
}

/* Two generations whose clocks showed this: fields are trace time, monotonic time, seconds. */
static void clocks(struct trace *t, const uint64_t (*shown)[3])
{
    for (uint64_t gen = 1; gen <= 2; gen++) {
        const uint64_t *c = shown[gen - 1];
        generation_without_clock(t, gen);
        gotrace_builder_sync(t->b, 1000000000, c[0], c[1], c[2], 0);
        thread(t, 1);
        EV(ProcStatus, 0, PROC_RUNNING);
    }
}

#define RULE(name, ...)                                                                                                \
    static void name(struct trace *t)                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

RULE(no_mono, clocks(t, (const uint64_t[][3]){{5, 0, 9}, {6, 1, 10}}))
RULE(no_trace_time, clocks(t, (const uint64_t[][3]){{0, 5, 9}, {6, 6, 10}}))
RULE(mono_stands, clocks(t, (const uint64_t[][3]){{5, 5, 9}, {6, 5, 10}}))
RULE(wall_stands, clocks(t, (const uint64_t[][3]){{5, 5, 9}, {6, 6, 9}}))
RULE(trace_time_back, clocks(t, (const uint64_t[][3]){{6, 5, 9}, {5, 6, 10}}))
RULE(label_empty, begin(t), EV(GoLabel, 0))
RULE(dies_in_range, begin(t), EV(GCMarkAssistBegin, NO_STACK), EV(GoDestroy))
RULE(task_zero, begin(t), EV(UserTaskBegin, 0, 0, text(t, "a"), NO_STACK))
RULE(task_none, begin(t), EV(UserTaskBegin, UINT64_MAX, 0, text(t, "a"), NO_STACK))
RULE(two_procs, begin(t), EV(ProcStatus, 1, PROC_RUNNING))
RULE(two_goroutines, begin(t), EV(GoStatus, 2, 1, GO_RUNNING))
RULE(proc_on_no_thread, generation(t, 1), thread(t, ID_NONE), EV(ProcStatus, 0, PROC_RUNNING))

/* Whether a stack is fine is found out anew in each generation. */
static void frame_incomplete_later(struct trace *t)
{
    const struct gotrace_builder_frame good = {1, "f", "f.c", 2}, bad[] = {{0, "", "", 0}, {1, "f", "", 2}};
    begin(t);
    EV(ProcsChange, 1, gotrace_builder_stack(t->b, &good, 1));
    generation(t, 2);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GoStop, text(t, "tired"), gotrace_builder_stack(t->b, bad, 2));
}

static void frame_incomplete(struct trace *t)
{
    const struct gotrace_builder_frame frames[] = {{0, "", "", 0}, {1, "f", "", 2}};
    begin(t);
    EV(GoStop, text(t, "tired"), gotrace_builder_stack(t->b, frames, 2));
}

#define INVALID(nn, name, build, failure) {"v" #nn "-invalid-" name, nn, build, failure, NULL, NULL}

const struct scenario invalid_scenarios[] = {
    INVALID(25, "clock-without-mono", no_mono, "sync 1 has zero mono time"),
    INVALID(25, "clock-without-trace-time", no_trace_time, "sync 1 has zero trace time"),
    INVALID(25, "clock-mono-stands", mono_stands, "sync 2 has non-increasing mono time"),
    INVALID(26, "clock-wall-stands", wall_stands, "sync 2 has non-increasing wall time"),
    INVALID(26, "clock-trace-time-back", trace_time_back, "sync 2 has non-increasing trace time"),
    INVALID(22, "label-empty", label_empty, "empty label"),
    INVALID(22, "goroutine-dies-in-range", dies_in_range, "goroutine 1 died with active ranges"),
    INVALID(22, "task-background", task_zero, "invalid task ID 0"),
    INVALID(22, "task-none", task_none, "invalid task ID -1"),
    INVALID(22, "two-procs-on-thread", two_procs, "tried to run proc 1 when 0 was already executing on thread 1"),
    INVALID(22, "two-goroutines-on-thread", two_goroutines,
            "tried to run goroutine 2 when 1 was already executing on thread 1"),
    INVALID(22, "proc-on-no-thread", proc_on_no_thread, "proc 0 runs, but on no thread"),
    INVALID(22, "frame-incomplete", frame_incomplete, "frame 1: missing information"),
    INVALID(22, "frame-incomplete-later", frame_incomplete_later, "frame 1: missing information"),
    END,
};
