/*
 * Writes messages of protobuf as they come, into a buffer. There is a byte for the length of a nested message until it
 * is complete; of one that is longer than that can say, the few there are, what is in it moves up.
 */
#ifndef THRACE_CMD_EXPORT_PROTOBUF_H
#define THRACE_CMD_EXPORT_PROTOBUF_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parser/vec.h"

enum {
    PROTOBUF_VARINT = 0,
    PROTOBUF_FIXED64 = 1,
    PROTOBUF_BYTES = 2,
    PROTOBUF_VARINT_MAX = 10,
    PROTOBUF_MAX = (1 << 28) - 1
};

struct protobuf {
    VEC(uint8_t) bytes;
    bool failed; /* memory is short, or a message would be longer than PROTOBUF_MAX */
};

/* Room for so many bytes, and how many there are from now on; NULL: none. */
static inline uint8_t *protobuf_room(struct protobuf *b, size_t n)
{
    if (b->bytes.n + n > b->bytes.cap) {
        size_t cap = 2 * (b->bytes.n + n);
        uint8_t *v = cap <= PROTOBUF_MAX ? realloc(b->bytes.v, cap) : NULL;
        if (!v) {
            b->failed = true;
            return NULL;
        }
        b->bytes.v = v;
        b->bytes.cap = cap;
    }
    b->bytes.n += n;
    return b->bytes.v + b->bytes.n - n;
}

static inline uint8_t *protobuf_put_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

static inline void protobuf_raw(struct protobuf *b, uint64_t v)
{
    uint8_t *to = protobuf_room(b, PROTOBUF_VARINT_MAX);
    if (to)
        b->bytes.n = (size_t)(protobuf_put_varint(to, v) - b->bytes.v);
}

static inline void protobuf_number(struct protobuf *b, unsigned field, uint64_t v)
{
    uint8_t *to = protobuf_room(b, 2 * PROTOBUF_VARINT_MAX);
    if (to)
        b->bytes.n =
            (size_t)(protobuf_put_varint(protobuf_put_varint(to, field << 3 | PROTOBUF_VARINT), v) - b->bytes.v);
}

static inline void protobuf_fixed(struct protobuf *b, unsigned field, uint64_t v)
{
    protobuf_raw(b, field << 3 | PROTOBUF_FIXED64);
    uint8_t *to = protobuf_room(b, sizeof v);
    for (unsigned i = 0; to && i < sizeof v; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

static inline void protobuf_bytes(struct protobuf *b, unsigned field, const char *p, size_t n)
{
    protobuf_raw(b, field << 3 | PROTOBUF_BYTES);
    protobuf_raw(b, n);
    uint8_t *to = n ? protobuf_room(b, n) : NULL;
    if (to)
        memcpy(to, p, n);
}

static inline void protobuf_text(struct protobuf *b, unsigned field, const char *text)
{
    protobuf_bytes(b, field, text, strlen(text));
}

/* What is written until it is closed with the result is the message. */
static inline size_t protobuf_open(struct protobuf *b, unsigned field)
{
    protobuf_raw(b, field << 3 | PROTOBUF_BYTES);
    protobuf_room(b, 1);
    return b->bytes.n;
}

static inline void protobuf_close(struct protobuf *b, size_t from)
{
    uint8_t length[PROTOBUF_VARINT_MAX];
    size_t n = b->bytes.n - from, size = (size_t)(protobuf_put_varint(length, n) - length);
    if (b->failed || (size > 1 && !protobuf_room(b, size - 1)))
        return;
    uint8_t *to = b->bytes.v + from - 1;
    if (size > 1)
        memmove(to + size, to + 1, n);
    memcpy(to, length, size);
}

#endif
