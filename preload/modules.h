/* What code is mapped where. */
#ifndef THRACE_PRELOAD_MODULES_H
#define THRACE_PRELOAD_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_modules;

/* For the unwinder. Who reads it is in a hook, in a slot of samples, or behind a closed gate. */
struct module_map {
    const struct unwind_modules *snapshot;
    uint32_t unloading; /* threads inside dlclose: a module of the snapshot may be gone */
};
extern struct module_map module_map;

static inline const struct unwind_modules *modules_now(void)
{
    return __atomic_load_n(&module_map.snapshot, __ATOMIC_ACQUIRE);
}

/* Once, in the constructor: the path of the executable, which is kept. */
void modules_init(const char *exe);

/* Publishes what is mapped now and records it. Calls dl_iterate_phdr: not in a section, not in a signal handler. */
void modules_refresh(void);

/* Whether anything was ever published, without which no stack can be taken. 0: yes; -ENOMEM; -EBUSY: it is being made. */
int modules_missing(void);

/* How often that has found another list of modules than before. */
uint64_t modules_changes(void);

/* Where the module that has this pc lies: from <= pc < to. False: nowhere, and empty. */
struct module_span {
    uintptr_t from, to;
};
bool module_span_of(uintptr_t pc, struct module_span *span);

/* What a note of a module says, that has this type and is of whom these 4 bytes name; bytes NULL: there is none. */
struct module_note {
    const uint8_t *bytes;
    size_t len;
};
struct dl_phdr_info;
struct module_note module_note(const struct dl_phdr_info *info, uint32_t type, const char *of);

/*
 * A stack goes through code that is in no module that is known: something may have been loaded, which nobody tells.
 * Maintenance looks, but not all the time, because a JIT compiler makes such code as well. Safe in signal handlers.
 */
void modules_may_be_new(void);
bool modules_wanted(void);

/* A session begins: records what has been published. */
void modules_restart(void);

/* In the child of a fork. */
void modules_forget_lock(void);

#endif
