/* How to step over the frame of one pc, from sp and bp alone, and the table of that, which all threads share. */
#ifndef THRACE_LIB_UNWIND_RECIPE_H
#define THRACE_LIB_UNWIND_RECIPE_H

#include <string.h>

#include "lib/unwind/unwind.h"

/* A recipe is a word: from the low bits up, cfa (32 bits), bp (16), ra (8), all signed, and the shape. */
struct recipe {
    int64_t cfa, bp, ra;
    unsigned shape;
};

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

/* From the stack pointer where a handler returns to: all registers of the interrupted context, as numbered. */
enum { SIGNAL_REGISTERS = 312 };

/* pc: as it is looked up, which may be one less. */
static inline bool is_signal_return(const struct unwind_module *m, uintptr_t pc)
{
    return m->signal_return && pc + 1 - m->signal_return <= 1;
}

/* Computes the recipe of pc. */
uint64_t recipe_make(const struct unwind_modules *, uintptr_t pc);

/* Drops recipes whose generation differs only in bits that their keys do not hold. */
static inline void recipe_sync(struct unwind_recipes *recipes, uint64_t generation)
{
    uint64_t epoch = generation >> 16;
    if (__builtin_expect(__atomic_load_n(&recipes->epoch, __ATOMIC_RELAXED) != epoch, 0)) {
        memset(recipes->recipe, 0, sizeof recipes->recipe);
        __atomic_store_n(&recipes->epoch, epoch, __ATOMIC_RELEASE);
    }
}

/*
 * What an entry's key must be for its word to be that of pc in this generation. User addresses have 47 or 48 bits, so
 * that the low bits of the generation fit above. The word is in the key as well, because another thread or a signal
 * handler may replace the entry between any two instructions of recipe_get, and one that reads or writes half of an old
 * and half of a new entry must not find, or leave, a pair that passes for one.
 */
static inline uint64_t recipe_key(const struct unwind_modules *mods, uintptr_t pc, uint64_t word)
{
    return (pc ^ mods->generation << 48) ^ word * UINT64_C(0x9e3779b97f4a7c15);
}

/* The recipe of pc, as a word: a struct would go through memory, and the walk is one chain of dependent loads. */
static inline __attribute__((always_inline)) uint64_t recipe_get(struct unwind_recipes *recipes,
                                                                 const struct unwind_modules *mods, uintptr_t pc)
{
    struct unwind_recipe *e = &recipes->recipe[(pc ^ pc >> 12) % UNWIND_RECIPES];
    uint64_t word = __atomic_load_n(&e->word, __ATOMIC_RELAXED);
    if (__builtin_expect(__atomic_load_n(&e->key, __ATOMIC_RELAXED) == recipe_key(mods, pc, word), 1))
        return word;
    word = recipe_make(mods, pc);
    __atomic_store_n(&e->word, word, __ATOMIC_RELAXED);
    __atomic_store_n(&e->key, recipe_key(mods, pc, word), __ATOMIC_RELAXED);
    return word;
}

static inline int64_t recipe_cfa(uint64_t word) { return (int32_t)word; }
static inline int64_t recipe_bp(uint64_t word) { return (int16_t)(word >> 32); }
static inline int64_t recipe_ra(uint64_t word) { return (int8_t)(word >> 48); }
static inline unsigned recipe_shape(uint64_t word) { return (unsigned)(word >> 56); }

#endif
