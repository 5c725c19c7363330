#include "preload/annotate/nvtx_categories.h"

#include <stdbool.h>
#include <stddef.h>

/* Filled in order. Who fills a place sets its key first, which never changes again. */
static struct place {
    uint64_t key; /* 0: free */
    struct name *name;
} places[NVTX_CATEGORIES_MAX];

/* The number of the domain's name, so that no key is 0. */
static uint64_t key_of(const struct name *domain, uint32_t category)
{
    return (uint64_t)(domain ? domain->number + 2 : 1) << 32 | category;
}

static struct place *find(uint64_t key, bool make)
{
    for (int i = 0; i < NVTX_CATEGORIES_MAX; i++) {
        uint64_t has = __atomic_load_n(&places[i].key, __ATOMIC_ACQUIRE);
        if (!has && (!make || __atomic_compare_exchange_n(&places[i].key, &has, key, false, __ATOMIC_ACQ_REL,
                                                          __ATOMIC_ACQUIRE)))
            return make ? &places[i] : NULL;
        if (has == key)
            return &places[i];
    }
    return NULL;
}

void nvtx_name_category(const struct name *domain, uint32_t category, struct name *name)
{
    struct place *p = find(key_of(domain, category), true);
    if (p)
        __atomic_store_n(&p->name, name, __ATOMIC_RELEASE);
}

struct name *nvtx_category(const struct name *domain, uint32_t category)
{
    struct place *p = find(key_of(domain, category), false);
    return p ? __atomic_load_n(&p->name, __ATOMIC_ACQUIRE) : NULL;
}
