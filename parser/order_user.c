/* Tasks, regions and what else a program says itself. Their names must outlive the generation that defines them. */
#include <string.h>

#include "parser/order.h"

typedef unsigned long long ull;

void text_free(struct text *t)
{
    free(t->owned);
    *t = (struct text){0};
}

bool text_keep(struct text *t)
{
    if (t->owned)
        return true;
    size_t len = t->str.len;
    if (!(t->owned = malloc(len ? len : 1)))
        return false;
    t->str.data = len ? memcpy(t->owned, t->str.data, len) : t->owned;
    return true;
}

static bool same(struct gotrace_str a, struct gotrace_str b)
{
    return a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len));
}

void order_free_regions(struct go_more *more)
{
    while (more->regions.n)
        text_free(&more->regions.v[--more->regions.n].name);
    more->nkept = 0;
}

enum step step_annotation(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    return order_require(o, ev, MUST, MUST);
}

static enum step check_name(struct order *o, const struct gotrace_event *ev, uint64_t id)
{
    if (generation_has_string(ev->tables, id))
        return STEP_OK;
    return order_broken(o, ev, "invalid string ID %llu", (ull)id);
}

static bool add_task(struct order *o, const struct gotrace_event *ev, uint64_t parent)
{
    bool reuse = o->free_tasks.n > 0;
    if ((!reuse && (!VEC_ROOM(&o->tasks) || o->tasks.n >= UINT32_MAX)) || !VEC_ROOM(&o->fresh_tasks))
        return false;
    uint32_t slot = reuse ? o->free_tasks.v[o->free_tasks.n - 1] : (uint32_t)o->tasks.n;
    if (!idmap_add(&o->task_of, ev->args[0], slot + 1))
        return false;
    bool fresh = reuse && o->tasks.v[slot].fresh;
    if (reuse)
        o->free_tasks.n--;
    else
        o->tasks.n++;
    if (!fresh)
        o->fresh_tasks.v[o->fresh_tasks.n++] = slot;
    o->tasks.v[slot] = (struct task){.id = ev->args[0],
                                     .parent = parent,
                                     .name.str = generation_string(ev->tables, ev->args[2]),
                                     .active = true,
                                     .fresh = true};
    return true;
}

enum step step_task_begin(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (idmap_get(&o->task_of, ev->args[0]))
        return order_broken(o, ev, "task ID conflict: %llu", (ull)ev->args[0]);
    if (check_name(o, ev, ev->args[2]) || order_require(o, ev, MUST, MUST))
        return STEP_BROKEN;
    if (ev->args[1] == 0) /* for tasks that means no parent, not the background task */
        ev->args[1] = GOTRACE_NONE;
    if (!add_task(o, ev, ev->args[1]))
        return order_no_memory(o, ev);
    return STEP_OK;
}

enum step step_task_end(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST))
        return STEP_BROKEN;
    ev->args[2] = GOTRACE_NONE;
    ev->text = (struct gotrace_str){"", 0};
    uint32_t slot = idmap_get(&o->task_of, ev->args[0]);
    if (!slot) /* it began before the trace did */
        return STEP_OK;
    struct task *task = &o->tasks.v[slot - 1];
    if (!VEC_ROOM(&o->free_tasks) || !VEC_ROOM(&o->ended_tasks))
        return order_no_memory(o, ev);
    o->free_tasks.v[o->free_tasks.n++] = slot - 1;
    ev->args[2] = task->parent;
    ev->text = task->name.str;
    /* As all strings of an event it lives as long as the generation does. */
    if (task->name.owned)
        o->ended_tasks.v[o->ended_tasks.n++] = task->name;
    task->name = (struct text){0};
    task->active = false;
    idmap_remove(&o->task_of, task->id);
    return STEP_OK;
}

enum step step_region_begin(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST) || check_name(o, ev, ev->args[1]))
        return STEP_BROKEN;
    struct go *go = current_go(o, t);
    if (!go)
        return order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    struct go_more *more = order_more(go);
    if (!more || !VEC_ROOM(&more->regions) || !VEC_ROOM(&o->fresh_regions))
        return order_no_memory(o, ev);
    if (!more->fresh)
        o->fresh_regions.v[o->fresh_regions.n++] = more;
    more->fresh = true;
    more->regions.v[more->regions.n++] = (struct region){.task = ev->args[0],
                                                         .id = ev->args[1],
                                                         .name.str = generation_string(ev->tables, ev->args[1])};
    return STEP_OK;
}

enum step step_region_end(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST) || check_name(o, ev, ev->args[1]))
        return STEP_BROKEN;
    struct go *go = current_go(o, t);
    if (!go)
        return order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    struct go_more *more = go->more;
    if (!more || !more->regions.n) /* it began before the trace did */
        return STEP_OK;
    struct region *r = &more->regions.v[more->regions.n - 1];
    if (r->task != ev->args[0] || ((r->name.owned || r->id != ev->args[1]) &&
                                   !same(r->name.str, generation_string(ev->tables, ev->args[1]))))
        return order_broken(o, ev,
                            "misuse of region in goroutine %llu: its end doesn't match the inner-most active one",
                            (ull)go->id);
    text_free(&r->name);
    if (--more->regions.n < more->nkept)
        more->nkept = more->regions.n;
    return STEP_OK;
}
