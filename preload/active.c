#include "preload/active.h"

#include <string.h>

uint64_t active_slots[THREADS_MAX / 64];

void mark_all_active(void)
{
    for (const struct thread *t = registry.threads; t; t = t->next)
        mark_active(t);
}

void mark_none_active(void) { memset(active_slots, 0, (registry.nrecords + 63) / 64 * sizeof *active_slots); }

uint32_t count_active(void)
{
    uint32_t nrecords = __atomic_load_n(&registry.nrecords, __ATOMIC_RELAXED), n = 0;
    for (uint32_t word = 0; word < (nrecords + 63) / 64; word++)
        n += (uint32_t)__builtin_popcountll(__atomic_load_n(&active_slots[word], __ATOMIC_RELAXED));
    return n;
}

struct thread *next_active(uint32_t *slot)
{
    uint32_t nrecords = __atomic_load_n(&registry.nrecords, __ATOMIC_RELAXED);
    while (*slot < nrecords) {
        uint64_t marks = __atomic_load_n(&active_slots[*slot / 64], __ATOMIC_ACQUIRE) >> (*slot % 64);
        if (marks) {
            *slot += (uint32_t)__builtin_ctzll(marks) + 1;
            return registry.records[*slot - 1];
        }
        *slot = (*slot | 63) + 1;
    }
    return NULL;
}
