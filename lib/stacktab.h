/*
 * The stacks of the open generation: hash of the PCs → stack id; and what is waited for, likewise. Lock-free and of
 * fixed size; a thread that is torn out of it leaves it usable. Two stacks are taken for one when all 64 bits of their
 * hashes agree; with 10,000 stacks in the table that happens once in 10^11 generations.
 */
#ifndef THRACE_LIB_STACKTAB_H
#define THRACE_LIB_STACKTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stacktab_slot {
    uint64_t hash; /* 0: free */
    uint32_t id;   /* 0: its definition is being written */
    uint32_t pad;
};

struct stacktab {
    uint32_t next_id;
    uint32_t nslots; /* a power of two */
    uint32_t *slot_of; /* by id: what stacktab_clear has to clear; 0 when the id got no slot */
    struct stacktab_slot *slots;
};

/* Ids of a table with so many slots go from 1 to this. */
#define STACKTAB_MAX(nslots) ((nslots) / 4 * 3)

/* How many ids were asked for. */
static inline uint32_t stacktab_count(const struct stacktab *t)
{
    return __atomic_load_n(&t->next_id, __ATOMIC_RELAXED);
}

/* Never 0. */
uint64_t stack_hash(const uintptr_t *pcs, int n);

/* The id of the stack with this hash, 0 when it has none yet. */
uint32_t stacktab_find(const struct stacktab *t, uint64_t hash);

/* An id for a stack that stacktab_find did not find; 0 when the table is full. Define it, then stacktab_publish. */
uint32_t stacktab_new_id(struct stacktab *t);

/* Makes (hash, id) known. Another thread may have been first with another id: both are defined, both are right. */
void stacktab_publish(struct stacktab *t, uint64_t hash, uint32_t id);

/* Forgets everything; nobody else may use the table meanwhile. */
void stacktab_clear(struct stacktab *t);

#endif
