/*
 * Sorts as Go's slices.SortFunc does, which is not stable: where times are equal, the order that it leaves is the order
 * in which Go's reader shows events, and so the order in which ours must.
 */
#ifndef THRACE_PARSER_GOSORT_H
#define THRACE_PARSER_GOSORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    int64_t key;
    uint64_t value;
};

void gosort(struct keyed *v, size_t n);

#endif
