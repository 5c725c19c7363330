/* Frames, ranges, tasks, labels, clocks: what is not a transition. */
#include "parser/validate.h"

void validate_frames(struct gotrace_validator *v, const struct gotrace_event *ev, struct gotrace_stack stack)
{
    struct gotrace_frame f;
    bool names = !v->old || v->old >= OLD_NAMES;
    /* Go's own leaf frames may be all zero. */
    for (size_t i = 1; gotrace_stack_frame(stack, i, &f); i++)
        if (!f.pc || (names && (!f.function.len || !f.file.len || !f.line)))
            violation(v, ev,
                      "stack %llu, frame %zu: missing information: pc 0x%llx, function \"%.*s\", file \"%.*s\", "
                      "line %llu",
                      (ull)stack.id, i, (ull)f.pc, (int)(f.function.len < 80 ? f.function.len : 80), f.function.data,
                      (int)(f.file.len < 80 ? f.file.len : 80), f.file.data, (ull)f.line);
}

static uint64_t hash(struct gotrace_str s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.data[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* One for each name of a range. */
static uint64_t range_key(const struct gotrace_event *ev, const struct gotrace_range *r)
{
    unsigned begin = event_table[ev->type].pair ? event_table[ev->type].pair : ev->type;
    return begin == EV_STWBegin ? hash(r->detail) | 256 : begin;
}

static size_t find_range(const struct holder *h, uint64_t key)
{
    size_t i = 0;
    while (i < h->ranges.n && h->ranges.v[i] != key)
        i++;
    return i;
}

/* In v1 a mark assist that began before the trace is not known of, and procs may all have stopped the world. */
static bool may_be_unpaired(const struct gotrace_validator *v, const struct gotrace_event *ev)
{
    if (!v->old)
        return false;
    return ev->type == EV_GCMarkAssistEnd ||
           (v->old < OLD_ONE_STOP && (ev->type == EV_STWBegin || ev->type == EV_STWEnd));
}

static void validate_range(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    struct gotrace_range r;
    gotrace_event_range(ev, &r);
    struct holder *h = r.scope.kind == GOTRACE_RESOURCE_NONE
                           ? &v->program
                           : find_or_add(v, &v->holders[r.scope.kind == GOTRACE_RESOURCE_GOROUTINE ? GOS : PROCS],
                                         r.scope.id);
    if (!h)
        return;
    uint64_t key = range_key(ev, &r);
    size_t at = find_range(h, key);
    bool found = at < h->ranges.n;
    if (event_kinds[ev->type] == GOTRACE_KIND_RANGE_END) {
        if (found)
            h->ranges.v[at] = h->ranges.v[--h->ranges.n];
        else if (!may_be_unpaired(v, ev))
            violation(v, ev, "inactive range \"%s\" ended", r.name);
        return;
    }
    if (found && !may_be_unpaired(v, ev) && event_kinds[ev->type] == GOTRACE_KIND_RANGE_BEGIN)
        violation(v, ev, "already active range \"%s\" begun again", r.name);
    if (!found && VEC_ROOM(&h->ranges))
        h->ranges.v[h->ranges.n++] = key;
}

static void validate_task_begin(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    struct gotrace_task t;
    gotrace_event_task(ev, &t);
    if (t.id == GOTRACE_NONE || t.id == 0)
        violation(v, ev, "invalid task ID %lld", (long long)t.id);
    if (t.parent == 0)
        violation(v, ev, "the background task as the parent of task %llu", (ull)t.id);
    idmap_remove(&v->task_of, t.id);
    if (!idmap_add(&v->task_of, t.id, (uint32_t)hash(t.type) | 1))
        v->no_memory = true;
}

static void validate_task_end(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    struct gotrace_task t;
    gotrace_event_task(ev, &t);
    uint32_t type = idmap_get(&v->task_of, t.id);
    if (type && type != ((uint32_t)hash(t.type) | 1))
        violation(v, ev, "the type at the end of task %llu is not that at its begin", (ull)t.id);
    idmap_remove(&v->task_of, t.id);
}

/* Of events that are neither the begin nor the end of something, nothing. */
void validate_span(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_RANGE_BEGIN:
    case GOTRACE_KIND_RANGE_ACTIVE:
    case GOTRACE_KIND_RANGE_END:
        validate_range(v, ev);
        break;
    case GOTRACE_KIND_TASK_BEGIN:
        validate_task_begin(v, ev);
        break;
    case GOTRACE_KIND_TASK_END:
        validate_task_end(v, ev);
        break;
    default:
        break;
    }
}

void validate_label(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    struct gotrace_label l;
    gotrace_event_label(ev, &l);
    const struct holder *h = find(&v->holders[GOS], l.resource.id);
    if (!l.label.len)
        violation(v, ev, "empty label");
    if (!h || !h->known)
        violation(v, ev, "label for invalid goroutine %llu", (ull)l.resource.id);
}

static int64_t since_year_1(const struct gotrace_clock_snapshot *c)
{
    return (int64_t)((uint64_t)c->sec + UINT64_C(62135596800));
}

static void check_clock(struct gotrace_validator *v, const struct gotrace_event *ev, const struct gotrace_sync *s)
{
    const struct gotrace_clock_snapshot *now = &s->clock, *before = &v->last_sync.clock;
    /* Go's zero of time is the first second of the first year; time goes round when it overflows. */
    int64_t wall = since_year_1(now), wall_before = since_year_1(before);
    if (!wall && !now->nsec)
        violation(v, ev, "sync %llu has zero wall time", (ull)s->n);
    if (!now->mono)
        violation(v, ev, "sync %llu has zero mono time", (ull)s->n);
    if (!now->trace)
        violation(v, ev, "sync %llu has zero trace time", (ull)s->n);
    if (!v->last_sync.has_clock)
        return;
    if (wall < wall_before || (wall == wall_before && now->nsec <= before->nsec))
        violation(v, ev, "sync %llu has non-increasing wall time", (ull)s->n);
    if (now->mono <= before->mono)
        violation(v, ev, "sync %llu has non-increasing mono time", (ull)s->n);
    if (now->trace <= before->trace)
        violation(v, ev, "sync %llu has non-increasing trace time", (ull)s->n);
}

void validate_sync(struct gotrace_validator *v, const struct gotrace_event *ev)
{
    struct gotrace_sync s;
    gotrace_event_sync(ev, &s);
    if (s.n != v->last_sync.n + 1)
        violation(v, ev, "sync count is not sequential: expected %llu, got %llu", (ull)v->last_sync.n + 1, (ull)s.n);
    /* The reader's own Sync at the end has no clock; one at the beginning should. */
    if (s.has_clock)
        check_clock(v, ev, &s);
    else if (v->clocks && s.n == 1)
        violation(v, ev, "sync 1 has no clock snapshot");
    if (s.n > 1)
        idmap_clear(&v->died);
    v->last_sync = s;
}
