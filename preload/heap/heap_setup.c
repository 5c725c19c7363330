#include "preload/heap/heap_setup.h"

#include "lib/spool.h"
#include "preload/config.h"
#include "preload/heap/allocator.h"
#include "preload/heap/heap.h"
#include "preload/heap/heap_sample.h"
#include "preload/heap/operators.h"

bool heap_ready(void)
{
    if (__atomic_load_n(&heap_mode, __ATOMIC_ACQUIRE) != HEAP_BOOT)
        return true;
    if (!allocator_find())
        return false;
    heap_counts = allocator_state(heap_own.malloc, heap_own.malloc_usable_size) == ALLOCATOR_COUNTABLE;
    heap_libc = heap_counts && allocator_is_libc();
    __atomic_store_n(&heap_mode, heap_libc && !arena_used ? HEAP_COUNT : HEAP_SLOW, __ATOMIC_RELEASE);
    operators_find(); /* allocates when there are none */
    return true;
}

void heap_begin(bool count, uint64_t interval, bool events)
{
    if (!heap_ready())
        return;
    if (count && heap_counts && interval && heap_sample_begin(interval))
        __atomic_store_n(&heap_mode, heap_libc && !arena_used ? HEAP_SAMPLE : HEAP_SLOW, __ATOMIC_RELEASE);
    if (count && heap_counts && events) {
        heap_events = true;
        __atomic_store_n(&heap_mode, HEAP_SLOW, __ATOMIC_RELEASE);
    }
    if (!count) {
        heap_counts = false;
        __atomic_store_n(&heap_mode, HEAP_SLOW, __ATOMIC_RELEASE);
    }
}

/*
 * The wrappers' slow halves serve calls as long as the process lives: an address that the program has taken from a slot
 * stays with it.
 */
const char *heap_begin_late(uint64_t interval)
{
    if (!interval)
        return NULL;
    if (!heap_ready() || !allocator_is_of_libc())
        return "its allocator is not libc's";
    if (!heap_sample_begin(interval))
        return "memory ran out";
    __atomic_store_n(&heap_is_late, true, __ATOMIC_RELEASE);
    __atomic_store_n(&heap_counts, true, __ATOMIC_RELEASE);
    return NULL;
}

void heap_rest(void)
{
    __atomic_store_n(&heap_counts, false, __ATOMIC_RELEASE);
    __atomic_store_n(&heap_interval, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&heap_is_late, false, __ATOMIC_RELEASE);
}

void heap_fill(struct spool_header *h)
{
    h->heap.interval = heap_interval;
    if (config.classes & CLASS_HEAP)
        h->heap.state = heap_counts ? SPOOL_HEAP_COUNTED : SPOOL_HEAP_FOREIGN;
}

void heap_end(void)
{
    heap_sample_end();
    heap_write_last();
}
