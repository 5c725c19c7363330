#include "preload/session/slots.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/lock.h"
#include "preload/annotate/annotate.h"
#include "preload/heap/allocator.h"
#include "preload/heap/heap_sample.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/references.h"
#include "preload/symbols.h"

/* An annotation that leads nowhere, or was not called yet. Another library may have such functions, too. */
static const void *our_annotation(const struct reference *r)
{
    const void *entry = r->value && !r->unbound ? NULL : annotate_entry(r->name);
    return entry && !symbol_anywhere("thrace_annotate_enabled").address ? entry : NULL;
}

/* libc has calls of malloc and free, too, that another allocator may take: it frees what the program has allocated. */
static const void *our_allocator(const struct reference *r)
{
    struct real_hook hook;
    if (!heap_is_late || !allocator_find_hook(r->name, &hook))
        return NULL;
    return (r->unbound && !r->own) || r->value == hook.before_us ? hook.wrapper : NULL;
}

/* A slot that leads elsewhere than the program's own calls was meant for somebody else. */
static const void *ours(const struct reference *r)
{
    struct real_hook hook;
    if (r->own)
        return our_allocator(r);
    if (!r->value || !real_find_hook(r->name, r->version, &hook)) {
        const void *annotation = our_annotation(r);
        return annotation ? annotation : our_allocator(r);
    }
    return r->unbound || r->value == hook.before_us ? hook.wrapper : NULL;
}

/* Annotations stay: who asked a moment ago whether there is such a function calls it now. */
static const void *theirs(const struct reference *r)
{
    struct real_hook hook;
    bool found = is_in_library(r->value) &&
                 (real_find_hook(r->name, r->version, &hook) || allocator_find_hook(r->name, &hook));
    return found ? hook.before_us : NULL;
}

/* No hook needs it. It is held while the loader's is waited for. */
static struct {
    struct lock lock;
    bool taken;
    uint64_t changes; /* of the list of modules, by then */
} slots;

static unsigned lead(bool take)
{
    lock_take(&slots.lock);
    slots.taken = take;
    slots.changes = modules_changes();
    unsigned failed = references_change(take ? ours : theirs);
    lock_drop(&slots.lock);
    return failed;
}

unsigned slots_take(void) { return lead(true); }
unsigned slots_give_back(void) { return lead(false); }

void slots_take_new(void)
{
    uint64_t changes = modules_changes();
    if (!__atomic_load_n(&slots.taken, __ATOMIC_RELAXED) || slots.changes == changes || !lock_try(&slots.lock))
        return;
    if (slots.taken) {
        slots.changes = changes;
        references_change(ours);
    }
    lock_drop(&slots.lock);
}
