#include "parser/analyze/spread.h"

#include <stdlib.h>

/* Values below 2^(bits + 1) have buckets of their own. */
static unsigned bucket(uint64_t ns, unsigned bits)
{
    unsigned sub = 1U << bits;
    if (ns < 2 * (uint64_t)sub)
        return (unsigned)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return 2 * sub + (power - bits - 1) * sub + (ns >> (power - bits) & (sub - 1));
}

static uint64_t largest_of(unsigned b, unsigned bits)
{
    unsigned sub = 1U << bits;
    if (b < 2 * sub)
        return b;
    unsigned power = (b - 2 * sub) / sub + bits + 1;
    uint64_t width = UINT64_C(1) << (power - bits);
    return (sub + (b - 2 * sub) % sub) * width + (width - 1);
}

static unsigned size(unsigned bits) { return (2 + 64 - (bits + 1)) << bits; }

size_t spread_size(unsigned bits) { return size(bits); }

uint32_t *spread_new(unsigned bits) { return calloc(size(bits), sizeof(uint32_t)); }

void spread_add(uint32_t *buckets, unsigned bits, uint64_t ns)
{
    uint32_t *count = &buckets[bucket(ns, bits)];
    if (*count < UINT32_MAX)
        ++*count;
}

void spread_prefetch(const uint32_t *buckets, unsigned bits, uint64_t ns)
{
    __builtin_prefetch(&buckets[bucket(ns, bits)], 1);
}

void spread_add_all(uint32_t *buckets, const uint32_t *from, unsigned bits)
{
    for (unsigned b = 0; b < size(bits); b++)
        buckets[b] = from[b] < UINT32_MAX - buckets[b] ? buckets[b] + from[b] : UINT32_MAX;
}

uint64_t spread_percentile(const uint32_t *buckets, unsigned bits, unsigned percent, uint64_t max)
{
    uint64_t sum = 0, most = 0;
    unsigned n = size(bits);
    for (unsigned b = 0; b < n; b++)
        sum += buckets[b];
    uint64_t rank = sum / 100 * percent + (sum % 100 * percent + 99) / 100;
    for (unsigned b = 0; b < n && most < rank; b++) {
        most += buckets[b];
        if (most >= rank)
            return largest_of(b, bits) < max ? largest_of(b, bits) : max;
    }
    return max;
}
