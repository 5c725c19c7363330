/* The stacks of waits with the objects in front. */
#include "preload/objects.h"

#include "lib/meta.h"
#include "preload/config.h"
#include "preload/descriptors.h"
#include "preload/recorder.h"
#include "preload/thread.h"

_Static_assert(STACKTAB_MAX(OBJECT_STACK_SLOTS) < WAIT_STACK_END - WAIT_STACK_BASE, "stacks of waits have room");
_Static_assert(STACKTAB_MAX(STACK_SLOTS) < WAIT_STACK_BASE && (int)WAIT_STACK_END <= (int)START_STACK_BASE,
               "ids of stacks, of stacks with an object and of starts differ");

static uint64_t pair_hash(uint64_t stack, const struct object *o)
{
    return stack_hash((uintptr_t[]){stack, (uintptr_t)o->kind, o->address}, 3);
}

void object_describe(struct thread *t, const struct object *o, uint64_t stack)
{
    if (!object_is_descriptor(o->kind) || (stack && stacktab_find(&recorder.object_stacks, pair_hash(stack, o))))
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
    uint32_t len;
    const char *text = object_text(t, o, &len);
    int n = object_is_in_memory(o->kind) && o->address ? object_site((const void *)(uintptr_t)o->address, site) : 0;
    meta_begin(&r, buf, sizeof buf, META_WAIT_STACK);
    meta_int(&r, WAIT_STACK_BASE + id);
    meta_int(&r, stack);
    meta_int(&r, o->kind);
    meta_int(&r, o->address);
    meta_text(&r, text, len);
    meta_int(&r, (uint64_t)n);
    for (int i = 0; i < n; i++)
        meta_int(&r, site[i]);
    chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
}

static uint32_t stack_of_pair(struct thread *t, const struct object *o, uint64_t stack)
{
    struct stacktab *pairs = &recorder.object_stacks;
    uint64_t hash = pair_hash(stack, o);
    uint32_t id = stacktab_find(pairs, hash);
    bool room = !o->address || stacktab_count(pairs) < config.max_objects;
    if (likely(id) || !room || !(id = stacktab_new_id(pairs)))
        return id;
    define(t, o, id, stack);
    stacktab_publish(pairs, hash, id);
    return id;
}

/* Beyond the limit, objects of a kind are one. */
uint64_t object_stack(struct thread *t, const struct object *o, uint64_t stack)
{
    uint32_t id = stack_of_pair(t, o, stack);
    if (unlikely(!id) && o->address)
        id = stack_of_pair(t, &(struct object){.kind = o->kind}, stack);
    return id ? WAIT_STACK_BASE + id : stack;
}
