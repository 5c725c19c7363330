/*
 * The allocator's entry points. Each does the real call and counts; its slow half, which it jumps to, also knows what
 * is rare: the next allocator is not known yet, the block is the arena's, nothing is to be counted.
 *
 * A free is counted before the real call: after it the block may be another thread's. What a size of 0, an overflow or
 * a pointer that is none leads to is for the allocator to say: every call is passed on as it came.
 */
#include <errno.h>
#include <stdlib.h>

#include "preload/heap/wrap_heap.h"

#define next next_allocator

__thread struct heap_nested heap_nested __attribute__((tls_model("initial-exec")));

/*
 * The fast halves jump to what is rare, so that they need no stack frame for it.
 */
static SLOW void *count_without_slot(void *p)
{
    heap_count_without_slot((int64_t)allocator_libc_size(p));
    return p;
}

static SLOW void *count_and_flush(void *p)
{
    heap_flush(heap_slot);
    return p;
}

static inline void *count_libc_block(void *p)
{
    struct heap_slot *s = heap_slot;
    if (unlikely(!p))
        return p;
    if (!heap_has_slot(s))
        return count_without_slot(p);
    heap_add(&s->delta, (int64_t)allocator_libc_size(p));
    return heap_wants_flush(s) ? count_and_flush(p) : p;
}

/* --- allocating --------------------------------------------------------------------------------------------------- */

#define ALLOCATES(name, params, args, size, align)                                                                     \
    static OUT_OF_LINE void *name##_slow params                                                                        \
    {                                                                                                                  \
        if (!heap_ready())                                                                                             \
            return arena_take(size, align);                                                                            \
        void *p = next.name args;                                                                                      \
        if (p && heap_counts)                                                                                          \
            ALLOCATED(next.name, p);                                                                                        \
        return p;                                                                                                      \
    }                                                                                                                  \
    ENTRY(name, void *, params) { return heap_is_fast() ? count_libc_block(next.name args) : name##_more args; }

/* With samples, in front of libc's allocator: the same, and one more count. */
static SLOW void *count_and_sample(void *p)
{
    struct heap_slot *s = heap_slot;
    int64_t size = (int64_t)allocator_libc_size(p);
    if (heap_wants_flush(s))
        heap_flush(s);
    if (s->until_sample <= 0 && heap_sample_draw(s, size)) {
        struct hook h;
        UNWIND_CALLER_REGS(&h.stack.regs);
        h.stack.leaf = (uintptr_t)next.malloc + 1;
        heap_sample_allocated(&h, p, size);
    }
    return p;
}

static OUT_OF_LINE void *malloc_sampled(size_t n)
{
    void *p = next.malloc(n);
    struct heap_slot *s = heap_slot;
    if (unlikely(!p))
        return p;
    if (!heap_has_slot(s))
        return count_without_slot(p);
    int64_t size = (int64_t)allocator_libc_size(p);
    heap_add(&s->delta, size);
    s->until_sample -= size;
    return unlikely(s->until_sample <= 0 || heap_wants_flush(s)) ? count_and_sample(p) : p;
}

static void *malloc_slow(size_t n);
static inline void *malloc_more(size_t n) { return heap_is_sampled() ? malloc_sampled(n) : malloc_slow(n); }

ALLOCATES(malloc, (size_t n), (n), n, 1)
#define calloc_more calloc_slow
#define memalign_more memalign_slow
#define aligned_alloc_more aligned_alloc_slow
#define valloc_more valloc_slow
#define pvalloc_more pvalloc_slow
ALLOCATES(calloc, (size_t n, size_t size), (n, size), arena_product(n, size), 1)
ALLOCATES(memalign, (size_t align, size_t n), (align, n), n, align)
ALLOCATES(aligned_alloc, (size_t align, size_t n), (align, n), n, align)
ALLOCATES(valloc, (size_t n), (n), n, 4096)
ALLOCATES(pvalloc, (size_t n), (n), n, 4096)

static OUT_OF_LINE int posix_memalign_slow(void **p, size_t align, size_t n)
{
    if (!heap_ready())
        return (*p = arena_take(n, align)) ? 0 : ENOMEM;
    int err = next.posix_memalign(p, align, n);
    if (!err && heap_counts)
        ALLOCATED(next.posix_memalign, *p);
    return err;
}

ENTRY(posix_memalign, int, (void **p, size_t align, size_t n))
{
    if (!heap_is_fast())
        return posix_memalign_slow(p, align, n);
    int err = next.posix_memalign(p, align, n);
    if (!err)
        count_libc_block(*p);
    return err;
}

/* --- blocks that die ---------------------------------------------------------------------------------------------- */

static OUT_OF_LINE void free_slow(void *p)
{
    if (!p || arena_has(p) || !heap_ready())
        return;
    if (heap_counts)
        heap_freed(p);
    next.free(p);
}

static SLOW void free_and_flush(void *p)
{
    heap_flush(heap_slot);
    next.free(p);
}

static SLOW void free_rare(void *p)
{
    heap_sample_may_be_freed(p);
    if (heap_wants_flush(heap_slot))
        heap_flush(heap_slot);
    next.free(p);
}

static OUT_OF_LINE void free_sampled(void *p)
{
    struct heap_slot *s = heap_slot;
    if (!p)
        return;
    if (!heap_has_slot(s)) {
        free_slow(p);
        return;
    }
    heap_add(&s->delta, -(int64_t)allocator_libc_size(p));
    if (heap_sample_may_be(p) || heap_wants_flush(s))
        free_rare(p);
    else
        next.free(p);
}

ENTRY(free, void, (void *p))
{
    struct heap_slot *s;
    if (!heap_is_fast() || !heap_has_slot(s = heap_slot)) {
        if (heap_is_sampled())
            free_sampled(p);
        else
            free_slow(p);
        return;
    }
    if (unlikely(!p))
        return;
    heap_add(&s->delta, -(int64_t)allocator_libc_size(p));
    if (heap_wants_flush(s))
        free_and_flush(p);
    else
        next.free(p);
}

/* --- blocks that change ------------------------------------------------------------------------------------------- */

/* Exported names are not called from here: before we are relocated that leads nowhere, and later to who knows whom. */
static OUT_OF_LINE void *out_of_arena(void *old, size_t n)
{
    size_t size = arena_size(old);
    void *p = malloc_slow(n);
    if (p)
        arena_copy(p, old, n < size ? n : size);
    return p;
}

/* The sample comes out of the table before the real call, like every free, and goes back if the block lives on. */
static OUT_OF_LINE void *realloc_slow(void *old, size_t n)
{
    if (old && arena_has(old))
        return out_of_arena(old, n);
    if (!heap_ready())
        return old ? NULL : arena_take(n, 1);
    if (!heap_counts)
        return next.realloc(old, n);
    int64_t before = old ? heap_size_of(old) : 0;
    uint64_t sample = old && heap_interval ? heap_sample_take(old) : 0;
    heap_count(-before);
    if (old && unlikely(heap_events))
        heap_event(old, -1);
    void *p = next.realloc(old, n);
    if (!p && n) { /* NULL for a size of 0 says that it is gone, where the allocator does that */
        heap_count(before);
        if (sample)
            heap_sample_put_back(old, sample);
        if (old && unlikely(heap_events))
            heap_event(old, before);
        return NULL;
    }
    if (sample)
        heap_sample_report_free(sample);
    if (p)
        ALLOCATED(next.realloc, p);
    return p;
}

static inline void *resize(void *old, size_t n)
{
    if (!heap_is_fast())
        return realloc_slow(old, n);
    int64_t before = old ? (int64_t)allocator_libc_size(old) : 0;
    void *p = next.realloc(old, n);
    if (p)
        heap_count((int64_t)allocator_libc_size(p) - before);
    else if (!n)
        heap_count(-before);
    return p;
}

ENTRY(realloc, void *, (void *old, size_t n)) { return resize(old, n); }

/*
 * glibc's comes back to realloc, ours or that of an allocator in front of us; others' does not. So what is counted, and
 * does not fail, is a realloc.
 */
ENTRY(reallocarray, void *, (void *old, size_t n, size_t size))
{
    size_t product;
    bool ready = heap_ready();
    if (ready && !heap_counts)
        return next.reallocarray(old, n, size);
    if (!__builtin_mul_overflow(n, size, &product))
        return resize(old, product);
    return ready ? next.reallocarray(old, n, size) : NULL;
}

ENTRY(malloc_usable_size, size_t, (void *p))
{
    if (p && arena_has(p))
        return arena_size(p);
    return p && heap_ready() ? next.malloc_usable_size(p) : 0;
}

void *heap_without_operator(size_t n, size_t align) { return align > 1 ? memalign_slow(align, n) : malloc_slow(n); }
void heap_free(void *p) { free_slow(p); }

/* The exported name is that of whoever comes first. */
extern __typeof__(entry_malloc) own_malloc __attribute__((alias("malloc"), visibility("hidden")));
extern __typeof__(entry_malloc_usable_size) own_usable_size
    __attribute__((alias("malloc_usable_size"), visibility("hidden")));

const struct heap_own heap_own = {(const void *)own_malloc, (const void *)own_usable_size};
