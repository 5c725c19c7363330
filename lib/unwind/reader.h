/*
 * A cursor over DWARF data that nobody vouches for. Reading past the end yields 0 and sets `bad`, once and for all:
 * callers check it where a decision depends on what was read.
 */
#ifndef THRACE_LIB_UNWIND_READER_H
#define THRACE_LIB_UNWIND_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cfi_reader {
    const uint8_t *p, *end;
    bool bad;
};

static inline size_t cfi_left(const struct cfi_reader *r) { return (size_t)(r->end - r->p); }

/* The next n bytes, or NULL. */
static inline const uint8_t *cfi_skip(struct cfi_reader *r, uint64_t n)
{
    if (r->bad || n > cfi_left(r)) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *at = r->p;
    r->p += n;
    return at;
}

static inline uint64_t cfi_read_fixed(struct cfi_reader *r, size_t size)
{
    uint64_t v = 0;
    const uint8_t *at = cfi_skip(r, size);
    if (at)
        memcpy(&v, at, size); /* both architectures are little-endian */
    return v;
}

static inline int64_t cfi_read_signed(struct cfi_reader *r, size_t size)
{
    unsigned unused = 64 - 8 * (unsigned)size;
    return (int64_t)(cfi_read_fixed(r, size) << unused) >> unused;
}

uint64_t cfi_read_uleb(struct cfi_reader *);
int64_t cfi_read_sleb(struct cfi_reader *);

/*
 * A pointer in one of the encodings of .eh_frame, which are a format in the low four bits and a base above. data is
 * the base of data-relative ones. Indirect and omitted pointers are bad.
 */
uintptr_t cfi_read_pointer(struct cfi_reader *, uint8_t encoding, uintptr_t data);

enum { POINTER_OMITTED = 0xff, POINTER_INDIRECT = 0x80, POINTER_FORMAT = 0x0f, POINTER_SDATA4_DATAREL = 0x3b };

#endif
