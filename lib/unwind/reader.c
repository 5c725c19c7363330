#include "config.h"

#include "lib/unwind/reader.h"

uint64_t cfi_read_uleb(struct cfi_reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t b = cfi_read_fixed(r, 1);
        if (shift < 64)
            v |= (b & 0x7f) << shift;
        if (b < 0x80)
            return v;
    }
}

int64_t cfi_read_sleb(struct cfi_reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0;;) {
        uint64_t b = cfi_read_fixed(r, 1);
        if (shift < 64)
            v |= (b & 0x7f) << shift;
        shift += 7;
        if (b < 0x80) {
            if (shift < 64 && (b & 0x40))
                v |= ~UINT64_C(0) << shift;
            return (int64_t)v;
        }
    }
}

uintptr_t cfi_read_pointer(struct cfi_reader *r, uint8_t encoding, uintptr_t data)
{
    enum { ABS = 0x00, PCREL = 0x10, DATAREL = 0x30 };
    uintptr_t base;
    switch (encoding & 0x70) {
    case ABS:
        base = 0;
        break;
    case PCREL:
        base = (uintptr_t)r->p;
        break;
    case DATAREL:
        base = data;
        break;
    default:
        r->bad = true;
        return 0;
    }
    if (encoding & POINTER_INDIRECT)
        r->bad = true;
    switch (encoding & POINTER_FORMAT) {
    case 0x0:
    case 0x4:
    case 0xc:
        return base + (uintptr_t)cfi_read_fixed(r, 8);
    case 0x1:
        return base + (uintptr_t)cfi_read_uleb(r);
    case 0x2:
        return base + (uintptr_t)cfi_read_fixed(r, 2);
    case 0x3:
        return base + (uintptr_t)cfi_read_fixed(r, 4);
    case 0x9:
        return base + (uintptr_t)cfi_read_sleb(r);
    case 0xa:
        return base + (uintptr_t)cfi_read_signed(r, 2);
    case 0xb:
        return base + (uintptr_t)cfi_read_signed(r, 4);
    default:
        r->bad = true;
        return 0;
    }
}
