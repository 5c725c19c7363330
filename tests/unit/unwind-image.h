/*
 * A made-up module: an .eh_frame_hdr and an .eh_frame built byte by byte, for code that does not exist. Function i of
 * an image has the addresses [image_code(im, i), image_code(im, i + 1)).
 */
#ifndef THRACE_TESTS_UNWIND_IMAGE_H
#define THRACE_TESTS_UNWIND_IMAGE_H

#include <stdlib.h>

#include "lib/unwind/unwind.h"

enum { IMAGE_SIZE = 2048, IMAGE_FUNCTIONS = 16, IMAGE_FUNCTION_SIZE = 256, IMAGE_CODE = 1 << 20 };
enum { IMAGE_HDR = 12, IMAGE_CIE = IMAGE_HDR + 8 * IMAGE_FUNCTIONS };

/* Register numbers that the tests use: any callee-saved one but bp will do for OTHER. */
#if defined(__x86_64__)
enum { REG_OTHER = 3, REG_ODD = 12, RA_AT = -8 };
#else
enum { REG_OTHER = 19, REG_ODD = 20, RA_AT = -8 };
#endif

struct image {
    uint8_t *b; /* exactly IMAGE_SIZE bytes, so that AddressSanitizer sees a read beyond */
    size_t n, nfdes;
    struct unwind_module m;
};

static inline void image_put(struct image *im, const void *bytes, size_t n)
{
    memcpy(im->b + im->n, bytes, n);
    im->n += n;
}

static inline void image_u32(struct image *im, uint32_t v) { image_put(im, &v, sizeof v); }

static inline uintptr_t image_code(const struct image *im, size_t function)
{
    return (uintptr_t)im->b + IMAGE_CODE + function * IMAGE_FUNCTION_SIZE;
}

static inline void image_fill_length(struct image *im, size_t record)
{
    while ((im->n - record) % 8 != 4)
        im->b[im->n++] = 0;
    uint32_t length = (uint32_t)(im->n - record - 4);
    memcpy(im->b + record, &length, sizeof length);
}

/* Adds a CIE with this augmentation, whose data is the pointer encoding pcrel sdata4, and initial program. */
static inline size_t image_cie(struct image *im, const char *augmentation, const uint8_t *program, size_t size)
{
    size_t at = im->n;
    const uint8_t alignments_and_ra[] = {1, 0x78, UNWIND_RA, 1, 0x1b};
    image_u32(im, 0);
    image_u32(im, 0);
    image_put(im, "\1", 1);
    image_put(im, augmentation, strlen(augmentation) + 1);
    image_put(im, alignments_and_ra, sizeof alignments_and_ra);
    image_put(im, program, size);
    image_fill_length(im, at);
    return at;
}

/* Adds the next function, described by a CIE and a program. */
static inline size_t image_fde(struct image *im, size_t cie, const uint8_t *program, size_t size)
{
    size_t at = im->n;
    uintptr_t start = image_code(im, im->nfdes);
    int32_t entry[2] = {(int32_t)(start - (uintptr_t)im->b), (int32_t)at};
    memcpy(im->b + IMAGE_HDR + 8 * im->nfdes++, entry, sizeof entry);
    image_u32(im, 0);
    image_u32(im, (uint32_t)(im->n - cie));
    image_u32(im, (uint32_t)(start - (uintptr_t)(im->b + im->n)));
    image_u32(im, IMAGE_FUNCTION_SIZE);
    image_put(im, "", 1);
    image_put(im, program, size);
    image_fill_length(im, at);
    im->m.fdes = im->nfdes;
    im->m.end = image_code(im, im->nfdes);
    return at;
}

static inline void image_begin(struct image *im)
{
    static const uint8_t hdr[IMAGE_HDR] = {1, 0x1b, 0x03, 0x3b};
    memset(im, 0, sizeof *im);
    im->b = calloc(1, IMAGE_SIZE);
    image_put(im, hdr, sizeof hdr);
    im->n = IMAGE_CIE;
    im->m.start = im->m.end = image_code(im, 0);
    im->m.cfi = im->m.hdr = im->b;
    im->m.cfi_end = im->b + IMAGE_SIZE;
    im->m.table = im->b + IMAGE_HDR;
}

static inline void image_end(struct image *im) { free(im->b); }

/* What most code begins with: the CFA is sp + 8, and the return address is there. */
static inline size_t image_usual_cie(struct image *im, const char *augmentation)
{
    const uint8_t program[] = {0x0c, UNWIND_SP, 8, 0x80 | (UNWIND_RA & 0x3f), 1};
    return image_cie(im, augmentation, program, sizeof program);
}

#endif
