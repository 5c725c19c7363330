/*
 * The header of a batch: its id, the experiment if it is an experiment's batch, and four integers. The rows of a spool
 * have the same header, with an id of their own for records that are not events (lib/spool.h).
 */
#ifndef THRACE_LIB_WIRE_BATCH_HEADER_H
#define THRACE_LIB_WIRE_BATCH_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

struct batch_header {
    uint8_t id;
    uint8_t experiment; /* of an ExperimentalBatch; else 0 */
    uint64_t generation, thread, time, size;
};

enum { BATCH_HEADER_MAX = 2 + 4 * VARINT_MAX };

/* Writes to p, which has room for BATCH_HEADER_MAX bytes; returns the byte after it. */
uint8_t *batch_header_put(uint8_t *p, const struct batch_header *h);

/* Why there is no header: a field is cut off, or does not fit 64 bits. */
struct batch_header_fault {
    const char *field;
    bool too_large;
};

/* Reads one of any id from [p, end). Returns the byte after it, or NULL; *fault then says why, and h is incomplete. */
const uint8_t *batch_header_get(const uint8_t *p, const uint8_t *end, struct batch_header *h,
                                struct batch_header_fault *fault);

#endif
