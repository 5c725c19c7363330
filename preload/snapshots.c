#include "preload/snapshots.h"

#include <stddef.h>
#include <sys/mman.h>

#include "lib/unwind/unwind.h"
#include "preload/recorder.h"
#include "preload/thread.h"
#include "preload/upcalls.h"

enum { MODULES_MAX = 1024 };

/* Snapshots are numbered from 1 on. In front of each stands: */
struct replaced {
    struct replaced *next;
    uint64_t by; /* the number of the one that came after it */
} __attribute__((aligned(64)));

/* Those that were replaced, in that order. A capture may be reading any; those up to `unread` nobody reads any more. */
static struct {
    struct replaced *first, **end;
    uint64_t unread;
} old = {.end = &old.first};
static uint64_t made;

/* Of each only the pages that are used exist. */
struct unwind_modules *snapshot_new(void)
{
    struct replaced *s = old.first;
    if (s && s->by <= old.unread) {
        old.first = s->next;
        if (!old.first)
            old.end = &old.first;
    } else {
        long p = sys_mmap(sizeof *s + unwind_modules_size(MODULES_MAX), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (sys_failed(p))
            return NULL;
        s = (struct replaced *)p;
    }
    __atomic_store_n(&made, made + 1, __ATOMIC_RELAXED);
    return unwind_modules_init(s + 1, MODULES_MAX, made);
}

/*
 * Who captures has said so before it loads the pointer to the snapshot: it is in a hook, or in a slot of samples. The
 * statuses of those that wait are written under the lock of the registry. So whoever is in neither when the pointer has
 * changed, and after a barrier in every thread, reads this one from then on. On a busy machine somebody is always in
 * the middle of a hook, so it is kept of each how far it has come. The second barrier is for processors that let a
 * store, of having left, overtake the last loads.
 */
static uint64_t least_read(uint64_t newest)
{
    if (gate_has_fences(&recorder.gate) || !gate_barrier())
        return 0;
    lock_take(&registry.lock);
    uint64_t in_hooks = hooks_have_left(newest), in_slots = upcalls.samples_have_left(newest);
    lock_drop(&registry.lock);
    return !gate_barrier() ? 0 : in_hooks < in_slots ? in_hooks : in_slots;
}

void snapshot_publish(struct unwind_modules *fresh, const struct unwind_modules **current)
{
    struct unwind_modules *before = (struct unwind_modules *)*current;
    __atomic_store_n(current, fresh, __ATOMIC_SEQ_CST);
    if (before) {
        struct replaced *s = (struct replaced *)before - 1;
        *s = (struct replaced){NULL, made};
        *old.end = s;
        old.end = &s->next;
    }
    uint64_t least = least_read(made);
    if (least > old.unread)
        old.unread = least;
}

uint64_t snapshots_made(void) { return __atomic_load_n(&made, __ATOMIC_RELAXED); }

void snapshots_forget(void)
{
    old.first = NULL;
    old.end = &old.first;
}
