/* The stack of a hook's caller, and hooks that were left. */
#include "preload/hook.h"

#include "lib/meta.h"
#include "preload/config.h"
#include "preload/modules.h"
#include "preload/objects.h"
#include "preload/section.h"

/* The event of a region stands in the trace or not. A begin that was left has no end of the program's. */
static void recover_regions(struct thread *t)
{
    if (t->regions.writes && t->sched.commits != t->regions.commits) {
        bool began = t->regions.writes == EV_UserRegionBegin;
        t->regions.depth = began ? t->regions.from + 1 : t->regions.from - 1;
        if (began)
            t->regions.v[t->regions.from].state = REGION_ENDED;
    }
    t->regions.writes = EV_None;
}

void hook_recover(struct thread *t)
{
    bool kept = t->sched.commits != t->promise.commits;
    if (t->writer.writing) { /* else there is nothing to undo, and whoever stops the writers has our state */
        sched_recover(&recorder.sched, &t->sched);
        gate_leave(&t->writer);
    }
    if (t->promise.wakeup.g && !kept && section_enter(t, 0, LOST_WAKEUP)) {
        sched_unblock(&recorder.sched, &t->sched, &t->promise.wakeup, 0, now());
        section_leave(t);
    }
    t->promise.wakeup.g = 0;
    recover_regions(t);
    t->hook_sp = 0;
}

static uint64_t make_tag(uint64_t id) { return recorder.sched.generation << TAG_ID_BITS | id; }

static void capture(struct hook *h)
{
    struct thread *t = h->t;
    h->captured = true;
    const struct unwind_modules *modules = modules_now();
    hook_request(h->t, &h->stack);
    t->npcs = 0;
    t->stack_tag = unwind_recall(&t->cache, modules, &h->stack);
    if (t->stack_tag && tag_holds(*t->stack_tag))
        return;
    struct unwind_stack stack;
    t->npcs = unwind_capture(&t->cache, modules, &h->stack, t->pcs, &stack);
    if (stack.flags & UNWIND_TRUNCATED)
        t->pcs[t->npcs - 1] = STACK_TRUNCATED_PC;
    t->stack_tag = stack.tag;
    t->stack_hash = stack_hash(t->pcs, t->npcs);
}

void hook_capture_for(struct hook *h, enum stack_kind kind)
{
    h->no_stack = !(config.stack_kinds & kind);
    if (h->captured)
        return;
    h->t->npcs = 0;
    h->t->stack_tag = NULL;
    if (!h->no_stack && likely(recording())) /* a section that begins after all captures what it needs */
        capture(h);
}

static void define_stack(struct thread *t, uint32_t id)
{
    uint8_t buf[STACK_RECORD_MAX];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_STACK);
    meta_int(&r, id);
    meta_ints(&r, t->pcs, (size_t)t->npcs);
    chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
}

uint64_t hook_stack(struct hook *h)
{
    struct thread *t = h->t;
    if (h->no_stack)
        return 0;
    if (t->stack_tag && tag_holds(*t->stack_tag))
        return tag_id(*t->stack_tag);
    if (!t->npcs) /* the generation, or the recording, began since then */
        capture(h);
    if (!t->npcs)
        return 0;
    uint32_t id = stacktab_find(&recorder.stacks, t->stack_hash);
    if (!id && (id = stacktab_new_id(&recorder.stacks))) {
        define_stack(t, id);
        stacktab_publish(&recorder.stacks, t->stack_hash, id);
    }
    if (!id)
        __atomic_fetch_add(&recorder.spool.header->lost_stacks, 1, __ATOMIC_RELAXED);
    else if (t->stack_tag)
        *t->stack_tag = make_tag(id);
    return id;
}

uint64_t hook_known_stack(const struct hook *h)
{
    const struct thread *t = h->t;
    if (t->stack_tag && tag_holds(*t->stack_tag))
        return tag_id(*t->stack_tag);
    return t->npcs ? stacktab_find(&recorder.stacks, t->stack_hash) : 0;
}

uint64_t hook_wait_stack(struct hook *h)
{
    uint64_t stack = hook_stack(h);
    return h->object.kind && config.max_objects && !h->no_stack ? object_stack(h->t, &h->object, stack) : stack;
}

/* While nothing is recorded, what is mapped is not known: then the caller alone counts. */
void hook_made(struct hook *h, const void *address)
{
    uintptr_t pcs[OBJECT_SITE_FRAMES] = {h->stack.regs.r[UNWIND_PC]};
    const struct unwind_modules *modules = modules_now();
    struct unwind_stack stack;
    int n = 1;
    if (modules) {
        hook_request(h->t, &h->stack);
        h->stack.leaf = 0;
        h->stack.max = OBJECT_SITE_FRAMES;
        n = unwind_capture(&h->t->cache, modules, &h->stack, pcs, &stack);
    }
    object_made(address, pcs, n);
}
