/* What an event says, by kind. */
#include "parser/event.h"

#include <string.h>

const uint8_t go_states[5] = {
    [GO_RUNNABLE] = GOTRACE_STATE_RUNNABLE,
    [GO_RUNNING] = GOTRACE_STATE_RUNNING,
    [GO_SYSCALL] = GOTRACE_STATE_SYSCALL,
    [GO_WAITING] = GOTRACE_STATE_WAITING,
};

const uint8_t proc_states[5] = {
    [PROC_RUNNING] = GOTRACE_STATE_RUNNING,
    [PROC_IDLE] = GOTRACE_STATE_IDLE,
    [PROC_SYSCALL] = GOTRACE_STATE_RUNNING,
    [PROC_SYSCALL_ABANDONED] = GOTRACE_STATE_IDLE,
};

/* What events.def has and the rest of this table has not is known by name, and by those of its arguments. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
const uint8_t event_kinds[256] = {
#define GOTRACE_EVENT(id, name, since, cls, ...)                                                                       \
    [id] = EVENT_##cls == EVENT_TIMED ? GOTRACE_KIND_EXPERIMENTAL : GOTRACE_KIND_BAD,
#include "gotrace/events.def"
#undef GOTRACE_EVENT
    [EV_ClockSnapshot] = GOTRACE_KIND_BAD,
    [EV_CPUSample] = GOTRACE_KIND_STACK_SAMPLE,
    [EV_ProcsChange] = GOTRACE_KIND_METRIC,
    [EV_ProcStart... EV_GoStatus] = GOTRACE_KIND_TRANSITION,
    [EV_STWBegin] = GOTRACE_KIND_RANGE_BEGIN,
    [EV_STWEnd] = GOTRACE_KIND_RANGE_END,
    [EV_GCActive] = GOTRACE_KIND_RANGE_ACTIVE,
    [EV_GCBegin] = GOTRACE_KIND_RANGE_BEGIN,
    [EV_GCEnd] = GOTRACE_KIND_RANGE_END,
    [EV_GCSweepActive] = GOTRACE_KIND_RANGE_ACTIVE,
    [EV_GCSweepBegin] = GOTRACE_KIND_RANGE_BEGIN,
    [EV_GCSweepEnd] = GOTRACE_KIND_RANGE_END,
    [EV_GCMarkAssistActive] = GOTRACE_KIND_RANGE_ACTIVE,
    [EV_GCMarkAssistBegin] = GOTRACE_KIND_RANGE_BEGIN,
    [EV_GCMarkAssistEnd] = GOTRACE_KIND_RANGE_END,
    [EV_HeapAlloc] = GOTRACE_KIND_METRIC,
    [EV_HeapGoal] = GOTRACE_KIND_METRIC,
    [EV_GoLabel] = GOTRACE_KIND_LABEL,
    [EV_UserTaskBegin] = GOTRACE_KIND_TASK_BEGIN,
    [EV_UserTaskEnd] = GOTRACE_KIND_TASK_END,
    [EV_UserRegionBegin] = GOTRACE_KIND_REGION_BEGIN,
    [EV_UserRegionEnd] = GOTRACE_KIND_REGION_END,
    [EV_UserLog] = GOTRACE_KIND_LOG,
    [EV_GoSwitch... EV_GoStatusStack] = GOTRACE_KIND_TRANSITION,
    [EV_SYNC_POINT] = GOTRACE_KIND_SYNC,
};
#pragma GCC diagnostic pop

static struct gotrace_str str(const struct gotrace_event *ev, unsigned arg)
{
    return generation_string(ev->tables, ev->args[arg]);
}

struct place event_place(const struct gotrace_event *ev)
{
    return (struct place){gotrace_event_generation(ev), ev->thread, gotrace_event_offset(ev), gotrace_event_name(ev)};
}

enum gotrace_kind gotrace_event_kind(const struct gotrace_event *ev)
{
    return event_kinds[ev->type];
}

const char *gotrace_kind_name(enum gotrace_kind kind)
{
    static const char *const names[] = {
        [GOTRACE_KIND_BAD] = "Bad",
        [GOTRACE_KIND_SYNC] = "Sync",
        [GOTRACE_KIND_METRIC] = "Metric",
        [GOTRACE_KIND_LABEL] = "Label",
        [GOTRACE_KIND_STACK_SAMPLE] = "StackSample",
        [GOTRACE_KIND_RANGE_BEGIN] = "RangeBegin",
        [GOTRACE_KIND_RANGE_ACTIVE] = "RangeActive",
        [GOTRACE_KIND_RANGE_END] = "RangeEnd",
        [GOTRACE_KIND_TASK_BEGIN] = "TaskBegin",
        [GOTRACE_KIND_TASK_END] = "TaskEnd",
        [GOTRACE_KIND_REGION_BEGIN] = "RegionBegin",
        [GOTRACE_KIND_REGION_END] = "RegionEnd",
        [GOTRACE_KIND_LOG] = "Log",
        [GOTRACE_KIND_TRANSITION] = "StateTransition",
        [GOTRACE_KIND_EXPERIMENTAL] = "Experimental",
    };
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : names[GOTRACE_KIND_BAD];
}

const char *gotrace_event_name(const struct gotrace_event *ev)
{
    return ev->type == EV_SYNC_POINT ? "Sync" : event_name(ev->type);
}

int64_t gotrace_event_time(const struct gotrace_event *ev)
{
    return ev->time;
}

uint64_t gotrace_event_thread(const struct gotrace_event *ev)
{
    return ev->thread;
}

uint64_t gotrace_event_proc(const struct gotrace_event *ev)
{
    return ev->proc;
}

uint64_t gotrace_event_goroutine(const struct gotrace_event *ev)
{
    return ev->goroutine;
}

uint64_t gotrace_event_generation(const struct gotrace_event *ev)
{
    return ev->tables ? ev->tables->number : 0;
}

uint64_t gotrace_event_offset(const struct gotrace_event *ev)
{
    return ev->origin + (uint64_t)(uintptr_t)ev->at;
}

struct gotrace_stack gotrace_event_stack(const struct gotrace_event *ev)
{
    uint64_t id = event_own_stack(ev);
    return id || ev->type == EV_CPUSample ? event_stack(ev, id) : (struct gotrace_stack){0};
}

static const struct stack *find_stack(struct gotrace_stack s)
{
    const struct generation *g = s.reader;
    uint32_t i = g && g->serial == s.serial ? idmap_get(&g->stack_of, s.id) : 0;
    return i ? &g->stacks.v[i - 1] : NULL;
}

bool gotrace_stack_equal(struct gotrace_stack a, struct gotrace_stack b)
{
    return a.reader == b.reader && a.serial == b.serial && a.id == b.id;
}

size_t gotrace_stack_len(struct gotrace_stack s)
{
    const struct stack *found = find_stack(s);
    return found ? found->n : 0;
}

bool gotrace_stack_frame(struct gotrace_stack s, size_t i, struct gotrace_frame *out)
{
    const struct stack *found = find_stack(s);
    const struct generation *g = s.reader;
    *out = (struct gotrace_frame){0};
    if (!found || i >= found->n)
        return false;
    const struct frame *frame = &g->frames.v[g->pcs.v[found->first + i]];
    *out = (struct gotrace_frame){.pc = frame->pc,
                                  .function = generation_string(g, frame->function),
                                  .file = generation_string(g, frame->file),
                                  .line = frame->line};
    return true;
}

const char *gotrace_state_name(enum gotrace_state state)
{
#define NAME(state, name) [GOTRACE_STATE_##state] = name,
    static const char *const names[] = {EVENT_STATES(NAME)};
#undef NAME
    return (size_t)state < sizeof names / sizeof names[0] ? names[state] : "Bad";
}

#define GO GOTRACE_RESOURCE_GOROUTINE
#define PROC GOTRACE_RESOURCE_PROC
const struct shape event_shapes[256] = {
    [EV_ProcStart] = {PROC, true, GOTRACE_STATE_IDLE, GOTRACE_STATE_RUNNING},
    [EV_ProcStop] = {PROC, false, GOTRACE_STATE_RUNNING, GOTRACE_STATE_IDLE},
    [EV_ProcSteal] = {PROC, true, FROM_EVENT, GOTRACE_STATE_IDLE},
    [EV_ProcStatus] = {PROC, true, FROM_EVENT, FROM_EVENT},
    [EV_GoCreate] = {GO, true, GOTRACE_STATE_NOT_EXIST, GOTRACE_STATE_RUNNABLE},
    [EV_GoCreateBlocked] = {GO, true, GOTRACE_STATE_NOT_EXIST, GOTRACE_STATE_WAITING},
    [EV_GoCreateSyscall] = {GO, true, GOTRACE_STATE_NOT_EXIST, GOTRACE_STATE_SYSCALL},
    [EV_GoStart] = {GO, true, GOTRACE_STATE_RUNNABLE, GOTRACE_STATE_RUNNING},
    [EV_GoDestroy] = {GO, false, GOTRACE_STATE_RUNNING, GOTRACE_STATE_NOT_EXIST},
    [EV_GoDestroySyscall] = {GO, false, GOTRACE_STATE_SYSCALL, GOTRACE_STATE_NOT_EXIST},
    [EV_GoStop] = {GO, false, GOTRACE_STATE_RUNNING, GOTRACE_STATE_RUNNABLE},
    [EV_GoBlock] = {GO, false, GOTRACE_STATE_RUNNING, GOTRACE_STATE_WAITING},
    [EV_GoUnblock] = {GO, true, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE},
    /* What else a switch does are events of their own. */
    [EV_GoSwitch] = {GO, true, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE},
    [EV_GoSwitchDestroy] = {GO, true, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE},
    [EV_GoSyscallBegin] = {GO, false, GOTRACE_STATE_RUNNING, GOTRACE_STATE_SYSCALL},
    [EV_GoSyscallEnd] = {GO, false, GOTRACE_STATE_SYSCALL, GOTRACE_STATE_RUNNING},
    [EV_GoSyscallEndBlocked] = {GO, false, GOTRACE_STATE_SYSCALL, GOTRACE_STATE_RUNNABLE},
    [EV_GoStatus] = {GO, true, FROM_EVENT, FROM_EVENT},
    [EV_GoStatusStack] = {GO, true, FROM_EVENT, FROM_EVENT},
};

/* Zeroes *out and says whether the event is of the kind. */
#define IS(ev, first_kind, last_kind, out)                                                                             \
    (*(out) = (__typeof__(*(out))){0},                                                                                 \
     event_kinds[(ev)->type] >= (first_kind) && event_kinds[(ev)->type] <= (last_kind))

bool gotrace_event_transition(const struct gotrace_event *ev, struct gotrace_transition *out)
{
    if (!IS(ev, GOTRACE_KIND_TRANSITION, GOTRACE_KIND_TRANSITION, out))
        return false;
    struct shape shape = event_shapes[ev->type];
    out->resource.kind = shape.kind;
    out->resource.id = shape.named ? ev->args[0] : shape.kind == GO ? ev->goroutine : ev->proc;
    out->from = shape.from == FROM_EVENT ? ev->from : shape.from;
    out->to = shape.to == FROM_EVENT ? ev->to : shape.to;
    out->reason = ev->type == EV_GoStop || ev->type == EV_GoBlock ? str(ev, 0) : (struct gotrace_str){"", 0};
    uint64_t id;
    if (event_transition_stack(ev, &id))
        out->stack = event_stack(ev, id);
    return true;
}

bool gotrace_event_metric(const struct gotrace_event *ev, struct gotrace_metric *out)
{
    if (!IS(ev, GOTRACE_KIND_METRIC, GOTRACE_KIND_METRIC, out))
        return false;
    out->name = ev->type == EV_ProcsChange ? "/sched/gomaxprocs:threads"
                : ev->type == EV_HeapAlloc ? "/memory/classes/heap/objects:bytes"
                                           : "/gc/heap/goal:bytes";
    out->value = ev->args[0];
    return true;
}

bool gotrace_event_label(const struct gotrace_event *ev, struct gotrace_label *out)
{
    if (!IS(ev, GOTRACE_KIND_LABEL, GOTRACE_KIND_LABEL, out))
        return false;
    out->resource = (struct gotrace_resource){GOTRACE_RESOURCE_GOROUTINE, ev->goroutine};
    out->label = str(ev, 0);
    return true;
}

bool gotrace_event_range(const struct gotrace_event *ev, struct gotrace_range *out)
{
    if (!IS(ev, GOTRACE_KIND_RANGE_BEGIN, GOTRACE_KIND_RANGE_END, out))
        return false;
    out->detail.data = "";
    switch (event_table[ev->type].pair ? event_table[ev->type].pair : ev->type) {
    case EV_STWBegin:
        out->name = "stop-the-world";
        out->detail = str(ev, 0); /* the ordering gives STWEnd the argument of STWBegin */
        out->scope = (struct gotrace_resource){GOTRACE_RESOURCE_GOROUTINE, ev->goroutine};
        break;
    case EV_GCBegin:
        out->name = "GC concurrent mark phase";
        break;
    case EV_GCSweepBegin:
        out->name = "GC incremental sweep";
        out->scope.kind = GOTRACE_RESOURCE_PROC;
        out->scope.id = ev->type == EV_GCSweepActive ? ev->args[0] : ev->proc;
        break;
    default:
        out->name = "GC mark assist";
        out->scope.kind = GOTRACE_RESOURCE_GOROUTINE;
        out->scope.id = ev->type == EV_GCMarkAssistActive ? ev->args[0] : ev->goroutine;
    }
    if (ev->type == EV_GCSweepEnd) {
        out->nattributes = 2;
        out->attributes[0] = (struct gotrace_attribute){"bytes swept", ev->args[0]};
        out->attributes[1] = (struct gotrace_attribute){"bytes reclaimed", ev->args[1]};
    }
    return true;
}

bool gotrace_event_task(const struct gotrace_event *ev, struct gotrace_task *out)
{
    if (!IS(ev, GOTRACE_KIND_TASK_BEGIN, GOTRACE_KIND_TASK_END, out))
        return false;
    bool begin = ev->type == EV_UserTaskBegin;
    out->id = ev->args[0];
    out->parent = begin ? ev->args[1] : ev->args[2];
    out->type = begin ? str(ev, 2) : ev->text;
    return true;
}

bool gotrace_event_region(const struct gotrace_event *ev, struct gotrace_region *out)
{
    if (!IS(ev, GOTRACE_KIND_REGION_BEGIN, GOTRACE_KIND_REGION_END, out))
        return false;
    out->task = ev->args[0];
    out->type = str(ev, 1);
    return true;
}

bool gotrace_event_log(const struct gotrace_event *ev, struct gotrace_log *out)
{
    if (!IS(ev, GOTRACE_KIND_LOG, GOTRACE_KIND_LOG, out))
        return false;
    out->task = ev->args[0];
    out->category = str(ev, 1);
    out->message = str(ev, 2);
    return true;
}

/* Seconds and nanoseconds as they are on the wire, with the nanoseconds brought into their range. */
static struct gotrace_clock_snapshot snapshot(const struct generation *g)
{
    enum { BILLION = 1000000000 };
    int64_t nsec = (int64_t)g->snap_nsec, carry = nsec / BILLION;
    nsec %= BILLION;
    if (nsec < 0) {
        nsec += BILLION;
        carry--;
    }
    return (struct gotrace_clock_snapshot){.trace = clock_ns(&g->clock, g->snap_time),
                                           .mono = g->snap_mono,
                                           .sec = (int64_t)(g->snap_sec + (uint64_t)carry),
                                           .nsec = nsec};
}

bool gotrace_event_sync(const struct gotrace_event *ev, struct gotrace_sync *out)
{
    if (!IS(ev, GOTRACE_KIND_SYNC, GOTRACE_KIND_SYNC, out))
        return false;
    const struct generation *g = ev->tables;
    out->n = ev->args[0];
    if (!g)
        return true;
    out->nbatches = g->experimental.n;
    out->has_clock = g->has_snapshot;
    if (out->has_clock)
        out->clock = snapshot(g);
    return true;
}

static const char *experiment_name(uint64_t id)
{
    return id == EXPERIMENT_ALLOC_FREE ? "AllocFree" : "";
}

bool gotrace_event_sync_batch(const struct gotrace_event *ev, size_t i, struct gotrace_experimental_batch *out)
{
    if (!IS(ev, GOTRACE_KIND_SYNC, GOTRACE_KIND_SYNC, out) || !ev->tables || i >= ev->tables->experimental.n)
        return false;
    const struct batch *b = &ev->tables->experimental.v[i];
    *out = (struct gotrace_experimental_batch){.experiment = experiment_name(b->experiment),
                                               .experiment_id = b->experiment,
                                               .thread = b->thread,
                                               .data = b->data,
                                               .size = b->size};
    return true;
}

bool gotrace_event_sync_string(const struct gotrace_event *ev, size_t i, struct gotrace_str *out)
{
    if (!IS(ev, GOTRACE_KIND_SYNC, GOTRACE_KIND_SYNC, out) || !ev->tables || i >= ev->tables->strings.n)
        return false;
    *out = ev->tables->strings.v[i];
    return true;
}

bool gotrace_event_experimental(const struct gotrace_event *ev, struct gotrace_experimental *out)
{
    if (!IS(ev, GOTRACE_KIND_EXPERIMENTAL, GOTRACE_KIND_EXPERIMENTAL, out))
        return false;
    const struct event_info *info = &event_table[ev->type];
    out->name = info->name;
    out->experiment = experiment_name(info->experiment);
    out->nargs = info->nargs - 1u;
    for (size_t i = 0; i < out->nargs && i < EVENT_MAX_ARGS - 1; i++) {
        out->args[i] = info->args[i + 1];
        out->values[i] = ev->args[i];
    }
    return true;
}
