/*
 * A buffer in front of a stream, for formats that write a line for each event: a piece is a copy, and the stream, which
 * takes a lock and a call for each, is given exactly OUT_BYTES at once: writes that fill whole pages of a file cost the
 * kernel less than others.
 */
#ifndef THRACE_CMD_EXPORT_OUT_H
#define THRACE_CMD_EXPORT_OUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { OUT_BYTES = 1 << 16, OUT_ROOM = 4096, OUT_NUMBER = 20 };

struct out {
    FILE *to;
    uint64_t written; /* bytes before those that are here */
    size_t n;
    char bytes[OUT_BYTES + OUT_ROOM]; /* there is always room behind the first OUT_BYTES */
};

static inline void out_init(struct out *o, FILE *to)
{
    o->to = to;
    o->written = 0;
    o->n = 0;
}

/* Nobody else writes to the stream: a buffer of its own would only break each write in two. */
static inline void out_alone(FILE *to) { setvbuf(to, NULL, _IONBF, 0); }

/* Those that were put so far. */
static inline uint64_t out_total(const struct out *o) { return o->written + o->n; }

/* The first n bytes are gone then. What went wrong is the stream's. */
static __attribute__((noinline)) void out_write(struct out *o, size_t n)
{
    fwrite(o->bytes, 1, n, o->to);
    o->written += n;
    o->n -= n;
    memmove(o->bytes, o->bytes + n, o->n);
}

static inline void out_flush(struct out *o) { out_write(o, o->n); }

/* Room for OUT_ROOM bytes; out_end tells where they ended. */
static inline char *out_room(struct out *o)
{
    if (__builtin_expect(o->n >= OUT_BYTES, 0))
        out_write(o, OUT_BYTES);
    return o->bytes + o->n;
}

static inline void out_end(struct out *o, const char *at) { o->n = (size_t)(at - o->bytes); }

static inline void out_bytes(struct out *o, const char *p, size_t n)
{
    for (; __builtin_expect(n > OUT_ROOM, 0); n -= OUT_ROOM, p += OUT_ROOM)
        out_end(o, (char *)mempcpy(out_room(o), p, OUT_ROOM));
    out_end(o, (char *)mempcpy(out_room(o), p, n));
}

/* A literal, whose length the compiler knows. */
static inline __attribute__((always_inline)) void out_text(struct out *o, const char *text)
{
    out_bytes(o, text, strlen(text));
}

/* Two digits of a number below 100. */
static inline void out_pair(char *to, uint64_t n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    memcpy(to, pairs + 2 * n, 2);
}

/* How many digits a number has. */
static inline unsigned out_width(uint64_t n)
{
    static const uint64_t powers[OUT_NUMBER] = {
        0, UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000),
        UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
        UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
        UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000)};
    unsigned bits = 64 - (unsigned)__builtin_clzll(n | 1), less = bits * 1233 >> 12; /* by log10(2) */
    return less + (n >= powers[less]);
}

/* A literal, where there is room for it; returns where it ends. */
static inline __attribute__((always_inline)) char *out_literal(char *to, const char *text)
{
    return (char *)mempcpy(to, text, strlen(text));
}

/* The digits of a number, of which there are OUT_NUMBER at most; returns where they end. */
static inline char *out_digits(char *to, uint64_t n)
{
    char *end = to + out_width(n), *p = end;
    for (; n >= 100; n /= 100)
        out_pair(p -= 2, n % 100);
    if (n >= 10)
        out_pair(to, n);
    else
        *to = (char)('0' + n);
    return end;
}

/* Nanoseconds as microseconds, exactly: OUT_NUMBER + 1 bytes at most. */
static inline char *out_us(char *to, uint64_t ns)
{
    unsigned part = (unsigned)(ns % 1000);
    to = out_digits(to, ns / 1000);
    *to = '.';
    to[1] = (char)('0' + part / 100);
    out_pair(to + 2, part % 100);
    return to + 4;
}

static inline void out_number(struct out *o, uint64_t n) { out_end(o, out_digits(out_room(o), n)); }

#endif
