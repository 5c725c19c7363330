/*
 * A batch being filled, and what goes into it: the encodings of table entries and events, each written whole or not at
 * all. They are plain functions of their arguments, for whoever writes batches.
 */
#ifndef THRACE_PARSER_BUILDER_BATCH_H
#define THRACE_PARSER_BUILDER_BATCH_H

#include <stdbool.h>

#include "gotrace/raw.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"

enum {
    STRING_ENTRY_MAX = 1 + 2 * VARINT_MAX + STRING_MAX_SIZE,
    STACK_ENTRY_MAX = 1 + 2 * VARINT_MAX + STACK_MAX_FRAMES * 4 * VARINT_MAX,
};

struct wire_batch {
    uint64_t m;
    uint64_t base; /* the time that the first dt counts from */
    uint64_t last; /* the time of the last event */
    size_t size;
    uint8_t at[BATCH_MAX_SIZE];
};

/* Empties the batch; kind is the event that opens it (EV_Strings and so on), or EV_None for timed events. */
void wire_batch_open(struct wire_batch *b, uint64_t m, uint64_t time, uint8_t kind);

/* Each adds one entry, and is false when the batch has no room for it. size and n keep to the format's limits. */
bool wire_add_string(struct wire_batch *b, uint64_t id, const void *s, size_t size);
bool wire_add_stack(struct wire_batch *b, uint64_t id, const struct gotrace_raw_frame *frames, size_t n);
bool wire_add_integers(struct wire_batch *b, uint8_t id, const uint64_t *args, size_t n);

/* Adds a timed event at a time not before b->last. */
bool wire_add_event(struct wire_batch *b, uint64_t time, uint8_t id, const uint64_t *args, size_t nargs);

#endif
