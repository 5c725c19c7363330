/* The segments of a module, of which only what the file has is looked at: the rest is zero when the program begins. */
#ifndef THRACE_PRELOAD_EXAMINER_IMAGE_H
#define THRACE_PRELOAD_EXAMINER_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/unwind/cfi.h"

enum { IMAGE_SEGMENTS = 16 };

struct segment {
    uintptr_t from, to;
    bool code;
};

struct image {
    struct segment segment[IMAGE_SEGMENTS];
    unsigned n;
    struct unwind_modules *modules; /* its executable segments, with their CFI */
};

/* False: it is beyond us, and *why says so. */
bool image_open(struct image *, const struct dl_phdr_info *, const char **why);
void image_close(struct image *);

/* The segment with these n bytes, or NULL. */
const struct segment *image_segment(const struct image *, uintptr_t at, size_t n);

static inline bool image_is_code(const struct image *im, uintptr_t at)
{
    const struct segment *s = image_segment(im, at, 1);
    return s && s->code;
}

/* The function that has the pc, or a part of one. */
bool image_function(const struct image *, uintptr_t pc, struct cfi_fde *);

/* Calls visit with each function. */
void image_functions(const struct image *, void (*visit)(const struct cfi_fde *, void *), void *arg);

#endif
