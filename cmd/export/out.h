/*
 * A buffer in front of a stream, for formats that write a line for each event: a piece is a copy, and the stream, which
 * takes a lock and a call for each, is given OUT_BYTES at once.
 */
#ifndef THRACE_CMD_EXPORT_OUT_H
#define THRACE_CMD_EXPORT_OUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { OUT_BYTES = 1 << 16, OUT_NUMBER = 20 };

struct out {
    FILE *to;
    size_t n;
    char bytes[OUT_BYTES];
};

/* What went wrong is the stream's. */
static inline void out_flush(struct out *o)
{
    fwrite(o->bytes, 1, o->n, o->to);
    o->n = 0;
}

/* Room for n bytes, at most OUT_BYTES of them; out_end tells where they ended. */
static inline char *out_room(struct out *o, size_t n)
{
    if (__builtin_expect(o->n + n > OUT_BYTES, 0))
        out_flush(o);
    return o->bytes + o->n;
}

static inline void out_end(struct out *o, const char *at) { o->n = (size_t)(at - o->bytes); }

static inline void out_bytes(struct out *o, const char *p, size_t n)
{
    if (__builtin_expect(n > OUT_BYTES, 0)) {
        out_flush(o);
        fwrite(p, 1, n, o->to);
        return;
    }
    memcpy(out_room(o, n), p, n);
    o->n += n;
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

static inline void out_number(struct out *o, uint64_t n) { out_end(o, out_digits(out_room(o, OUT_NUMBER), n)); }

#endif
