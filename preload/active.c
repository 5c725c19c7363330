#include "preload/active.h"

uint64_t active_slots[THREADS_MAX / 64];

void mark_all_active(void)
{
    for (uint32_t slot = 0; slot < registry.nrecords; slot++)
        mark_active(registry.records[slot]);
}

struct thread *next_active(uint32_t *slot)
{
    while (*slot < registry.nrecords) {
        uint64_t marks = __atomic_load_n(&active_slots[*slot / 64], __ATOMIC_RELAXED) >> (*slot % 64);
        if (marks) {
            *slot += (uint32_t)__builtin_ctzll(marks) + 1;
            return registry.records[*slot - 1];
        }
        *slot = (*slot | 63) + 1;
    }
    return NULL;
}
