/* What the entry points of the heap have in common, those of C and those of C++. */
#ifndef THRACE_PRELOAD_HEAP_WRAP_HEAP_H
#define THRACE_PRELOAD_HEAP_WRAP_HEAP_H

#include "preload/heap/allocator.h"
#include "preload/heap/heap.h"
#include "preload/heap/heap_sample.h"
#include "preload/heap/heap_setup.h"
#include "preload/recorder.h"

/*
 * The functions have names of their own in C, so that no declaration or built-in knowledge of malloc has a say in them.
 */
#define ENTRY(name, ret, params)                                                                                       \
    EXPORT ret entry_##name params __asm__(#name);                                                                     \
    ret entry_##name params

/*
 * Other allocators may call themselves by name, which leads to us. An operator new or delete may call malloc or free,
 * or another operator: so the one that was called last notes what it made, and the first one what is dying, and it is
 * counted once. And malloc_usable_size may allocate, which is not counted.
 */
extern __thread struct heap_nested {
    void *made, *freeing;
    uint32_t asking;
} heap_nested __attribute__((tls_model("initial-exec"))) HEAP_HIDDEN;

static inline int64_t heap_size_of(void *p)
{
    if (heap_libc)
        return (int64_t)allocator_libc_size(p);
    heap_nested.asking++;
    size_t size = next_allocator.malloc_usable_size(p);
    heap_nested.asking--;
    return (int64_t)size;
}

/* In a slow half, for a block that `function` made: its stack begins at who called. */
#define ALLOCATED(function, p)                                                                                              \
    do {                                                                                                               \
        if (unlikely(heap_nested.asking))                                                                              \
            break;                                                                                                     \
        int64_t size_ = heap_size_of(p);                                                                               \
        heap_nested.made = p;                                                                                          \
        heap_count(size_);                                                                                             \
        if (heap_interval && unlikely(heap_is_late)) /* a block that was there died where nobody saw it */             \
            heap_sample_may_be_freed(p);                                                                               \
        if (heap_interval && unlikely(heap_sample_due(size_))) {                                                       \
            struct hook h_;                                                                                            \
            UNWIND_CALLER_REGS(&h_.stack.regs);                                                                        \
            h_.stack.leaf = (uintptr_t)(function) + 1;                                                                 \
            heap_sample_allocated(&h_, p, size_);                                                                           \
        }                                                                                                              \
        if (unlikely(heap_events))                                                                                     \
            heap_event(p, size_);                                                                                      \
    } while (0)

/* In a slow half, for a block that is about to die. */
static inline void heap_freed(void *p)
{
    if (p == heap_nested.freeing || unlikely(heap_nested.asking))
        return;
    if (p == heap_nested.made)
        heap_nested.made = NULL;
    heap_count(-heap_size_of(p));
    if (heap_interval)
        heap_sample_may_be_freed(p);
    if (unlikely(heap_events))
        heap_event(p, -1);
}

/* new and delete of a module that has none to go to. */
void *heap_without_operator(size_t n, size_t align);
void heap_free(void *p);

#endif
