/* How to step over the frame of one pc, from sp and bp alone, and the per-thread cache of that. */
#ifndef THRACE_LIB_UNWIND_RECIPE_H
#define THRACE_LIB_UNWIND_RECIPE_H

#include <string.h>

#include "lib/unwind/unwind.h"

/*
 * The frames that compilers and libc make. Everything else is SHAPE_FULL and is unwound with all registers.
 *
 *                  CFA              return address     bp, saved
 * SHAPE_SP         sp + cfa         *(CFA + 8 ra)      *(CFA + bp), unless bp is 0: not saved
 * SHAPE_BP         bp + cfa         "                  "
 * SHAPE_SP_WORD    *(sp + cfa) + ra *(CFA - 8)         "                   hand-written code that realigns its stack
 * SHAPE_BP_WORD    *(bp + cfa) + ra *(CFA - 8)         *(bp + bp)          gcc's functions that realign their stack
 * SHAPE_CONTEXT    *(sp + cfa)      *(sp + 8 ra)       *(sp + bp)          signal trampoline
 * SHAPE_LR         sp + cfa         the link register  "                   aarch64's leaf functions
 */
enum recipe_shape {
    SHAPE_SP,
    SHAPE_BP,
    SHAPE_SP_WORD,
    SHAPE_BP_WORD,
    SHAPE_CONTEXT,
    SHAPE_LR,
    SHAPE_END,  /* the outermost function */
    SHAPE_FULL, /* rules that need other registers */
    SHAPE_STOP, /* missing or malformed CFI */
    SHAPE_BARE, /* no CFI to be expected: code outside every module, modules without any */
    SHAPE_MASK = 0x7f,
    SHAPE_EXACT = 0x80, /* a signal frame: the pc below it is exact */
};

/* Computes the recipe of pc; the key is left alone. */
void recipe_make(const struct unwind_modules *, uintptr_t pc, struct unwind_recipe *);

/* Drops recipes whose generation differs only in bits that their keys do not hold. */
static inline void recipe_sync(struct unwind_cache *cache, uint64_t generation)
{
    uint64_t epoch = generation >> 16;
    if (__builtin_expect(cache->epoch != epoch, 0)) {
        memset(cache->recipe, 0, sizeof cache->recipe);
        cache->epoch = epoch;
    }
}

/*
 * User addresses have 47 or 48 bits, so that the low bits of the generation fit above. A signal handler may replace
 * the entry at any instruction of this: a recipe depends on nothing but what its key says, so that a key that is the
 * same before and after the word was read vouches for it. Volatile keeps the order that this needs.
 */
static inline struct unwind_recipe recipe_get(struct unwind_cache *cache, const struct unwind_modules *mods,
                                              uintptr_t pc)
{
    uint64_t key = (uint64_t)pc ^ mods->generation << 48;
    struct unwind_recipe *e = &cache->recipe[(pc ^ pc >> 8 ^ pc >> 16) % UNWIND_RECIPES];
    struct unwind_recipe found;
    found.key = *(volatile uint64_t *)&e->key;
    found.word = *(volatile uint64_t *)&e->word;
    if (__builtin_expect(found.key == key && *(volatile uint64_t *)&e->key == key, 1))
        return found;
    recipe_make(mods, pc, &found);
    *(volatile uint64_t *)&e->key = 0;
    *(volatile uint64_t *)&e->word = found.word;
    *(volatile uint64_t *)&e->key = key;
    return found;
}

#endif
