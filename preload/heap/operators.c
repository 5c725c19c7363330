#include "preload/heap/operators.h"

#include <stdint.h>

#include "preload/heap/allocator.h"
#include "preload/modules.h"
#include "preload/symbols.h"
#include "preload/config.h"
#include "preload/recorder.h"

void *operator_passed[OPERATORS];
static void *counted_next[OPERATORS];

static const char *const names[OPERATORS] = {
#define THRACE_NEW(name, params, args, size, align) #name,
#define THRACE_DELETE(name, params, args) #name,
#include "preload/heap/operators.def"
#undef THRACE_NEW
#undef THRACE_DELETE
};

void operators_find(void)
{
    const void *allocator = allocator_module();
    for (enum operator_id id = 0; id < OPERATORS; id++) {
        struct symbol s = symbol_next(names[id], NULL);
        __atomic_store_n(s.module == allocator ? &counted_next[id] : &operator_passed[id], s.address, __ATOMIC_RELEASE);
    }
}

/* --- those of modules that were loaded later ---------------------------------------------------------------------- */

/*
 * Which operators a module means may be its own affair: it may have a C++ runtime linked into it, whose exceptions no
 * other copy catches. What is known of a module holds until any module goes.
 */
enum { OWN_MAX = 64 };
static struct own {
    uint32_t epoch; /* 0 while it is changed */
    struct module_span module;
    void *f[OPERATORS];
} own[OWN_MAX];
static uint32_t nown, epoch = 1;
static struct lock adding;
static __thread const void *last_caller __attribute__((tls_model("initial-exec")));

static struct own *find_own(const void *caller, uint32_t now)
{
    uint32_t n = __atomic_load_n(&nown, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < OWN_MAX; i++)
        if (__atomic_load_n(&own[i].epoch, __ATOMIC_ACQUIRE) == now &&
            (uintptr_t)caller - own[i].module.from < own[i].module.to - own[i].module.from)
            return &own[i];
    return NULL;
}

static void *recall_own(enum operator_id id, const void *caller, uint32_t now)
{
    const struct own *o = find_own(caller, now);
    if (!o)
        return NULL;
    void *f = __atomic_load_n(&o->f[id], __ATOMIC_ACQUIRE);
    return __atomic_load_n(&o->epoch, __ATOMIC_RELAXED) == now ? f : NULL;
}

static void add_own(enum operator_id id, const void *caller, void *f, uint32_t now)
{
    struct module_span module;
    /* A child of fork may find the lock taken for good. */
    if (!module_span_of((uintptr_t)caller, &module) || !lock_try(&adding))
        return;
    struct own *o = find_own(caller, now);
    if (!o) {
        o = &own[nown % OWN_MAX];
        __atomic_store_n(&o->epoch, 0, __ATOMIC_SEQ_CST);
        o->module = module;
        for (int i = 0; i < OPERATORS; i++)
            __atomic_store_n(&o->f[i], NULL, __ATOMIC_RELEASE);
        __atomic_store_n(&o->epoch, now, __ATOMIC_RELEASE);
        __atomic_store_n(&nown, nown + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&o->f[id], f, __ATOMIC_RELEASE);
    lock_drop(&adding);
}

void operators_forget(void) { __atomic_fetch_add(&epoch, 1, __ATOMIC_RELEASE); }

/* A module that ends a function with a jump to new seems to be the one that called that function, and may be in C. */
static void *resolve(enum operator_id id, const void *caller)
{
    struct symbol_scope scope;
    symbol_scope_of(caller, &scope);
    struct symbol s = symbol_in(&scope, names[id]);
    return s.address ? s.address : symbol_anywhere(names[id]).address;
}

void *operator_next(enum operator_id id, const void *caller, bool *counted)
{
    void *f = __atomic_load_n(&counted_next[id], __ATOMIC_ACQUIRE);
    *counted = f;
    if (likely(f) || (f = __atomic_load_n(&operator_passed[id], __ATOMIC_ACQUIRE)))
        return f;
    /* libstdc++'s new[] jumps to new, which then seems to be called from where we called new[]. */
    if (is_in_library(caller))
        caller = last_caller;
    last_caller = caller;
    uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
    if (!(f = recall_own(id, caller, now)) && (f = resolve(id, caller)))
        add_own(id, caller, f, now);
    return f;
}
