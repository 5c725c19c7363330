/*
 * The types of the AllocFree experiment. C's blocks have none, so a block's type is its size: type 64 is "64 bytes".
 * Each generation has to list those that it uses.
 */
#ifndef THRACE_CMD_FINISH_HEAP_TYPES_H
#define THRACE_CMD_FINISH_HEAP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gotrace/builder.h"

struct heap_types {
    struct {
        uint64_t generation, size; /* generation 0: free */
    } * v;
    size_t n, cap;
};

/* Notes that a generation has a block of that size. False: out of memory. */
bool heap_types_add(struct heap_types *t, uint64_t generation, uint64_t size);

/* Writes the batches of a generation that has types. 0, or -1: the builder says why. */
int heap_types_write(const struct heap_types *t, struct gotrace_builder *b, uint64_t generation, uint64_t time);

void heap_types_free(struct heap_types *t);

#endif
