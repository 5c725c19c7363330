/* Regions, ranges and tasks, which go out when they end, messages, and what the trace says of memory. */
#include "cmd/view/marks.h"

#include <string.h>

static void put_region(struct lanes *l, uint32_t lane, const struct lane_region *r, int64_t end, size_t depth)
{
    blocks_put(&l->out, lane + 1);
    blocks_put(&l->out, lanes_since(l, r->begin));
    blocks_put(&l->out, lanes_between(r->begin, end));
    blocks_put(&l->out, r->name);
    blocks_put(&l->out, depth);
    blocks_put(&l->out, r->task);
    blocks_end(&l->out, 'R');
}

static void region(struct lanes *l, const struct gotrace_event *ev, bool begins)
{
    struct gotrace_region r;
    struct lane *lane = lanes_at(l, ev);
    if (!lane || !gotrace_event_region(ev, &r))
        return;
    if (!begins && lane->regions.n) {
        lane->regions.n--;
        put_region(l, lane->number, &lane->regions.v[lane->regions.n], gotrace_event_time(ev), lane->regions.n);
    } else if (begins && VEC_ROOM(&lane->regions)) {
        lane->regions.v[lane->regions.n++] =
            (struct lane_region){r.task, stat_text(&l->texts, r.type), gotrace_event_time(ev)};
    } else {
        l->failed |= begins;
    }
}

static bool same_range(const struct lane_range *r, const struct lane_range *other)
{
    return r->name == other->name && r->scope.kind == other->scope.kind && r->scope.id == other->scope.id;
}

/* What the runtime does: of a goroutine it is shown as a region, else in the row of the program. */
static void range(struct lanes *l, const struct gotrace_event *ev, enum gotrace_kind kind)
{
    struct gotrace_range r;
    if (!gotrace_event_range(ev, &r))
        return;
    struct lane_range it = {stat_literal(&l->texts, r.name), r.scope, gotrace_event_time(ev)};
    size_t i = 0;
    while (i < l->ranges.n && !same_range(&l->ranges.v[i], &it))
        i++;
    if (kind != GOTRACE_KIND_RANGE_END && i == l->ranges.n) {
        if (kind == GOTRACE_KIND_RANGE_ACTIVE)
            it.begin = l->spans->begin;
        if (VEC_ROOM(&l->ranges))
            l->ranges.v[l->ranges.n++] = it;
        else
            l->failed = true;
    } else if (kind == GOTRACE_KIND_RANGE_END && i < l->ranges.n) {
        uint32_t thread = r.scope.kind == GOTRACE_RESOURCE_GOROUTINE ? spans_find(l->spans, r.scope.id) : SPANS_NOBODY;
        struct lane *lane = thread < l->live.n ? &l->live.v[thread] : NULL;
        put_region(l, lane ? lane->number : NO_LANE, &(struct lane_region){0, it.name, l->ranges.v[i].begin}, it.begin,
                   lane ? lane->regions.n : 0);
        l->ranges.v[i] = l->ranges.v[--l->ranges.n];
    }
}

static void put_task(struct lanes *l, const struct lane_task *t, int64_t end, bool ended)
{
    blocks_put(&l->out, t->id);
    blocks_put(&l->out, t->parent == GOTRACE_NONE ? 0 : t->parent);
    blocks_put(&l->out, lanes_since(l, t->begin));
    blocks_put(&l->out, lanes_between(t->begin, end));
    blocks_put(&l->out, t->type);
    blocks_put(&l->out, t->lane);
    blocks_put(&l->out, ended);
    blocks_end(&l->out, 'T');
}

static void begin_task(struct lanes *l, const struct gotrace_event *ev, const struct gotrace_task *t)
{
    struct lane *lane = lanes_at(l, ev);
    uint32_t i;
    if (idmap_get(&l->task_index, t->id))
        return;
    if (l->unused.n)
        i = l->unused.v[--l->unused.n];
    else if (l->tasks.n < UINT32_MAX - 1 && VEC_ROOM(&l->tasks))
        i = (uint32_t)l->tasks.n++;
    else {
        l->failed = true;
        return;
    }
    l->tasks.v[i] = (struct lane_task){t->id, t->parent, stat_text(&l->texts, t->type),
                                       lane ? lane->number + 1 : 0, gotrace_event_time(ev)};
    l->failed |= !idmap_add(&l->task_index, t->id, i + 1);
}

static void end_task(struct lanes *l, uint64_t id, int64_t now)
{
    uint32_t found = idmap_get(&l->task_index, id);
    if (!found)
        return;
    put_task(l, &l->tasks.v[found - 1], now, true);
    idmap_remove(&l->task_index, id);
    l->tasks.v[found - 1].begin = INT64_MAX;
    if (VEC_ROOM(&l->unused))
        l->unused.v[l->unused.n++] = found - 1;
    else
        l->failed = true;
}

static void task(struct lanes *l, const struct gotrace_event *ev, bool begins)
{
    struct gotrace_task t;
    if (!gotrace_event_task(ev, &t))
        return;
    if (begins)
        begin_task(l, ev, &t);
    else
        end_task(l, t.id, gotrace_event_time(ev));
}

static void message(struct lanes *l, const struct gotrace_event *ev)
{
    struct gotrace_log g;
    struct lane *lane = lanes_at(l, ev);
    if (!gotrace_event_log(ev, &g))
        return;
    blocks_put(&l->out, lane ? lane->number + 1 : 0);
    blocks_put(&l->out, lanes_since(l, gotrace_event_time(ev)));
    blocks_put(&l->out, g.task);
    blocks_text(&l->out, g.category);
    blocks_text(&l->out, g.message);
    blocks_end(&l->out, 'M');
}

static void metric(struct lanes *l, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    if (!gotrace_event_metric(ev, &m))
        return;
    bool heap = !strcmp(m.name, "/memory/classes/heap/objects:bytes");
    if (!heap && strcmp(m.name, "/sched/gomaxprocs:threads") != 0)
        return;
    blocks_put(&l->out, lanes_since(l, gotrace_event_time(ev)));
    blocks_put(&l->out, m.value);
    blocks_end(&l->out, heap ? 'H' : 'P');
}

void marks_event(struct lanes *l, const struct gotrace_event *ev)
{
    enum gotrace_kind kind = gotrace_event_kind(ev);
    switch (kind) {
    case GOTRACE_KIND_REGION_BEGIN:
    case GOTRACE_KIND_REGION_END: region(l, ev, kind == GOTRACE_KIND_REGION_BEGIN); break;
    case GOTRACE_KIND_RANGE_BEGIN:
    case GOTRACE_KIND_RANGE_ACTIVE:
    case GOTRACE_KIND_RANGE_END: range(l, ev, kind); break;
    case GOTRACE_KIND_TASK_BEGIN:
    case GOTRACE_KIND_TASK_END: task(l, ev, kind == GOTRACE_KIND_TASK_BEGIN); break;
    case GOTRACE_KIND_LOG: message(l, ev); break;
    case GOTRACE_KIND_METRIC: metric(l, ev); break;
    default: break;
    }
}

void marks_gone(struct lanes *l, struct lane *lane, int64_t now)
{
    for (; lane->regions.n; lane->regions.n--)
        put_region(l, lane->number, &lane->regions.v[lane->regions.n - 1], now, lane->regions.n - 1);
}

void marks_end(struct lanes *l)
{
    for (size_t i = 0; i < l->ranges.n; i++)
        put_region(l, NO_LANE, &(struct lane_region){0, l->ranges.v[i].name, l->ranges.v[i].begin}, l->spans->end, 0);
    for (size_t i = 0; i < l->tasks.n; i++)
        if (l->tasks.v[i].begin != INT64_MAX)
            put_task(l, &l->tasks.v[i], l->spans->end, false);
}
