/* Reads the fields of a meta record. */
#ifndef THRACE_CMD_FINISH_RECORD_CURSOR_H
#define THRACE_CMD_FINISH_RECORD_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#include "lib/wire/varint.h"

struct cursor {
    const uint8_t *p, *end; /* p is NULL after a record that is cut off */
};

static inline uint64_t get_int(struct cursor *c)
{
    uint64_t v = 0;
    if (c->p)
        c->p = varint_get(c->p, c->end, &v);
    return v;
}

static inline const uint8_t *get_text(struct cursor *c, size_t *len)
{
    uint64_t n = get_int(c);
    const uint8_t *text = c->p;
    if (!c->p || n > (uint64_t)(c->end - c->p)) {
        c->p = NULL;
        *len = 0;
        return NULL;
    }
    c->p += n;
    *len = n;
    return text;
}

/* Steps over a whole record, of which there must be a byte; c->p is NULL when it is none. */
void record_skip(struct cursor *c);

#endif
