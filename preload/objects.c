/* The stacks of waits with the objects in front. */
#include "preload/objects.h"

#include "lib/meta.h"
#include "preload/config.h"
#include "preload/descriptors.h"
#include "preload/object_frames.h"
#include "preload/recorder.h"
#include "preload/thread.h"

/* Ids of more_pairs come behind those of pairs. */
enum { PAIRS_MAX = STACKTAB_MAX(PAIR_SLOTS) };

_Static_assert(PAIRS_MAX + STACKTAB_MAX(MORE_PAIR_SLOTS) < WAIT_STACK_END - WAIT_STACK_BASE,
               "stacks of waits have room");
_Static_assert(STACKTAB_MAX(STACK_SLOTS) < WAIT_STACK_BASE && (int)WAIT_STACK_END <= (int)START_STACK_BASE,
               "ids of stacks, of stacks with an object and of starts differ");

/* How many pairs have an id, or nearly. */
static uint32_t count_pairs(void)
{
    uint32_t n = stacktab_count(&recorder.pairs);
    return n < PAIRS_MAX ? n : PAIRS_MAX + stacktab_count(&recorder.more_pairs);
}

/* Never 0. */
static inline uint64_t pair_hash(uint64_t stack, const struct object *o)
{
    uint64_t h = (o->address ^ (uint64_t)o->kind << 56) * UINT64_C(0xff51afd7ed558ccd) + stack;
    h += object_frame_phase(o->address) << 40;
    h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return h | 1;
}

static inline uint32_t find_pair(uint64_t hash)
{
    uint32_t id = stacktab_find(&recorder.pairs, hash);
    if (likely(id) || likely(stacktab_count(&recorder.pairs) < PAIRS_MAX))
        return id;
    id = stacktab_find(&recorder.more_pairs, hash);
    return id ? PAIRS_MAX + id : 0;
}

void object_describe(struct thread *t, const struct object *o, uint64_t stack)
{
    if (!o->address || count_pairs() >= config.max_objects || (stack && find_pair(pair_hash(stack, o))))
        return;
    t->described.of = *o;
    t->described.len = descriptor_describe(o->fd, o->kind, t->described.text, sizeof t->described.text);
}

const char *object_text(const struct thread *t, const struct object *o, uint32_t *len)
{
    *len = 0;
    if (object_is_in_memory(o->kind))
        return o->address ? object_name((const void *)(uintptr_t)o->address, len) : NULL;
    if (t->described.of.kind != o->kind || t->described.of.address != o->address || !o->address)
        return NULL;
    *len = t->described.len;
    return t->described.text;
}

static void define(struct thread *t, const struct object *o, uint32_t id, uint64_t stack)
{
    uint8_t buf[OBJECT_RECORD_MAX];
    uintptr_t site[OBJECT_SITE_FRAMES];
    struct meta_record r;
    struct unwind_frame frame;
    uint32_t len;
    const char *text = object_text(t, o, &len);
    int n = object_is_in_memory(o->kind) && o->address ? object_site((const void *)(uintptr_t)o->address, site) : 0;
    meta_begin(&r, buf, sizeof buf, META_WAIT_STACK);
    meta_int(&r, WAIT_STACK_BASE + id);
    meta_int(&r, stack);
    meta_int(&r, o->kind);
    meta_int(&r, o->address);
    meta_text(&r, text, len);
    meta_ints(&r, site, (size_t)n);
    bool is_local = object_is_in_memory(o->kind) && o->address && !text && object_frame(t, o->address, &frame);
    meta_int(&r, is_local ? 3 : 0);
    if (is_local) {
        meta_int(&r, frame.pc);
        meta_int(&r, frame.cfa - o->address);
        meta_int(&r, o->address - frame.sp);
    }
    chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
}

static uint32_t define_pair(struct stacktab *table, struct thread *t, const struct object *o, uint64_t stack,
                            uint64_t hash, uint32_t before)
{
    uint32_t id = stacktab_new_id(table);
    if (!id)
        return 0;
    define(t, o, before + id, stack);
    stacktab_publish(table, hash, id);
    return before + id;
}

static uint32_t new_pair(struct thread *t, const struct object *o, uint64_t stack, uint64_t hash)
{
    uint32_t n = count_pairs(), id = 0;
    if (o->address && n >= config.max_objects)
        return 0;
    if (n < PAIRS_MAX)
        id = define_pair(&recorder.pairs, t, o, stack, hash, 0);
    return id ? id : define_pair(&recorder.more_pairs, t, o, stack, hash, PAIRS_MAX);
}

/* Beyond the limit, objects of a kind are one. */
static OUT_OF_LINE uint32_t unknown_pair(struct thread *t, const struct object *o, uint64_t stack, uint64_t hash)
{
    const struct object any = {.kind = o->kind};
    uint64_t hash_of_any = pair_hash(stack, &any);
    uint32_t id = new_pair(t, o, stack, hash);
    if (!id && o->address && !(id = find_pair(hash_of_any)))
        id = new_pair(t, &any, stack, hash_of_any);
    return id;
}

uint64_t object_stack(struct thread *t, const struct object *o, uint64_t stack)
{
    uint64_t hash = pair_hash(stack, o);
    uint32_t id = find_pair(hash);
    if (unlikely(!id))
        id = unknown_pair(t, o, stack, hash);
    return id ? WAIT_STACK_BASE + id : stack;
}

void objects_forget(void)
{
    stacktab_clear(&recorder.pairs);
    stacktab_clear(&recorder.more_pairs);
}
