/*
 * What comes after our operators new and delete. libstdc++'s call malloc and free, which are ours, so calls of them are
 * passed on. jemalloc, tcmalloc and mimalloc have operators of their own, whose blocks are counted here.
 *
 * The operators may come with a module that is loaded late and for itself alone. Then what comes next depends on who
 * calls.
 */
#ifndef THRACE_PRELOAD_HEAP_OPERATORS_H
#define THRACE_PRELOAD_HEAP_OPERATORS_H

#include <stdbool.h>

enum operator_id {
#define THRACE_NEW(name, params, args, size, align) OPERATOR_##name,
#define THRACE_DELETE(name, params, args) OPERATOR_##name,
#include "preload/heap/operators.def"
#undef THRACE_NEW
#undef THRACE_DELETE
    OPERATORS
};

/* Those that calls are passed on to, whoever calls; NULL: operator_next has to be asked. */
extern void *operator_passed[OPERATORS] __attribute__((visibility("hidden")));

/* Once, when the allocator is known: those of the modules that the program began with. */
void operators_find(void);

/*
 * The one that a call from that address was meant for; counted: its blocks are the next allocator's, and malloc does
 * not see them. NULL: there is none. Walks the modules the first time that one asks.
 */
void *operator_next(enum operator_id id, const void *caller, bool *counted);

/* A module has gone. */
void operators_forget(void);

#endif
