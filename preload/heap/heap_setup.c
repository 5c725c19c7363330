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

void heap_fill(struct spool_header *h)
{
    if (!(config.classes & CLASS_HEAP))
        return;
    h->heap.state = heap_counts ? SPOOL_HEAP_COUNTED : SPOOL_HEAP_FOREIGN;
    h->heap.interval = heap_interval;
}

void heap_end(void)
{
    heap_sample_end();
    heap_write_last();
}
