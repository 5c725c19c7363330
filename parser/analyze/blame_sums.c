#include "parser/analyze/blame_sums.h"

#include "gotrace/reader.h"
#include "parser/analyze/stat_text.h"

/* A deed's key: object 13 bits, name 16, chain 12, state 4, sampled 1, what 16; from bit 49, 33, 21, 17, 16, 0 on. */
enum { CHAIN_SHIFT = 21, STATE_SHIFT = 17, SAMPLED_SHIFT = 16 };
_Static_assert(STAT_NTEXTS <= 1 << 16, "a text fits into 16 bits");
_Static_assert(BLAME_OWNERS <= 1 << STAT_PAIR_BITS, "the number of an owner fits into a pair");
_Static_assert(BLAME_CHAINS < 1 << 12, "a chain fits into 12 bits");
_Static_assert(GOTRACE_STATE_IDLE < 1 << 4, "a state fits into 4 bits");

uint64_t blame_deed_key(uint32_t object, uint32_t name, const struct blame_deed *d)
{
    return blame_owner_key(object, name) | (uint64_t)d->chain << CHAIN_SHIFT | (uint64_t)d->state << STATE_SHIFT |
           (uint64_t)d->sampled << SAMPLED_SHIFT | d->what;
}

struct blame_deed blame_deed_of(uint64_t key)
{
    return (struct blame_deed){.chain = key >> CHAIN_SHIFT & 0xfff,
                               .what = key & 0xffff,
                               .state = key >> STATE_SHIFT & 0xf,
                               .sampled = key >> SAMPLED_SHIFT & 1};
}

void blame_sums_init(struct blame_sums *b)
{
    *b = (struct blame_sums){.failed = false};
    stat_groups_init_many(&b->owners, BLAME_OWNERS);
    stat_groups_init_many(&b->each, BLAME_THREADS);
    stat_groups_init_many(&b->deeds, BLAME_DEEDS);
}

void blame_sums_free(struct blame_sums *b)
{
    stat_groups_free(&b->owners);
    stat_groups_free(&b->each);
    stat_groups_free(&b->deeds);
    VEC_FREE(&b->nthreads);
    VEC_FREE(&b->chains);
    idmap_free(&b->index);
}

uint32_t blame_chain_on(struct blame_sums *b, uint32_t before, uint32_t object, uint32_t name)
{
    uint64_t key = ((uint64_t)before << 16 | object) << 16 | name;
    uint32_t known = idmap_get(&b->index, key);
    if (known || b->chains.n == BLAME_CHAINS || b->failed)
        return known ? known : before;
    if (!VEC_ROOM(&b->chains) || !idmap_add(&b->index, key, (uint32_t)b->chains.n + 1)) {
        b->failed = true;
        return before;
    }
    b->chains.v[b->chains.n++] = (struct blame_chain){before, object, name};
    return (uint32_t)b->chains.n;
}

void blame_expect_owner(const struct blame_sums *b, uint32_t object, uint32_t name)
{
    stat_groups_prefetch(&b->owners, blame_owner_key(object, name));
}

void blame_add_owner(struct blame_sums *b, uint32_t object, uint32_t name, uint64_t thread, uint64_t ns)
{
    uint32_t owner = stat_groups_add_found(&b->owners, blame_owner_key(object, name), ns);
    if (owner < BLAME_OWNERS)
        stat_groups_add_late(&b->each, stat_pair_key(owner, thread), 1, ns);
    b->failed |= b->owners.failed || b->each.failed;
}

void blame_add_deed(struct blame_sums *b, uint32_t object, uint32_t name, const struct blame_deed *d, uint64_t ns)
{
    stat_groups_add_late(&b->deeds, blame_deed_key(object, name, d), 1, ns);
    b->failed |= b->deeds.failed;
}

static void count_threads(struct blame_sums *b)
{
    for (size_t i = 0; i < b->owners.list.n && !b->failed; i++) {
        if (VEC_ROOM(&b->nthreads))
            b->nthreads.v[b->nthreads.n++] = 0;
        else
            b->failed = true;
    }
    for (size_t i = 0; i < b->each.list.n && !b->failed; i++)
        b->nthreads.v[stat_pair_number(b->each.list.v[i].key)]++;
}

void blame_sums_end(struct blame_sums *b)
{
    stat_groups_settle(&b->owners);
    stat_groups_settle(&b->each);
    stat_groups_settle(&b->deeds);
    b->failed |= b->each.failed || b->deeds.failed;
    count_threads(b);
}
