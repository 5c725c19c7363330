/*
 * Regions: what a thread does, one inside the other.
 *
 * Readers hold a thread's regions against each other: an end must be that of the innermost one. So the thread's record
 * has the stack of them. A region whose begin was lost ends without an event; an end that could not be written is made
 * up for before the next begin or end. Of regions that began before the recording only the ends are written, when all
 * that began in it have ended, which readers take.
 *
 * Programs put them around a hundred instructions of their own. So there are two ways: one without a call and without a
 * struct hook, for when nothing is unusual, and one for all else, which begins anew.
 */
#include <stddef.h>
#include <string.h>

#include "lib/sched_txn.h"
#include "lib/unwind/memo.h"
#include "preload/annotate/annotate.h"
#include "preload/annotate/event.h"
#include "preload/modules.h"

EXPORT void thrace_annotate_region_begin(const char *name);
EXPORT void thrace_annotate_region_end(void);

static bool is_open(const struct region *region)
{
    return region->state == REGION_OPEN || region->state == REGION_LOST;
}

/* Its task and its name as arguments of an event. A short number goes with the name's bytes, in one store with room. */
IN_LINE uint8_t *put_task_and_name(uint8_t *p, const struct region *region)
{
    if (unlikely(!region->name || region->task >= 0x80))
        return varint_put(varint_put(p, region->task), name_id(region->name));
    uint64_t bytes = region->task | name_id_bytes(region->name) << 8;
    _Static_assert(1 + NAME_ID_BYTES <= sizeof bytes && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "in their order");
    memcpy(p, &bytes, sizeof bytes);
    return p + 1 + NAME_ID_BYTES;
}

/*
 * In a section with room. False: the model does not allow it. A thread that is torn out before wrote_region gets its
 * stack of regions put in order by hook_recover.
 */
IN_LINE bool put_region(struct thread *t, enum event_id id, const struct region *region, uint64_t stack, uint64_t ticks)
{
    t->regions.commits = t->sched.commits;
    compiler_barrier(); /* the two are no vector */
    t->regions.from = t->regions.depth;
    compiler_barrier();
    t->regions.writes = id;
    compiler_barrier();
    struct txn x;
    if (unlikely(!txn_open(&x, &recorder.sched, &t->sched, GO_RUNNING, ticks)))
        return false;
    *x.pos = (uint8_t)id;
    x.pos = varint_put(x.pos + 1, txn_dt(&x, ANY));
    x.pos = varint_put(put_task_and_name(x.pos, region), stack);
    return txn_end(&x);
}

IN_LINE void wrote_region(struct thread *t)
{
    compiler_barrier();
    t->regions.writes = EV_None;
}

/* --- the usual way ------------------------------------------------------------------------------------------------ */

/* As hook_enter. False also for what that has to look at. */
IN_LINE bool enter_quickly(struct thread *t, uintptr_t sp)
{
    if ((uintptr_t)t <= (uintptr_t)THREAD_OFF || t->shared || t->hook_sp)
        return false;
    enter_hook(t, sp);
    return true;
}

/* As hook_stack, in a hook and a section. False: the stack has no ID yet, or is a deep one. */
IN_LINE bool known_stack(struct thread *t, struct unwind_request *from, uint64_t *id)
{
    *id = 0;
    if (!(config.stack_kinds & STACK_OF_CALL))
        return true;
    from->leaf = 0;
    hook_request(t, from);
    const struct unwind_memo *seen = memo_find_small(&t->cache, modules_now(), from).head;
    if (!seen || !tag_holds(seen->tag))
        return false;
    *id = tag_id(seen->tag);
    return true;
}

IN_LINE bool write_quickly(struct thread *t, struct unwind_request *from, enum event_id id, const struct region *region)
{
    uint64_t stack;
    bool done = false;
    if (unlikely(!section_try(t, 0)))
        return false;
    if (likely(is_defined(region->name) && recorder.clock.source == CLOCK_SOURCE_COUNTER &&
               known_stack(t, from, &stack)))
        done = put_region(t, id, region, stack, clock_ticks_at(&recorder.clock, clock_counter()));
    section_leave(t);
    return done;
}

/* From is a caller's. False: nothing has changed. */
IN_LINE bool begin_quickly(struct unwind_request *from, struct name *n, uint64_t task)
{
    struct thread *t = self;
    if (unlikely(!enter_quickly(t, from->regs.r[UNWIND_SP])))
        return false;
    uint32_t depth = t->regions.depth;
    struct region *region = &t->regions.v[depth % REGIONS_MAX];
    if (likely(depth < REGIONS_MAX && (!depth || is_open(region - 1)))) {
        *region = (struct region){n, task == ANNOTATE_OWN_TASK ? t->task : task, REGION_OPEN, 0};
        if (likely(write_quickly(t, from, EV_UserRegionBegin, region))) {
            t->regions.depth = depth + 1;
            wrote_region(t);
            hook_done(t);
            return true;
        }
        wrote_region(t);
    }
    t->hook_sp = 0;
    return false;
}

/* Likewise. A thread that is torn out of it has ended the region, and settle writes that. */
IN_LINE bool end_quickly(struct unwind_request *from)
{
    struct thread *t = self;
    if (unlikely(!enter_quickly(t, from->regs.r[UNWIND_SP])))
        return false;
    uint32_t before = t->regions.depth - 1;
    struct region *region = &t->regions.v[before % REGIONS_MAX];
    if (likely(before < REGIONS_MAX && region->state == REGION_OPEN && (!before || is_open(region - 1)))) {
        region->state = REGION_ENDED;
        if (likely(write_quickly(t, from, EV_UserRegionEnd, region))) {
            t->regions.depth = before;
            wrote_region(t);
            hook_done(t);
            return true;
        }
        region->state = REGION_OPEN;
        wrote_region(t);
    }
    t->hook_sp = 0;
    return false;
}

/* --- the other way ------------------------------------------------------------------------------------------------ */

static bool write_region(struct hook *h, enum event_id id, const struct region *region)
{
    struct thread *t = h->t;
    if (!annotation_section(h, region->name, 0))
        return false;
    define_name(t, region->name);
    uint64_t stack = hook_stack(h);
    bool done = put_region(t, id, region, stack, now());
    section_leave(t);
    if (!done)
        count_lost(LOST_SAID, LOSS_STATE);
    return done;
}

/* Takes the regions that have ended off the stack. False: an end could not be written. */
static bool settle(struct hook *h)
{
    struct thread *t = h->t;
    for (uint32_t depth; (depth = __atomic_load_n(&t->regions.depth, __ATOMIC_RELAXED)) && depth <= REGIONS_MAX;) {
        struct region *innermost = &t->regions.v[depth - 1];
        if (is_open(innermost))
            break;
        bool done = innermost->state == REGION_GONE || !recording() || write_region(h, EV_UserRegionEnd, innermost);
        t->regions.depth = depth - done;
        wrote_region(t);
        if (!done)
            return false;
    }
    return true;
}

static void end_region(struct region *region)
{
    region->state = region->state == REGION_OPEN ? REGION_ENDED : REGION_GONE;
}

/* What began there and has no end, and what is within that, as longjmp leaves it. */
static bool end_left(struct thread *t, uint32_t place)
{
    uint32_t depth = t->regions.depth < REGIONS_MAX ? t->regions.depth : REGIONS_MAX, i = depth;
    while (i && (t->regions.v[i - 1].place != place || !is_open(&t->regions.v[i - 1])))
        i--;
    if (!i)
        return false;
    for (t->regions.depth = depth; i <= depth; i++)
        if (is_open(&t->regions.v[i - 1]))
            end_region(&t->regions.v[i - 1]);
    return true;
}

/* Where a probe is, in which call; 0: it is none. */
static uint32_t place_of(const struct unwind_regs *at)
{
    return at ? (uint32_t)((at->r[UNWIND_PC] ^ at->r[UNWIND_SP] << 17) * UINT64_C(0x9e3779b97f4a7c15) >> 32) | 1 : 0;
}

void annotate_region_end_left(const struct unwind_regs *at)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, at))
        return;
    if (end_left(h.t, place_of(at))) {
        hook_capture(&h);
        settle(&h);
    }
    hook_leave(&h);
}

static OUT_OF_LINE void begin(const struct unwind_regs *at, struct name *n, uint64_t task)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, at))
        return;
    struct thread *t = h.t;
    if (t->regions.depth < REGIONS_MAX) {
        hook_capture(&h);
        bool settled = settle(&h), writes = recording();
        struct region *region = &t->regions.v[t->regions.depth];
        *region = (struct region){n, task == ANNOTATE_OWN_TASK ? t->task : task, writes ? REGION_LOST : REGION_OPEN,
                                  place_of(at)};
        if (writes && !settled)
            count_lost(LOST_SAID, LOSS_STATE);
        else if (writes && write_region(&h, EV_UserRegionBegin, region))
            region->state = REGION_OPEN;
    } else if (recording()) {
        count_lost(LOST_SAID, LOSS_ROOM);
    }
    t->regions.depth++;
    wrote_region(t);
    hook_leave(&h);
}

/* The innermost region that the program has not ended; NULL: none is known. */
static struct region *innermost_region(struct thread *t)
{
    for (uint32_t i = t->regions.depth; i-- > 0;)
        if (is_open(&t->regions.v[i]))
            return &t->regions.v[i];
    return NULL;
}

static OUT_OF_LINE void end(const struct unwind_regs *at)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, at))
        return;
    struct thread *t = h.t;
    if (t->regions.depth > REGIONS_MAX) {
        t->regions.depth--;
    } else {
        struct region *region = innermost_region(t);
        if (region)
            end_region(region);
        hook_capture(&h);
        settle(&h);
    }
    hook_leave(&h);
}

/* While nothing is heard: whoever is still in one of the functions here takes any depth that he finds. */
void annotate_forget_regions(void)
{
    lock_take(&registry.lock);
    for (struct thread *t = registry.threads; t; t = t->next)
        __atomic_store_n(&t->regions.depth, 0, __ATOMIC_RELAXED);
    lock_drop(&registry.lock);
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

OUT_OF_LINE void annotate_region_begin(const struct unwind_regs *at, struct name *n, uint64_t task)
{
    struct unwind_request from;
    UNWIND_CALLER_REGS(&from.regs);
    if (unlikely(at || !begin_quickly(&from, n, task)))
        begin(at, n, task);
}

OUT_OF_LINE void annotate_region_end(const struct unwind_regs *at)
{
    struct unwind_request from;
    UNWIND_CALLER_REGS(&from.regs);
    if (unlikely(at || !end_quickly(&from)))
        end(at);
}

void thrace_annotate_region_begin(const char *name)
{
    if (hooked())
        annotate_region_begin(NULL, name_of(name), ANNOTATE_OWN_TASK);
}

void thrace_annotate_region_end(void)
{
    if (hooked())
        annotate_region_end(NULL);
}
