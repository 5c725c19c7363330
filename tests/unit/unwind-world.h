/* Made-up stacks of made-up functions, by how these keep their frames. */
#ifndef THRACE_TESTS_UNWIND_WORLD_H
#define THRACE_TESTS_UNWIND_WORLD_H

#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "lib/unwind/unwind.h"
#include "tests/unit/unwind-image.h"

enum { PAGE = 4096, WORDS = PAGE / 8, MODULES = 8 };

enum {
    PLAIN,      /* CFA = sp + 32 */
    WITH_BP,    /* CFA = bp + 16, bp saved at CFA - 16 */
    SAVES_BP,   /* CFA = sp + 32, bp saved at CFA - 16 */
    OUTERMOST,  /* no return address */
    REALIGNED,  /* CFA = *(bp - 8), bp saved at bp + 0 */
    FROM_OTHER, /* CFA = OTHER + 16 */
    SAVES_OTHER, /* CFA = sp + 32, OTHER saved at CFA - 24 */
    TRAMPOLINE, /* CFA = sp + 32, a signal frame */
    CONTEXT,    /* one as the kernel makes them: bp at sp + 8, the pc at sp + 16, CFA = *(sp + 24) */
    FAR_BP,     /* CFA = sp + 40016, bp saved at sp + 8: too far for a recipe */
    FUNCTIONS
};

struct world {
    struct image im;
    struct unwind_modules *modules;
    struct unwind_cache *cache;
    uintptr_t *stack; /* one page, and one that must not be touched on either side */
    struct unwind_request q;
    uintptr_t pcs[256];
    struct unwind_stack out;
};

static inline uintptr_t in_function(struct world *w, int f) { return image_code(&w->im, (size_t)f) + 16; }

static inline void add_module(struct world *w, const struct unwind_module *m)
{
    w->modules->m[w->modules->n++] = *m;
}

static inline int set_up(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    struct image *im = &w->im;
    image_begin(im);
    size_t usual = image_usual_cie(im, "zR"), signal = image_usual_cie(im, "zRS");
    const uint8_t plain[] = {0x0e, 32};
    const uint8_t with_bp[] = {0x0c, UNWIND_BP, 16, 0x80 | UNWIND_BP, 2};
    const uint8_t saves_bp[] = {0x0e, 32, 0x80 | UNWIND_BP, 2};
    const uint8_t outermost[] = {0x07, UNWIND_RA};
    const uint8_t realigned[] = {0x0f, 3, 0x70 | UNWIND_BP, 0x78, 0x06, 0x10, UNWIND_BP, 2, 0x70 | UNWIND_BP, 0};
    const uint8_t from_other[] = {0x0c, REG_OTHER, 16};
    const uint8_t saves_other[] = {0x0e, 32, 0x80 | REG_OTHER, 3};
    image_fde(im, usual, plain, sizeof plain);
    image_fde(im, usual, with_bp, sizeof with_bp);
    image_fde(im, usual, saves_bp, sizeof saves_bp);
    image_fde(im, usual, outermost, sizeof outermost);
#if defined(__x86_64__)
    image_fde(im, usual, realigned, sizeof realigned);
#else
    const uint8_t realigned_there[] = {0x0f, 3, 0x8d, 0x78, 0x06, 0x10, UNWIND_BP, 2, 0x8d, 0};
    (void)realigned;
    image_fde(im, usual, realigned_there, sizeof realigned_there);
#endif
    image_fde(im, usual, from_other, sizeof from_other);
    image_fde(im, usual, saves_other, sizeof saves_other);
    image_fde(im, signal, plain, sizeof plain);
#if defined(__x86_64__)
    const uint8_t context[] = {0x0f, 3, 0x70 | UNWIND_SP, 24, 0x06, 0x10, UNWIND_BP, 2, 0x70 | UNWIND_SP, 8,
                               0x10, UNWIND_RA, 2, 0x70 | UNWIND_SP, 16};
#else
    const uint8_t context[] = {0x0f, 3, 0x8f, 24, 0x06, 0x10, UNWIND_BP, 2, 0x8f, 8, 0x10, UNWIND_RA, 2, 0x8f, 16};
#endif
    image_fde(im, signal, context, sizeof context);
    const uint8_t far_bp[] = {0x0e, 0xd0, 0xb8, 0x02, 0x80 | UNWIND_BP, 0x89, 0x27};
    image_fde(im, usual, far_bp, sizeof far_bp);
    w->modules = unwind_modules_init(malloc(unwind_modules_size(MODULES)), MODULES, 1);
    add_module(w, &im->m);
    w->cache = calloc(1, sizeof *w->cache);
    w->cache->recipes = calloc(1, sizeof *w->cache->recipes);
    char *guarded = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(guarded + PAGE, PAGE, PROT_READ | PROT_WRITE);
    w->stack = (uintptr_t *)(guarded + PAGE);
    w->q.stack_lo = (uintptr_t)w->stack;
    w->q.stack_hi = (uintptr_t)(w->stack + WORDS);
    w->q.max = 128;
    w->q.regs.known = UNWIND_KNOWN_MIN;
    *state = w;
    return 0;
}

static inline int tear_down(void **state)
{
    struct world *w = *state;
    munmap((char *)w->stack - PAGE, 3 * PAGE);
    image_end(&w->im);
    free(w->modules);
    free(w->cache->recipes);
    free(w->cache);
    free(w);
    return 0;
}

static inline void start(struct world *w, int function, size_t sp, size_t bp)
{
    w->q.regs.r[UNWIND_PC] = in_function(w, function);
    w->q.regs.r[UNWIND_SP] = (uintptr_t)(w->stack + sp);
    w->q.regs.r[UNWIND_BP] = (uintptr_t)(w->stack + bp);
}

static inline int capture(struct world *w) { return unwind_capture(w->cache, w->modules, &w->q, w->pcs, &w->out); }

static inline void captures(struct world *w, int n, unsigned flags)
{
    assert_int_equal(capture(w), n);
    assert_int_equal(w->out.n, n);
    assert_int_equal(w->out.flags, flags);
}

static inline bool recalled(struct world *w) { return unwind_recall(w->cache, w->modules, &w->q) != NULL; }

/* n PLAIN frames from word sp on, the last of which returns to OUTERMOST. */
static inline void plain_frames(struct world *w, size_t sp, int n)
{
    for (int i = 0; i < n; i++, sp += 4)
        w->stack[sp + 3] = in_function(w, i == n - 1 ? OUTERMOST : PLAIN) + (uintptr_t)i % 64;
}

#endif
