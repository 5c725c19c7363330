#include "preload/operators.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#include "preload/allocator.h"
#include "preload/real.h"
#include "preload/tracer.h"

void *operator_passed[OPERATORS];
static void *counted_next[OPERATORS];

static const char *const names[OPERATORS] = {
#define THRACE_NEW(name, params, args, size, align) #name,
#define THRACE_DELETE(name, params, args) #name,
#include "preload/operators.def"
#undef THRACE_NEW
#undef THRACE_DELETE
};

static const struct link_map *module_of(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

static void set(enum operator_id id, void *f)
{
    bool counted = module_of(f) == module_of((const void *)next_allocator.malloc);
    __atomic_store_n(counted ? &counted_next[id] : &operator_passed[id], f, __ATOMIC_RELEASE);
}

void operators_find(void)
{
    if (!dlsym(RTLD_NEXT, names[0])) { /* a failure takes long: one tells enough of a program in C */
        dlerror();                     /* which is not to be the program's */
        return;
    }
    for (enum operator_id id = 0; id < OPERATORS; id++) {
        void *f = dlsym(RTLD_NEXT, names[id]);
        if (f)
            set(id, f);
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

static void *look_in(const char *path, enum operator_id id)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), *f = handle ? dlsym(handle, names[id]) : NULL;
    if (handle)
        real.dlclose(handle);
    return f;
}

/*
 * What the module's own reference would lead to if the shim were not there: the global scope first, then its own. A
 * module that ends a function with a jump to new seems to be the one that called that function, and may be in C.
 */
static void *resolve(enum operator_id id, const struct link_map *module)
{
    void *f = dlsym(RTLD_NEXT, names[id]);
    if (!f && module && *module->l_name)
        f = look_in(module->l_name, id);
    if (!f && !(f = look_in("libstdc++.so.6", id)))
        f = look_in("libc++abi.so.1", id);
    dlerror();
    return f;
}

void *operator_next(enum operator_id id, const void *caller, bool *counted)
{
    void *f = __atomic_load_n(&counted_next[id], __ATOMIC_ACQUIRE);
    *counted = f;
    if (likely(f) || (f = __atomic_load_n(&operator_passed[id], __ATOMIC_ACQUIRE)))
        return f;
    /* libstdc++'s new[] jumps to new, which then seems to be called from where we called new[]. */
    if (is_in_shim(caller))
        caller = last_caller;
    last_caller = caller;
    uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
    if (!(f = recall_own(id, caller, now)) && (f = resolve(id, module_of(caller))))
        add_own(id, caller, f, now);
    return f;
}
