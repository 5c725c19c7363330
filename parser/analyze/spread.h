/*
 * How times are spread: counted in buckets of a logarithmic scale, so that memory is the same for any number of them.
 * With `bits` there are 2^bits buckets for each power of two, and a percentile is at most 1/2^bits too large.
 */
#ifndef THRACE_PARSER_ANALYZE_SPREAD_H
#define THRACE_PARSER_ANALYZE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

enum { SPREAD_COARSE = 4, SPREAD_FINE = 9 };

/* Zeroed buckets; NULL: memory is short. free() takes them. */
uint32_t *spread_new(unsigned bits);

/* How many they are. */
size_t spread_size(unsigned bits);

void spread_add(uint32_t *buckets, unsigned bits, uint64_t ns);

/* The bucket will be needed soon. */
void spread_prefetch(const uint32_t *buckets, unsigned bits, uint64_t ns);

/* Counts all that is in `from`, too. */
void spread_add_all(uint32_t *buckets, const uint32_t *from, unsigned bits);

/* What percent of all do not exceed, none of which exceeds max. */
uint64_t spread_percentile(const uint32_t *buckets, unsigned bits, unsigned percent, uint64_t max);

#endif
