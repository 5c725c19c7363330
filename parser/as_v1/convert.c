/* From the first event to the last one, and what no goroutine does. */
#include <inttypes.h>

#include "parser/as_v1/steps.h"

static bool put_metric(struct as_v1 *v, const struct gotrace_event *ev, uint8_t id)
{
    int64_t proc = as_v1_place(v, ev);
    if (ev->type == EV_ProcsChange && !v->procs_value)
        v->procs_value = ev->args[0];
    return proc >= 0 && as_v1_put(v, (uint32_t)proc, ev,
                                  (struct v1_made){.id = id,
                                                   .args = {ev->args[0]},
                                                   .stack = as_v1_stack(v, gotrace_event_stack(ev))});
}

static bool put_sample(struct as_v1 *v, const struct gotrace_event *ev)
{
    if (v->b.form.shapes[V1_CPUSample].cls == V1_IS_NONE)
        return as_v1_drop(v, ev);
    int64_t proc = as_v1_proc(v, ev->proc);
    if (proc < 0)
        return false;
    return as_v1_put(v, NOWHERE, ev,
                     (struct v1_made){.id = V1_CPUSample,
                                      .args = {as_v1_ticks(v, ev), (uint64_t)(int64_t)v->procs.v[proc].p,
                                               ev->goroutine == ID_NONE ? 0 : ev->goroutine},
                                      .stack = as_v1_stack(v, gotrace_event_stack(ev))});
}

/* A label is one of the start that it follows at once. */
static bool put_label(struct as_v1 *v, const struct gotrace_event *ev)
{
    struct gotrace_label label;
    int64_t proc = as_v1_place(v, ev);
    if (proc < 0)
        return false;
    struct as_v1_proc *p = &v->procs.v[proc];
    if (!p->has_held || p->held.id != V1_GoStart || !gotrace_event_label(ev, &label) ||
        label.resource.id != p->held.args[0] || v->b.form.shapes[V1_GoStartLabel].cls == V1_IS_NONE)
        return as_v1_drop(v, ev);
    p->held.id = V1_GoStartLabel;
    p->held.args[2] = as_v1_string(v, label.label);
    return as_v1_release(v, (uint32_t)proc);
}

static bool sync_event(struct as_v1 *v, const struct gotrace_event *ev)
{
    struct gotrace_sync sync;
    if (!gotrace_event_sync(ev, &sync))
        return true;
    v->losses.events[EV_ClockSnapshot] += sync.has_clock;
    v->losses.events[EV_ExperimentalBatch] += sync.nbatches;
    return true;
}

static bool say(struct as_v1 *v, const struct gotrace_event *ev)
{
    switch (ev->type) {
    case EV_SYNC_POINT:
        return sync_event(v, ev);
    case EV_ProcsChange:
        return put_metric(v, ev, V1_Gomaxprocs);
    case EV_HeapAlloc:
        return put_metric(v, ev, V1_HeapAlloc);
    case EV_HeapGoal:
        return put_metric(v, ev, V1_HeapGoal);
    case EV_CPUSample:
        return put_sample(v, ev);
    case EV_GoLabel:
        return put_label(v, ev);
    default:
        break;
    }
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_TRANSITION:
        return as_v1_transition(v, ev);
    case GOTRACE_KIND_RANGE_BEGIN:
    case GOTRACE_KIND_RANGE_ACTIVE:
    case GOTRACE_KIND_RANGE_END:
        return as_v1_range(v, ev);
    case GOTRACE_KIND_TASK_BEGIN:
    case GOTRACE_KIND_TASK_END:
    case GOTRACE_KIND_REGION_BEGIN:
    case GOTRACE_KIND_REGION_END:
    case GOTRACE_KIND_LOG:
        return as_v1_user(v, ev);
    default:
        return as_v1_drop(v, ev);
    }
}

static bool failed(struct as_v1 *v)
{
    if (v->b.no_memory)
        fail(v->f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
    return false;
}

static bool convert_event(struct as_v1 *v, const struct gotrace_event *ev)
{
    if (!v->has_time)
        v->zero = ev->time;
    v->has_time = true;
    if ((uint64_t)ev->time - (uint64_t)v->zero > INT64_MAX - AS_V1_START_TICKS) {
        fail(v->f, GOTRACE_EBROKEN, event_place(ev), "v1 cannot say times that are so far apart");
        return false;
    }
    v->latest = as_v1_ticks(v, ev);
    v->begun |= ev->type != EV_SYNC_POINT && ev->type != EV_GoStatus && ev->type != EV_GoStatusStack &&
                ev->type != EV_ProcStatus;
    return (say(v, ev) && !v->b.no_memory && !v->b.write_failed) || failed(v);
}

/*
 * The goroutines that were there at the beginning, and the Gomaxprocs that says that these are all, on a proc that has
 * no other events: they are known only now.
 */
static bool put_first(struct as_v1 *v)
{
    int32_t last = -1;
    for (size_t i = 0; i < v->procs.n; i++)
        last = v->procs.v[i].p > last ? v->procs.v[i].p : last;
    uint64_t before = AS_V1_LEAD + 2 * (uint64_t)v->first.n;
    struct v1_made made = {.p = last + 1, .ticks = AS_V1_START_TICKS - before, .seq = AS_V1_START_TICKS - before};
    for (size_t i = 0; i < v->first.n; i++) {
        const struct as_v1_first *first = &v->first.v[i];
        made.id = V1_GoCreate;
        made.args[0] = first->g;
        made.args[1] = first->start;
        if (!v1_builder_event(&v->b, &made))
            return false;
        made.ticks++;
        made.seq++;
        made.id = first->then;
        if (made.id && !v1_builder_event(&v->b, &made))
            return false;
        made.ticks++;
        made.seq++;
    }
    made = (struct v1_made){.id = V1_Gomaxprocs,
                            .p = last + 1,
                            .ticks = AS_V1_START_TICKS,
                            .seq = AS_V1_START_TICKS,
                            .args = {v->procs_value ? v->procs_value : last < 0 ? 1 : (uint64_t)last + 1}};
    return v1_builder_event(&v->b, &made);
}

/*
 * When Go stopped tracing, it stopped the world, so that nothing was under way. Its viewers rely on that: what begins on
 * a proc has an end.
 */
static bool put_ends(struct as_v1 *v, uint32_t proc)
{
    struct as_v1_proc *p = &v->procs.v[proc];
    const struct {
        bool goes_on;
        uint8_t id;
    } ends[] = {
        {v->b.form.stops_all ? v->stop_proc == proc + 1 : p->stopped, V1_STWDone},
        {p->sweeps, V1_GCSweepDone},
        {v->collects && proc == NOWHERE, V1_GCDone},
        {p->has_g, V1_GoSched},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i].goes_on && !as_v1_put(v, proc, NULL, (struct v1_made){.id = ends[i].id, .ticks = v->latest + 1}))
            return false;
    return as_v1_release(v, proc);
}

static bool end(struct as_v1 *v)
{
    bool done = true;
    for (size_t i = 0; done && i < v->procs.n; i++)
        done = put_ends(v, (uint32_t)i);
    return (done && put_first(v) && v1_builder_end(&v->b, 1000000000)) || failed(v);
}

static bool begin(struct as_v1 *v, unsigned nn, bool from_v1, v1_write *write, void *arg, struct failure *f)
{
    *v = (struct as_v1){.f = f, .from_v1 = from_v1, .seq = AS_V1_START_TICKS};
    return (v1_builder_begin(&v->b, nn, write, arg) && as_v1_proc(v, ID_NONE) == NOWHERE) || failed(v);
}

static void free_all(struct as_v1 *v)
{
    v1_builder_free(&v->b);
    idmap_free(&v->go_of);
    idmap_free(&v->proc_of);
    idmap_free(&v->tasks);
    idmap_free(&v->stacks);
    VEC_FREE(&v->gos);
    VEC_FREE(&v->procs);
    VEC_FREE(&v->first);
}

bool as_v1_convert(struct gotrace_reader *r, unsigned nn, as_v1_write *write, void *arg, struct as_v1_losses *losses,
                   struct failure *f)
{
    struct as_v1 v;
    const struct gotrace_event *ev = gotrace_reader_next(r);
    bool done = begin(&v, nn, gotrace_reader_version(r) < 22, write, arg, f);
    for (; done && ev; ev = gotrace_reader_next(r))
        done = convert_event(&v, ev);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (done && e) {
        fail(f, e->status, (struct place){e->generation, e->thread, e->offset, e->event}, "%s", e->message);
        f->error.sys_errno = e->sys_errno;
        done = false;
    }
    done = done && end(&v);
    *losses = v.losses;
    free_all(&v);
    return done;
}
