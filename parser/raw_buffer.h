/* A growing run of bytes. A failed allocation is remembered, so that it need be asked for only at the end. */
#ifndef THRACE_PARSER_RAW_BUFFER_H
#define THRACE_PARSER_RAW_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "parser/hints.h"

struct raw_buffer {
    uint8_t *at;
    size_t size, room;
    bool failed;
};

uint8_t *raw_buffer_grow(struct raw_buffer *b, size_t n);

/* Makes room for n more bytes behind size and returns where they go, or NULL. */
static inline uint8_t *raw_buffer_reserve(struct raw_buffer *b, size_t n)
{
    return LIKELY(n < b->room - b->size && !b->failed) ? b->at + b->size : raw_buffer_grow(b, n);
}

static inline void raw_buffer_add(struct raw_buffer *b, const void *data, size_t n)
{
    uint8_t *p = raw_buffer_reserve(b, n);
    if (p && n) {
        memcpy(p, data, n);
        b->size += n;
    }
}

void raw_buffer_add_text(struct raw_buffer *b, const char *text);
__attribute__((format(printf, 2, 3))) void raw_buffer_printf(struct raw_buffer *b, const char *fmt, ...);
void raw_buffer_free(struct raw_buffer *b);

#endif
