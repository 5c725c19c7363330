#include "preload/object_origins.h"

#include <stddef.h>
#include <string.h>

#include "lib/stacktab.h"

/* --- sites: a few distinct stacks, and for each address the number of one ----------------------------------------- */

enum { SITES = 1 << 11, OBJECTS = 1 << 14, WAYS = 4 };

static struct site {
    uint64_t hash; /* 0: free */
    uint32_t n;    /* 0: being filled in */
    uintptr_t pcs[OBJECT_SITE_FRAMES];
} sites[SITES];

/* word: the address, and above its 47 bits the number of its site. 0: free. */
static uint64_t made[OBJECTS];
enum { ADDRESS_BITS = 48 };
_Static_assert(SITES <= 1 << (64 - ADDRESS_BITS), "a site's number has room above an address");

static uint64_t address_of(uint64_t word) { return word & ((UINT64_C(1) << ADDRESS_BITS) - 1); }

static uint64_t made_by(const void *address, uint32_t site)
{
    return (uint64_t)site << ADDRESS_BITS | (uintptr_t)address;
}

static uint64_t *ways_of(const void *address)
{
    uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
    return &made[(hash >> 40) % (OBJECTS / WAYS) * WAYS];
}

/* The number of the site with these PCs; SITES: there is no room for it. */
static uint32_t site_number(const uintptr_t *pcs, int n)
{
    uint64_t hash = stack_hash(pcs, n);
    for (uint32_t tries = 0, i = (uint32_t)(hash >> 40) % SITES; tries < SITES; tries++, i = (i + 1) % SITES) {
        uint64_t there = 0;
        if (!__atomic_compare_exchange_n(&sites[i].hash, &there, hash, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            if (there == hash)
                return i;
            continue;
        }
        memcpy(sites[i].pcs, pcs, (size_t)n * sizeof *pcs);
        __atomic_store_n(&sites[i].n, (uint32_t)n, __ATOMIC_RELEASE);
        return i;
    }
    return SITES;
}

uint16_t object_lives[OBJECT_LIVES];

static void begin_life(const void *address) { __atomic_fetch_add(object_life_of(address), 1, __ATOMIC_RELAXED); }

/* What was made last of those that share a number: made again by the same code it is the same lock to who counts. */
static void note_life(const void *address, uint32_t site)
{
    static uint64_t last[OBJECT_LIVES];
    uint64_t word = made_by(address, site);
    uint64_t *place = &last[object_life_of(address) - object_lives];
    if (__atomic_exchange_n(place, word, __ATOMIC_RELAXED) != word)
        begin_life(address);
}

void object_unmade(const void *address)
{
    uint64_t *way = ways_of(address);
    for (int i = 0; i < WAYS; i++) {
        uint64_t word = __atomic_load_n(&way[i], __ATOMIC_RELAXED);
        if (word && address_of(word) == (uintptr_t)address)
            __atomic_compare_exchange_n(&way[i], &word, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* Of a full set, the one that was made first is forgotten. */
static void remember(const void *address, uint32_t site)
{
    uint64_t *way = ways_of(address);
    for (int i = WAYS - 1; i > 0; i--)
        __atomic_store_n(&way[i], __atomic_load_n(&way[i - 1], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&way[0], made_by(address, site), __ATOMIC_RELEASE);
}

void object_made(const void *address, const uintptr_t *pcs, int n)
{
    object_unmade(address);
    uint32_t site = n > 0 ? site_number(pcs, n) : SITES;
    if (site < SITES)
        remember(address, site);
    note_life(address, site);
}

int object_site(const void *address, uintptr_t pcs[OBJECT_SITE_FRAMES])
{
    const uint64_t *way = ways_of(address);
    for (int i = 0; i < WAYS; i++) {
        uint64_t word = __atomic_load_n(&way[i], __ATOMIC_ACQUIRE);
        if (!word || address_of(word) != (uintptr_t)address)
            continue;
        const struct site *site = &sites[word >> ADDRESS_BITS];
        uint32_t n = __atomic_load_n(&site->n, __ATOMIC_ACQUIRE);
        memcpy(pcs, site->pcs, n * sizeof *pcs);
        return (int)n;
    }
    return 0;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

enum { NAMED = 1 << 12, NAME_BYTES = 256 << 10 };

static struct named {
    const void *address; /* NULL: free */
    uint32_t name;       /* where it is in names; 0: it is being entered */
} named[NAMED];

/* Each: its length in a byte, and so many bytes. A name that is replaced stays, since somebody may be reading it. */
static char names[NAME_BYTES];
static uint32_t names_used = 1;

static struct named *find_named(const void *address)
{
    uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t tries = 0, i = (uint32_t)(hash >> 40) % NAMED; tries < NAMED; tries++, i = (i + 1) % NAMED) {
        const void *there = __atomic_load_n(&named[i].address, __ATOMIC_ACQUIRE);
        if (!there || there == address)
            return &named[i];
    }
    return NULL;
}

bool object_named(const void *address, const char *name)
{
    size_t len = strnlen(name, OBJECT_TEXT_MAX);
    uint32_t at = __atomic_fetch_add(&names_used, (uint32_t)len + 1, __ATOMIC_RELAXED);
    if (at + len + 1 > NAME_BYTES) {
        __atomic_store_n(&names_used, NAME_BYTES, __ATOMIC_RELAXED);
        return false;
    }
    names[at] = (char)len;
    memcpy(names + at + 1, name, len);
    for (struct named *n; (n = find_named(address));) {
        const void *none = NULL;
        if (__atomic_compare_exchange_n(&n->address, &none, address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
            none == address) {
            __atomic_store_n(&n->name, at, __ATOMIC_RELEASE);
            begin_life(address);
            return true;
        }
    }
    return false;
}

const char *object_name(const void *address, uint32_t *len)
{
    const struct named *n = find_named(address);
    uint32_t at = n && n->address == address ? __atomic_load_n(&n->name, __ATOMIC_ACQUIRE) : 0;
    *len = at ? (uint8_t)names[at] : 0;
    return at ? names + at + 1 : NULL;
}
