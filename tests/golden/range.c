/* Traces with broken ranges (collections, sweeps, assists, stops of the world), tasks, regions and annotations. */
#include "tests/golden/scenario.h"

static void begin(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
}

static void later(struct trace *t, uint64_t gen)
{
    generation(t, gen);
    thread(t, 1);
    running(t, 1, 0, 1);
}

static void go_on(struct trace *t) { later(t, 2); }

/* A thread with a proc and without a goroutine, or with neither. */
static void only_proc(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    EV(ProcStatus, 0, PROC_RUNNING);
}

static void only_goroutine(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    EV(GoStatus, 1, 1, GO_RUNNING);
}

static void bare(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
}

#define RULE(name, ...)                                                                                                \
    static void name(struct trace *t)                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

RULE(stw_twice, begin(t), EV(STWBegin, text(t, "a"), NO_STACK), EV(STWBegin, text(t, "a"), NO_STACK))
RULE(stw_end_only, begin(t), EV(STWEnd))
RULE(stw_no_goroutine, only_proc(t), EV(STWBegin, text(t, "a"), NO_STACK))
RULE(assist_twice, begin(t), EV(GCMarkAssistBegin, NO_STACK), EV(GCMarkAssistBegin, NO_STACK))
RULE(assist_end_only, begin(t), EV(GCMarkAssistEnd))
RULE(assist_end_no_goroutine, only_proc(t), EV(GCMarkAssistEnd))
RULE(assist_active_unknown, begin(t), EV(GCMarkAssistActive, 7))
RULE(assist_active_twice, begin(t), EV(GCMarkAssistActive, 1), EV(GCMarkAssistActive, 1))
RULE(assist_active_late, begin(t), go_on(t), EV(GCMarkAssistActive, 1))
RULE(gc_begin_later_no_goroutine, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCEnd, 6), EV(GoStop, 0, NO_STACK),
     EV(GCBegin, 7, NO_STACK))
RULE(gc_begin_later_no_proc, only_goroutine(t), EV(GCBegin, 5, NO_STACK), EV(ProcStatus, 0, PROC_RUNNING), EV(GCEnd, 6),
     EV(ProcStop), EV(GCBegin, 7, NO_STACK))
RULE(gc_active_no_goroutine, only_proc(t), EV(GCActive, 5), generation(t, 2), thread(t, 1),
     EV(ProcStatus, 0, PROC_RUNNING), EV(GCActive, 6))
RULE(gc_active_no_proc, only_goroutine(t), EV(GCActive, 5), generation(t, 2), thread(t, 1),
     EV(GoStatus, 1, 1, GO_RUNNING), EV(GCActive, 6))
RULE(sweep_twice, begin(t), EV(GCSweepBegin, NO_STACK), EV(GCSweepBegin, NO_STACK))
RULE(sweep_no_proc, bare(t), EV(GCSweepBegin, NO_STACK))
RULE(sweep_end_only, begin(t), EV(GCSweepEnd, 1, 1))
RULE(sweep_end_no_proc, bare(t), EV(GCSweepEnd, 1, 1))
RULE(sweep_active_unknown, begin(t), EV(GCSweepActive, 7))
RULE(sweep_active_late, begin(t), go_on(t), EV(GCSweepActive, 0))
RULE(gc_begin_out_of_turn, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCEnd, 6), EV(GCBegin, 9, NO_STACK))
RULE(gc_begin_twice, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCBegin, 6, NO_STACK))
RULE(gc_begin_no_goroutine, only_proc(t), EV(GCBegin, 5, NO_STACK), EV(GCActive, 6))
RULE(gc_end_out_of_turn, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCEnd, 7))
RULE(gc_end_only, begin(t), EV(GCEnd, 1))
RULE(gc_end_twice, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCEnd, 6), EV(GCEnd, 7))
RULE(gc_end_no_goroutine, begin(t), EV(GCBegin, 5, NO_STACK), thread(t, 2), EV(ProcStatus, 1, 1), EV(GCEnd, 6))
RULE(gc_active_late_in_generation, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCActive, 6))
RULE(gc_active_while_not, begin(t), EV(GCBegin, 5, NO_STACK), EV(GCEnd, 6), go_on(t), EV(GCActive, 7))
RULE(gc_active_out_of_turn, begin(t), EV(GCActive, 5), go_on(t), EV(GCActive, 5))
RULE(task_twice, begin(t), EV(UserTaskBegin, 3, 0, text(t, "a"), NO_STACK),
     EV(UserTaskBegin, 3, 0, text(t, "b"), NO_STACK))
RULE(task_unknown_name, begin(t), EV(UserTaskBegin, 3, 0, 99, NO_STACK))
RULE(task_no_goroutine, only_proc(t), EV(UserTaskBegin, 3, 0, 0, NO_STACK))
RULE(task_end_no_goroutine, only_proc(t), EV(UserTaskEnd, 3, NO_STACK))
RULE(region_other_end, begin(t), EV(UserRegionBegin, 0, text(t, "inner"), NO_STACK),
     EV(UserRegionEnd, 0, text(t, "outer"), NO_STACK))
RULE(region_other_task, begin(t), EV(UserRegionBegin, 1, text(t, "inner"), NO_STACK),
     EV(UserRegionEnd, 2, text(t, "inner"), NO_STACK))
/* A string under an ID that says something else in another generation. */
#define NAMED(id, name) gotrace_builder_string_as(t->b, id, name, sizeof name - 1)
RULE(region_id_reused, begin(t), NAMED(1, "inner"), EV(UserRegionBegin, 0, 1, NO_STACK),
     go_on(t), NAMED(1, "outer"), EV(UserRegionEnd, 0, 1, NO_STACK))
RULE(region_empty_id_reused, begin(t), NAMED(1, ""), EV(UserRegionBegin, 0, 1, NO_STACK),
     go_on(t), NAMED(1, "outer"), EV(UserRegionEnd, 0, 1, NO_STACK))
RULE(region_second_id_reused, begin(t), NAMED(1, "inner"), EV(UserRegionBegin, 0, 1, NO_STACK), go_on(t),
     NAMED(1, "inner"), NAMED(2, "second"), EV(UserRegionEnd, 0, 1, NO_STACK), EV(UserRegionBegin, 0, 2, NO_STACK),
     later(t, 3), NAMED(2, "outer"), EV(UserRegionEnd, 0, 2, NO_STACK))
/* The second goroutine takes the place of the first. */
RULE(region_of_next_id_reused, begin(t), NAMED(1, "inner"), EV(UserRegionBegin, 0, 1, NO_STACK), go_on(t),
     EV(GoDestroy), EV(GoCreate, 2, NO_STACK, NO_STACK), EV(GoStart, 2, 1), NAMED(2, "second"),
     EV(UserRegionBegin, 0, 2, NO_STACK), generation(t, 3), thread(t, 1), running(t, 1, 0, 2), NAMED(2, "outer"),
     EV(UserRegionEnd, 0, 2, NO_STACK))
RULE(region_unknown_name, begin(t), EV(UserRegionBegin, 0, 99, NO_STACK))
RULE(region_end_unknown_name, begin(t), EV(UserRegionEnd, 0, 99, NO_STACK))
RULE(region_no_goroutine, only_proc(t), EV(UserRegionBegin, 0, 0, NO_STACK))
RULE(region_end_no_goroutine, only_proc(t), EV(UserRegionEnd, 0, 0, NO_STACK))
RULE(log_no_goroutine, only_proc(t), EV(UserLog, 0, 0, 0, NO_STACK))
RULE(log_unknown_value, begin(t), EV(UserLog, 0, 0, 99, NO_STACK))
RULE(label_no_goroutine, only_proc(t), EV(GoLabel, 0))
RULE(procs_no_goroutine, only_proc(t), EV(ProcsChange, 4, NO_STACK))
RULE(heap_no_proc, bare(t), EV(HeapAlloc, 4))
RULE(goal_no_proc, bare(t), EV(HeapGoal, 4))
RULE(experiment_no_thread, generation(t, 1), thread(t, ID_NONE), EV(SpanFree, 4))

#define NO_P "expected a proc but didn't have one"
#define NO_G "expected a goroutine but didn't have one"
#define STUCK "failed to advance"

const struct scenario range_scenarios[] = {
    BROKEN(22, "stw-twice", stw_twice, "already in-flight for when starting event STWBegin"),
    BROKEN(22, "stw-end-only", stw_end_only, "tried to end event STWBegin, but not in-flight"),
    BROKEN(22, "stw-without-goroutine", stw_no_goroutine, NO_G),
    BROKEN(22, "assist-twice", assist_twice, "already in-flight for when starting event GCMarkAssistBegin"),
    BROKEN(22, "assist-end-only", assist_end_only, "tried to end event GCMarkAssistBegin, but not in-flight"),
    BROKEN(22, "assist-end-without-goroutine", assist_end_no_goroutine, NO_G),
    BROKEN(22, "assist-active-unknown", assist_active_unknown,
           "uninitialized goroutine 7 found during GCMarkAssistActive"),
    BROKEN(22, "assist-active-twice", assist_active_twice, "named active range already in first gen"),
    BROKEN(22, "assist-active-late", assist_active_late, "resource is missing active range: GCMarkAssistBegin"),
    BROKEN(22, "sweep-twice", sweep_twice, "already in-flight for when starting event GCSweepBegin"),
    BROKEN(22, "sweep-without-proc", sweep_no_proc, NO_P),
    BROKEN(22, "sweep-end-only", sweep_end_only, "tried to end event GCSweepBegin, but not in-flight"),
    BROKEN(22, "sweep-end-without-proc", sweep_end_no_proc, NO_P),
    BROKEN(22, "sweep-active-unknown", sweep_active_unknown, "GCSweepActive for unknown proc 7"),
    BROKEN(22, "sweep-active-late", sweep_active_late, "resource is missing active range: GCSweepBegin"),
    BROKEN(22, "gc-begin-out-of-turn", gc_begin_out_of_turn, STUCK),
    BROKEN(22, "gc-begin-twice", gc_begin_twice, "GCBegin while GC was already in progress"),
    BROKEN(22, "gc-active-after-begin", gc_begin_no_goroutine, "GCActive in the first generation isn't first GC event"),
    BROKEN(22, "gc-begin-without-goroutine", gc_begin_later_no_goroutine, NO_G),
    BROKEN(22, "gc-begin-without-proc", gc_begin_later_no_proc, NO_P),
    BROKEN(22, "gc-active-without-goroutine", gc_active_no_goroutine, NO_G),
    BROKEN(22, "gc-active-without-proc", gc_active_no_proc, NO_P),
    BROKEN(22, "gc-end-out-of-turn", gc_end_out_of_turn, STUCK),
    BROKEN(22, "gc-end-only", gc_end_only, "GCEnd when GC was in an undetermined state"),
    BROKEN(22, "gc-end-twice", gc_end_twice, "GCEnd when GC was not in progress"),
    BROKEN(22, "gc-end-without-goroutine", gc_end_no_goroutine, NO_G),
    BROKEN(22, "gc-active-late", gc_active_late_in_generation, "GCActive in the first generation isn't first GC event"),
    BROKEN(22, "gc-active-while-not", gc_active_while_not, "GCActive while GC was not in progress"),
    BROKEN(22, "gc-active-out-of-turn", gc_active_out_of_turn, STUCK),
    BROKEN(22, "task-twice", task_twice, "task ID conflict: 3"),
    BROKEN(22, "task-name-unknown", task_unknown_name, "invalid string ID 99"),
    BROKEN(22, "task-without-goroutine", task_no_goroutine, NO_G),
    BROKEN(22, "task-end-without-goroutine", task_end_no_goroutine, NO_G),
    BROKEN(22, "region-ends-other", region_other_end, "misuse of region in goroutine 1"),
    BROKEN(22, "region-ends-other-task", region_other_task, "misuse of region in goroutine 1"),
    BROKEN(22, "region-ends-other-of-the-same-id", region_id_reused, "misuse of region in goroutine 1"),
    BROKEN(22, "region-second-ends-other-of-the-same-id", region_second_id_reused, "misuse of region in goroutine 1"),
    BROKEN(22, "region-of-next-ends-other-of-the-same-id", region_of_next_id_reused, "misuse of region in goroutine 2"),
    BROKEN(22, "region-without-name-ends-other", region_empty_id_reused, "misuse of region in goroutine 1"),
    BROKEN(22, "region-name-unknown", region_unknown_name, "invalid string ID 99"),
    BROKEN(22, "region-end-name-unknown", region_end_unknown_name, "invalid string ID 99"),
    BROKEN(22, "region-without-goroutine", region_no_goroutine, NO_G),
    BROKEN(22, "region-end-without-goroutine", region_end_no_goroutine, NO_G),
    BROKEN(22, "log-without-goroutine", log_no_goroutine, NO_G),
    BROKEN(22, "log-value-unknown", log_unknown_value, "invalid string ID 99"),
    BROKEN(22, "label-without-goroutine", label_no_goroutine, NO_G),
    BROKEN(22, "procs-without-goroutine", procs_no_goroutine, NO_G),
    BROKEN(22, "heap-without-proc", heap_no_proc, NO_P),
    BROKEN(22, "goal-without-proc", goal_no_proc, NO_P),
    BROKEN(23, "experiment-without-thread", experiment_no_thread, "expected a thread but didn't have one"),
    END,
};
