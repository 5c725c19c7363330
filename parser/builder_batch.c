#include "config.h"

#include <string.h>

#include "parser/builder_batch.h"

void wire_batch_open(struct wire_batch *b, uint64_t m, uint64_t time, uint8_t kind)
{
    b->m = m;
    b->base = b->last = time;
    b->size = 0;
    if (kind != EV_None)
        b->at[b->size++] = kind;
}

static bool fits(const struct wire_batch *b, size_t size) { return BATCH_MAX_SIZE - b->size >= size; }

bool wire_add_string(struct wire_batch *b, uint64_t id, const void *s, size_t size)
{
    if (!fits(b, 1 + varint_size(id) + varint_size(size) + size))
        return false;
    uint8_t *p = b->at + b->size;
    *p++ = EV_String;
    p = varint_put(p, id);
    p = varint_put(p, size);
    if (size)
        memcpy(p, s, size);
    b->size = (size_t)(p - b->at) + size;
    return true;
}

bool wire_add_stack(struct wire_batch *b, uint64_t id, const struct gotrace_raw_frame *frames, size_t n)
{
    uint8_t entry[STACK_ENTRY_MAX], *p = entry;
    *p++ = EV_Stack;
    p = varint_put(p, id);
    p = varint_put(p, n);
    for (size_t i = 0; i < n; i++) {
        p = varint_put(p, frames[i].pc);
        p = varint_put(p, frames[i].function);
        p = varint_put(p, frames[i].file);
        p = varint_put(p, frames[i].line);
    }
    size_t size = (size_t)(p - entry);
    if (!fits(b, size))
        return false;
    memcpy(b->at + b->size, entry, size);
    b->size += size;
    return true;
}

bool wire_add_integers(struct wire_batch *b, uint8_t id, const uint64_t *args, size_t n)
{
    size_t size = 1;
    for (size_t i = 0; i < n; i++)
        size += varint_size(args[i]);
    if (!fits(b, size))
        return false;
    uint8_t *p = b->at + b->size;
    *p++ = id;
    for (size_t i = 0; i < n; i++)
        p = varint_put(p, args[i]);
    b->size = (size_t)(p - b->at);
    return true;
}

bool wire_add_event(struct wire_batch *b, uint64_t time, uint8_t id, const uint64_t *args, size_t nargs)
{
    uint64_t all[EVENT_MAX_ARGS] = {time - b->last};
    for (size_t i = 0; i < nargs; i++)
        all[1 + i] = args[i];
    if (!wire_add_integers(b, id, all, 1 + nargs))
        return false;
    b->last = time;
    return true;
}
