#include "preload/examiner/landing.h"

#include "lib/unwind/reader.h"

bool landing_between(const struct image *im, const struct cfi_fde *fde, uintptr_t from, uintptr_t to)
{
    if (!fde->lsda)
        return false;
    const struct segment *s = image_segment(im, fde->lsda, 4);
    if (!s)
        return true;
    struct cfi_reader r = {(const uint8_t *)fde->lsda, (const uint8_t *)s->to, false};
    uintptr_t base = fde->start;
    uint8_t encoding = (uint8_t)cfi_read_fixed(&r, 1);
    if (encoding != POINTER_OMITTED)
        base = cfi_read_pointer(&r, encoding, 0);
    encoding = (uint8_t)cfi_read_fixed(&r, 1);
    if (encoding != POINTER_OMITTED)
        cfi_read_uleb(&r); /* where the table of types is */
    encoding = (uint8_t)cfi_read_fixed(&r, 1) & POINTER_FORMAT;
    uint64_t size = cfi_read_uleb(&r);
    if (r.bad || size > cfi_left(&r))
        return true;
    r.end = r.p + size;
    while (!r.bad && cfi_left(&r)) {
        cfi_read_pointer(&r, encoding, 0); /* where it begins, and how long it is */
        cfi_read_pointer(&r, encoding, 0);
        uintptr_t pad = cfi_read_pointer(&r, encoding, 0);
        cfi_read_uleb(&r);
        if (pad && base + pad > from && base + pad < to)
            return true;
    }
    return r.bad;
}
