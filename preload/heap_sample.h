/*
 * Sampled blocks: of all bytes that are allocated, one in `interval` is picked, by chance, and the block that it is in is
 * recorded with the stack it was allocated from. When that block dies, this is recorded, too. So the larger a block, the
 * likelier it is picked; `thrace finish` reckons back.
 */
#ifndef THRACE_PRELOAD_HEAP_SAMPLE_H
#define THRACE_PRELOAD_HEAP_SAMPLE_H

#include "preload/heap.h"
#include "preload/hook.h"

/* What blocks may be sampled hash to; a count of them. Most frees look here and go on. */
enum { HEAP_FILTER_BITS = 14 };
extern uint8_t heap_filter[1 << HEAP_FILTER_BITS] HEAP_HIDDEN;
extern uint64_t heap_interval HEAP_HIDDEN; /* 0: no samples */

static inline uint64_t heap_hash(const void *p) { return ((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15); }

/* False when there is no memory for it. Once, in the constructor. */
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

/* The block that was just born. h has the stack to begin with. */
void heap_sample_born(struct hook *h, const void *p, int64_t size) HEAP_HIDDEN;

/* The block is about to die. */
void heap_sample_dies(const void *p) HEAP_HIDDEN;
static inline bool heap_sample_may_be(const void *p)
{
    return __builtin_expect(heap_filter[heap_hash(p) >> (64 - HEAP_FILTER_BITS)] != 0, 0);
}

static inline void heap_sample_may_die(const void *p)
{
    if (heap_sample_may_be(p))
        heap_sample_dies(p);
}

/* At the end: deaths that nobody could record. */
void heap_sample_end(void);

#endif
