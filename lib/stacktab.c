#include "lib/stacktab.h"

uint64_t stack_hash(const uintptr_t *pcs, int n)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(n + 1);
    for (int i = 0; i < n; i++) {
        h = (h ^ pcs[i]) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return h ? h : 1;
}

static uint32_t next(const struct stacktab *t, uint32_t i) { return (i + 1) & (t->nslots - 1); }
static uint32_t bucket(const struct stacktab *t, uint64_t hash) { return (uint32_t)(hash >> 40) & (t->nslots - 1); }

uint32_t stacktab_find(const struct stacktab *t, uint64_t hash)
{
    for (uint32_t i = bucket(t, hash), n = 0; n < t->nslots; i = next(t, i), n++) {
        uint64_t h = __atomic_load_n(&t->slots[i].hash, __ATOMIC_ACQUIRE);
        if (h == hash)
            return __atomic_load_n(&t->slots[i].id, __ATOMIC_ACQUIRE);
        if (!h)
            return 0;
    }
    return 0;
}

uint32_t stacktab_new_id(struct stacktab *t)
{
    uint32_t id = __atomic_add_fetch(&t->next_id, 1, __ATOMIC_RELAXED);
    return id <= STACKTAB_MAX(t->nslots) ? id : 0;
}

/*
 * slot_of comes first: a thread that is torn out after it took the slot leaves one that stacktab_clear finds. Its id
 * then never comes, and the next thread with that stack puts in its own.
 */
void stacktab_publish(struct stacktab *t, uint64_t hash, uint32_t id)
{
    for (uint32_t i = bucket(t, hash), n = 0; n < t->nslots; i = next(t, i), n++) {
        uint64_t h = 0;
        t->slot_of[id] = i;
        if (__atomic_compare_exchange_n(&t->slots[i].hash, &h, hash, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
            h == hash) {
            uint32_t none = 0;
            __atomic_compare_exchange_n(&t->slots[i].id, &none, id, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
            return;
        }
    }
}

void stacktab_clear(struct stacktab *t)
{
    uint32_t last = t->next_id < STACKTAB_MAX(t->nslots) ? t->next_id : STACKTAB_MAX(t->nslots);
    for (uint32_t id = 1; id <= last; id++)
        t->slots[t->slot_of[id]] = (struct stacktab_slot){0};
    t->next_id = 0;
}
