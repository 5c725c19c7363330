/* Batches of a trace, written by hand. */
#ifndef THRACE_TESTS_PARSER_BATCHES_H
#define THRACE_TESTS_PARSER_BATCHES_H

#include <string.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

/* At time 1. Returns the byte after it. */
static inline uint8_t *put_batch(uint8_t *p, uint64_t generation, uint64_t thread, const uint8_t *data, size_t size)
{
    *p++ = EV_EventBatch;
    p = varint_put(p, generation);
    p = varint_put(p, thread);
    p = varint_put(p, 1);
    p = varint_put(p, size);
    memcpy(p, data, size);
    return p + size;
}

#endif
