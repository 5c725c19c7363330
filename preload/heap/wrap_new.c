/*
 * C++'s operators. Where they are libstdc++'s they are only passed on, which costs a jump: malloc and free count. What
 * an operator throws, and whom it asks first, is for the next one to say; nothing of ours is in between but a frame.
 *
 * A block that new made may end in free, and one of malloc in delete: both count what the allocator says of it.
 */
#include <stddef.h>

#include "preload/heap/wrap_heap.h"
#include "preload/heap/operators.h"

_Static_assert(sizeof(size_t) == sizeof(unsigned long), "operators.def has the names for an unsigned long");

/*
 * The slow paths are told who calls: an optimising compiler makes their call a jump, so that the caller's address is
 * where they return to, but another one does not.
 */
#define LIST(...) __VA_ARGS__

#define THRACE_NEW(name, params, args, size, align)                                                                    \
    static OUT_OF_LINE void *name##_slow(const void *caller, LIST params)                                              \
    {                                                                                                                  \
        bool counted;                                                                                                  \
        if (!heap_ready())                                                                                             \
            return arena_take(size, align);                                                                            \
        void *(*f) params = (void *(*)params)operator_next(OPERATOR_##name, caller, &counted);                         \
        if (unlikely(!f))                                                                                              \
            return heap_without_operator(size, align);                                                                 \
        heap_nested.made = NULL;                                                                                       \
        void *p = f args;                                                                                              \
        if (p && p != heap_nested.made && counted && heap_counts)                                                      \
            ALLOCATED(f, p);                                                                                                \
        return p;                                                                                                      \
    }                                                                                                                  \
    ENTRY(name, void *, params)                                                                                        \
    {                                                                                                                  \
        void *(*f) params = (void *(*)params)__atomic_load_n(&operator_passed[OPERATOR_##name], __ATOMIC_ACQUIRE);     \
        return likely(f) ? f args : name##_slow(__builtin_return_address(0), LIST args);                               \
    }

#define THRACE_DELETE(name, params, args)                                                                              \
    static OUT_OF_LINE void name##_slow(const void *caller, LIST params)                                               \
    {                                                                                                                  \
        bool counted;                                                                                                  \
        if (!p || arena_has(p) || !heap_ready())                                                                       \
            return;                                                                                                    \
        void (*f) params = (void (*)params)operator_next(OPERATOR_##name, caller, &counted);                           \
        if (unlikely(!f)) {                                                                                            \
            heap_free(p);                                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        void *outer = heap_nested.freeing;                                                                               \
        if (counted && heap_counts) {                                                                                  \
            heap_freed(p);                                                                                              \
            heap_nested.freeing = p;                                                                                     \
        }                                                                                                              \
        f args;                                                                                                        \
        heap_nested.freeing = outer;                                                                                     \
    }                                                                                                                  \
    ENTRY(name, void, params)                                                                                          \
    {                                                                                                                  \
        void (*f) params = (void (*)params)__atomic_load_n(&operator_passed[OPERATOR_##name], __ATOMIC_ACQUIRE);       \
        if (likely(f))                                                                                                 \
            f args;                                                                                                    \
        else                                                                                                           \
            name##_slow(__builtin_return_address(0), LIST args);                                                       \
    }

#include "preload/heap/operators.def"
