#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/raw_buffer.h"

uint8_t *raw_buffer_grow(struct raw_buffer *b, size_t n)
{
    if (b->failed)
        return NULL;
    if (b->room - b->size < n) {
        size_t room = b->room ? b->room : 256;
        while (room - b->size < n) {
            if (room > SIZE_MAX / 2)
                goto fail;
            room *= 2;
        }
        uint8_t *at = realloc(b->at, room);
        if (!at)
            goto fail;
        b->at = at;
        b->room = room;
    }
    return b->at + b->size;
fail:
    b->failed = true;
    return NULL;
}

void raw_buffer_add_text(struct raw_buffer *b, const char *text) { raw_buffer_add(b, text, strlen(text)); }

void raw_buffer_printf(struct raw_buffer *b, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n > 0)
        raw_buffer_add(b, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void raw_buffer_free(struct raw_buffer *b)
{
    free(b->at);
    *b = (struct raw_buffer){0};
}
