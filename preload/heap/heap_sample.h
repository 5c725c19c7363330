/*
 * Sampled blocks: of all bytes that are allocated, one in `interval` is picked, by chance, and the block that it is in
 * is recorded with the stack it was allocated from. When that block dies, this is recorded, too. So the larger a block,
 * the likelier it is picked; `thrace finish` reckons back.
 */
#ifndef THRACE_PRELOAD_HEAP_HEAP_SAMPLE_H
#define THRACE_PRELOAD_HEAP_HEAP_SAMPLE_H

#include "preload/heap/heap.h"
#include "preload/hook.h"

/*
 * A bit for each number that a sampled block hashes to. Most frees look here and go on. Neighbours in memory are
 * neighbours here: what a program works with at a time is in a few lines of the cache.
 */
enum { HEAP_FILTER_BITS = 15 };
extern uint8_t heap_filter[1 << (HEAP_FILTER_BITS - 3)] HEAP_HIDDEN;
extern uint64_t heap_interval HEAP_HIDDEN; /* 0: no samples */

static inline uint32_t heap_filter_bit(const void *p)
{
    uintptr_t unit = (uintptr_t)p >> 4;
    return (uint32_t)(unit ^ unit >> HEAP_FILTER_BITS) & ((1u << HEAP_FILTER_BITS) - 1);
}

/* The program ran before the library was there: not every block that dies, or lives, is known. */
extern bool heap_is_late HEAP_HIDDEN;

/* False when there is no memory for it. In the constructor, or before slots lead to the allocator. */
bool heap_sample_begin(uint64_t interval);

bool heap_sample_draw(struct heap_slot *s, int64_t size) HEAP_HIDDEN;

/* Whether one of the block's bytes is picked. */
static inline bool heap_sample_due(int64_t size)
{
    struct heap_slot *s = heap_slot;
    if (!heap_has_slot(s) || __builtin_expect((s->until_sample -= size) > 0, 1))
        return false;
    return heap_sample_draw(s, size);
}

/* The block that was just allocated. h has the stack to begin with. */
void heap_sample_allocated(struct hook *h, const void *p, int64_t size) HEAP_HIDDEN;

/* The block is about to die. */
void heap_sample_freed(const void *p) HEAP_HIDDEN;

/*
 * The same in two steps, for a realloc, which may fail: take gives the number of the sample, or 0. The sample is then
 * reported as freed or put back, before anybody else can free the block.
 */
uint64_t heap_sample_take(const void *p);
void heap_sample_report_free(uint64_t id);
void heap_sample_put_back(const void *p, uint64_t id);

static inline bool heap_sample_may_be(const void *p)
{
    uint32_t bit = heap_filter_bit(p);
    return __builtin_expect(__atomic_load_n(&heap_filter[bit / 8], __ATOMIC_RELAXED) >> bit % 8 & 1, 0);
}

static inline void heap_sample_may_be_freed(const void *p)
{
    if (heap_sample_may_be(p))
        heap_sample_freed(p);
}

/* At the end: frees that nobody could record. */
void heap_sample_end(void);

#endif
