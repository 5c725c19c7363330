/* One v1 event after the other, as none, one or two events of v2. */
#include "parser/as_v2/as_v2.h"

enum made { OUT_OF_MEMORY, LEFT_OUT, MADE };

/* How an event becomes one of v2; type is what it becomes. */
enum how {
    DROP,
    SAME,      /* with the same arguments, as far as the type has them */
    LEAVE,     /* detail is why the goroutine no longer runs */
    STATUS,    /* detail is a goroutine's status on the wire */
    BEGIN,     /* the first one says that all that was there is known */
    CREATE,
    START,
    LABEL,     /* and a GoLabel */
    CALL,      /* and a GoSyscallEnd, unless it blocks */
    START_PROC,
    STOP_PROC,
    STOP_WORLD,
    GO_ON,
    BEGIN_TASK,
    END_TASK,
    REGION,
    LOG,
    SAMPLE,
};

static const struct rule {
    uint8_t type, how, detail;
} rules[V1_IDS] = {
    [V1_Gomaxprocs] = {EV_ProcsChange, BEGIN, 0},
    [V1_ProcStart] = {EV_ProcStart, START_PROC, PROC_RUNNING},
    [V1_ProcStop] = {EV_ProcStop, STOP_PROC, PROC_IDLE},
    [V1_GCStart] = {EV_GCBegin, SAME, 0},
    [V1_GCDone] = {EV_GCEnd, SAME, 0},
    [V1_STWStart] = {EV_STWBegin, STOP_WORLD, 0},
    [V1_STWDone] = {EV_STWEnd, GO_ON, 0},
    [V1_GCSweepStart] = {EV_GCSweepBegin, SAME, 0},
    [V1_GCSweepDone] = {EV_GCSweepEnd, SAME, 0},
    [V1_GoCreate] = {EV_GoCreate, CREATE, 0},
    [V1_GoStart] = {EV_GoStart, START, GO_RUNNING},
    [V1_GoStartLabel] = {EV_GoStart, LABEL, 0},
    [V1_GoEnd] = {EV_GoDestroy, SAME, 0},
    [V1_GoStop] = {EV_GoBlock, LEAVE, WORD_FOREVER},
    [V1_GoSched] = {EV_GoStop, LEAVE, WORD_GOSCHED},
    [V1_GoPreempt] = {EV_GoStop, LEAVE, WORD_PREEMPTED},
    [V1_GoSleep] = {EV_GoBlock, LEAVE, WORD_SLEEP},
    [V1_GoBlock] = {EV_GoBlock, LEAVE, WORD_NONE},
    [V1_GoBlockSend] = {EV_GoBlock, LEAVE, WORD_CHAN_SEND},
    [V1_GoBlockRecv] = {EV_GoBlock, LEAVE, WORD_CHAN_RECEIVE},
    [V1_GoBlockSelect] = {EV_GoBlock, LEAVE, WORD_SELECT},
    [V1_GoBlockSync] = {EV_GoBlock, LEAVE, WORD_SYNC},
    [V1_GoBlockCond] = {EV_GoBlock, LEAVE, WORD_COND},
    [V1_GoBlockNet] = {EV_GoBlock, LEAVE, WORD_NETWORK},
    [V1_GoBlockGC] = {EV_GoBlock, LEAVE, WORD_MARK_ASSIST},
    [V1_GoUnblock] = {EV_GoUnblock, SAME, 0},
    [V1_GoSysCall] = {EV_GoSyscallBegin, CALL, 0},
    [V1_GoSysExit] = {EV_GoSyscallEndBlocked, SAME, 0},
    [V1_GoWaiting] = {EV_GoStatus, STATUS, GO_WAITING},
    [V1_GoInSyscall] = {EV_GoStatus, STATUS, GO_SYSCALL},
    [V1_HeapAlloc] = {EV_HeapAlloc, SAME, 0},
    [V1_HeapGoal] = {EV_HeapGoal, SAME, 0},
    [V1_GCMarkAssistStart] = {EV_GCMarkAssistBegin, SAME, 0},
    [V1_GCMarkAssistDone] = {EV_GCMarkAssistEnd, SAME, 0},
    [V1_UserTaskCreate] = {EV_UserTaskBegin, BEGIN_TASK, 0},
    [V1_UserTaskEnd] = {EV_UserTaskEnd, END_TASK, 0},
    [V1_UserRegion] = {EV_UserRegionBegin, REGION, 0},
    [V1_UserLog] = {EV_UserLog, LOG, 0},
    [V1_CPUSample] = {EV_CPUSample, SAMPLE, 0},
};

static uint64_t string_id(const struct as_v2 *v, uint64_t id) { return idmap_get(&v->trace.string_ids, id); }

/* What a goroutine that is created starts with. */
static uint64_t start_id(const struct as_v2 *v, uint64_t start)
{
    return idmap_get(v->trace.form.names ? &v->trace.stack_ids : &v->ids.start_pcs, start);
}

static uint64_t thread_of(struct as_v2 *v, const struct v1_event *o)
{
    const struct as_v2_proc *proc = o->p == V1_AT_NO_P || o->id == V1_CPUSample ? NULL : &v->procs[o->p];
    return proc && proc->has_thread ? proc->thread : ID_NONE;
}

/* Its state as it was before is not known. */
static void status(struct gotrace_event *ev, uint64_t g, uint8_t status)
{
    ev->type = EV_GoStatus;
    ev->from = GOTRACE_STATE_UNDETERMINED;
    ev->to = go_states[status];
    ev->args[0] = g;
    ev->args[1] = ID_NONE; /* its thread: v1 does not say */
    ev->args[2] = status;
}

static bool hear_of(struct as_v2 *v, uint64_t g)
{
    if (idmap_get(&v->unheard, g))
        idmap_remove(&v->unheard, g);
    return true;
}

static bool create(struct as_v2 *v, struct gotrace_event *ev, const struct v1_event *o)
{
    ev->args[0] = o->args[0];
    ev->args[1] = start_id(v, o->args[1]);
    if (v->begun)
        return true;
    if (!VEC_ROOM(&v->created) || !idmap_add(&v->unheard, o->args[0], 1))
        return false;
    v->created.v[v->created.n++] = o->args[0];
    return true;
}

/* Makes a status of it where that is the first thing said of the proc. */
static void proc_event(struct gotrace_event *ev, struct as_v2_proc *proc, uint8_t now)
{
    if (!proc->known) {
        proc->known = true;
        ev->type = EV_ProcStatus;
        ev->from = GOTRACE_STATE_UNDETERMINED;
        ev->to = proc_states[now];
        ev->args[1] = now;
    }
    ev->args[0] = ev->proc;
}

/* Go 1.21 has a reason for each stop; before, a number tells the two of a collection, and before 1.10 nothing does. */
static uint64_t stop_reason(const struct as_v2 *v, uint64_t kind)
{
    uint64_t first = v->ids.words + WORD_STOP;
    if (v->trace.form.stop_reasons)
        return kind <= WORD_STOP_LAST - WORD_STOP ? first + kind : first;
    return kind <= 1 ? first + kind + 1 : first;
}

static bool begin_task(struct as_v2 *v, struct gotrace_event *ev, const struct v1_event *o)
{
    if (!VEC_ROOM(&v->tasks) || v->tasks.n >= UINT32_MAX || !idmap_add(&v->task_of, o->args[0], (uint32_t)v->tasks.n + 1))
        return false;
    uint64_t name = string_id(v, o->args[2]);
    v->tasks.v[v->tasks.n++] = (struct as_v2_task){o->args[1], name};
    ev->args[0] = o->args[0];
    ev->args[1] = o->args[1] ? o->args[1] : GOTRACE_NONE;
    ev->args[2] = name;
    return true;
}

/* Go says task 0 where its begin said that it has no parent. */
static void end_task(struct as_v2 *v, struct gotrace_event *ev, uint64_t task)
{
    uint32_t at = idmap_get(&v->task_of, task);
    ev->args[0] = task;
    ev->args[2] = GOTRACE_NONE;
    ev->text.data = "";
    if (!at)
        return;
    ev->args[2] = v->tasks.v[at - 1].parent;
    ev->text = generation_string(v->tables, v->tasks.v[at - 1].name);
    idmap_remove(&v->task_of, task);
}

/* The next call returns it. */
static void add_second(struct as_v2 *v, uint8_t type, int64_t time, uint64_t arg)
{
    v->second = v->made;
    v->second.type = type;
    v->second.time = time;
    for (unsigned i = 0; i < EVENT_MAX_ARGS; i++)
        v->second.args[i] = 0;
    v->second.args[0] = arg;
    v->has_second = true;
}

/* Arguments but for the event's own stack, and what the trace says by more than one event. */
static enum made say(struct as_v2 *v, struct gotrace_event *ev, const struct v1_event *o)
{
    const struct rule *rule = &rules[o->id];
    struct as_v2_proc *proc = &v->procs[o->p];
    struct v1_text message;
    bool ok = true;
    switch ((enum how)rule->how) {
    case DROP:
        return LEFT_OUT;
    case BEGIN:
        if (!v->begun) {
            v->begun = true;
            v->told_at = o->time;
            return LEFT_OUT;
        }
        ev->args[0] = o->args[0];
        break;
    case SAME:
        for (unsigned i = 0; i < V1_MAX_ARGS && i + 1 < event_table[ev->type].nargs; i++)
            ev->args[i] = o->args[i];
        break;
    case LEAVE:
        ev->args[0] = v->ids.words + rule->detail;
        break;
    case STATUS:
        status(ev, o->args[0], rule->detail);
        hear_of(v, o->args[0]);
        break;
    case CREATE:
        ok = create(v, ev, o);
        if (ok && !v->begun)
            return LEFT_OUT;
        break;
    case START:
        ev->args[0] = v1_g(&v->trace, o);
        if (!v->begun) {
            status(ev, ev->args[0], rule->detail);
            hear_of(v, ev->args[0]);
        }
        break;
    case LABEL:
        ev->args[0] = o->args[0];
        ev->args[1] = o->args[1];
        add_second(v, EV_GoLabel, o->time, string_id(v, o->args[2]));
        break;
    case CALL:
        if (!o->blocks)
            add_second(v, EV_GoSyscallEnd, (int64_t)((uint64_t)o->time + 1), 0);
        break;
    case START_PROC:
        proc_event(ev, proc, rule->detail);
        proc->thread = o->args[0];
        proc->has_thread = !v->trace.form.by_time;
        ev->thread = v->trace.form.by_time ? ID_NONE : o->args[0]; /* the first tracer does not say */
        break;
    case STOP_PROC:
        proc_event(ev, proc, rule->detail);
        proc->has_thread = false;
        break;
    case STOP_WORLD:
        ev->args[0] = v->stop_reason = stop_reason(v, o->args[0]);
        break;
    case GO_ON:
        ev->args[0] = v->stop_reason;
        break;
    case BEGIN_TASK:
        ok = begin_task(v, ev, o);
        break;
    case END_TASK:
        end_task(v, ev, o->args[0]);
        break;
    case REGION:
        ev->type = o->args[1] ? EV_UserRegionEnd : EV_UserRegionBegin;
        ev->args[0] = o->args[0];
        ev->args[1] = string_id(v, o->args[2]);
        break;
    case LOG:
        ev->args[0] = o->args[0];
        ev->args[1] = string_id(v, o->args[1]);
        ev->args[2] = v->ids.message;
        message = v1_message(&v->trace, o);
        v->tables->strings.v[v->ids.message] = (struct gotrace_str){message.data, message.size};
        break;
    case SAMPLE:
        ev->args[0] = o->stack;
        break;
    }
    return ok ? MADE : OUT_OF_MEMORY;
}

/* No event that happened at the same time as the one before: it is a nanosecond later, as all of v2 are. */
static const struct gotrace_event *deliver(struct as_v2 *v, struct gotrace_event *ev)
{
    if (ev->time <= v->last)
        ev->time = (int64_t)((uint64_t)v->last + 1);
    v->last = ev->time;
    return ev;
}

static const struct gotrace_event *sync_event(struct as_v2 *v, const struct generation *g, int64_t time)
{
    v->made = (struct gotrace_event){.type = EV_SYNC_POINT,
                                     .time = time,
                                     .thread = ID_NONE,
                                     .proc = ID_NONE,
                                     .goroutine = ID_NONE,
                                     .tables = g,
                                     .args[0] = ++v->syncs};
    return &v->made;
}

/* Goroutines that were there when tracing began, and neither run nor wait. */
static bool tell_next(struct as_v2 *v)
{
    while (v->begun && v->told < v->created.n) {
        uint64_t g = v->created.v[v->told++];
        if (!idmap_get(&v->unheard, g))
            continue;
        v->made = (struct gotrace_event){
            .time = v->told_at, .thread = ID_NONE, .proc = ID_NONE, .goroutine = ID_NONE, .tables = v->tables};
        status(&v->made, g, GO_RUNNABLE);
        return true;
    }
    return false;
}

static enum made convert(struct as_v2 *v, const struct v1_event *o)
{
    const struct rule *rule = &rules[o->id];
    struct gotrace_event *ev = &v->made;
    /* One by one, as compilers clear the whole by an instruction that takes long to start. */
    ev->time = o->time;
    ev->thread = thread_of(v, o);
    ev->proc = (uint64_t)(int64_t)v1_p(&v->trace, o);
    ev->goroutine = o->g ? v1_g(&v->trace, o) : ID_NONE;
    for (unsigned i = 0; i < EVENT_MAX_ARGS; i++)
        ev->args[i] = 0;
    ev->tables = v->tables;
    ev->at = NULL;
    ev->origin = o->at;
    ev->type = rule->type;
    ev->from = ev->to = 0;
    ev->text = (struct gotrace_str){0};
    enum made made = say(v, ev, o);
    /* Of two, the last is that of the event itself. The first argument of the table is dt. */
    unsigned stacks = event_table[ev->type].stacks;
    if (made == MADE && stacks && ev->type != EV_CPUSample)
        ev->args[31 - __builtin_clz(stacks) - 1] = o->stack;
    return made;
}

const struct gotrace_event *as_v2_next(struct as_v2 *v, struct failure *f)
{
    if (UNLIKELY(!v->syncs))
        return sync_event(v, v->tables, AS_V2_SYNC_TIME);
    if (v->has_second) {
        v->has_second = false;
        return deliver(v, &v->second);
    }
    if (UNLIKELY(v->told < v->created.n) && tell_next(v))
        return deliver(v, &v->made);
    for (const struct v1_event *o; (o = v1_next(&v->trace));) {
        enum made made = convert(v, o);
        if (LIKELY(made == MADE))
            return deliver(v, &v->made);
        if (made == OUT_OF_MEMORY) {
            fail(f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
            return NULL;
        }
        if (UNLIKELY(v->told < v->created.n) && tell_next(v))
            return deliver(v, &v->made);
    }
    if (v->ended)
        return NULL;
    v->ended = true;
    v->tables->serial++; /* what was handed out is valid no more */
    return sync_event(v, NULL, (int64_t)((uint64_t)v->last + 1));
}
