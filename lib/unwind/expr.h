/*
 * DWARF expressions as CFI uses them, over values that may still be open: "the stack pointer plus 16", "the word at
 * the frame pointer minus 8". A rule that folds to such a value holds for every visit of its pc and goes into a
 * recipe. With registers and a stack at hand the same evaluation yields numbers.
 */
#ifndef THRACE_LIB_UNWIND_EXPR_H
#define THRACE_LIB_UNWIND_EXPR_H

#include "lib/unwind/reader.h"
#include "lib/unwind/region.h"
#include "lib/unwind/regs.h"

enum expr_base { EXPR_NUMBER, EXPR_SP, EXPR_BP, EXPR_CFA };

/* base + off, or, when indirect, the word stored there plus post. */
struct expr_value {
    int64_t off;
    int32_t post;
    uint8_t base; /* enum expr_base */
    bool indirect;
};

/* What evaluation may look at; without registers the value stays open. */
struct expr_context {
    uintptr_t pc;
    const struct unwind_regs *regs; /* or NULL */
    const struct region *stack;
    const struct expr_value *first; /* pushed before the expression, or NULL */
};

/*
 * Evaluates the expression that r starts at: a length and that many bytes. False when it is malformed, needs a word or
 * a register that is not to be had, or cannot be kept open.
 */
bool expr_eval(struct cfi_reader r, const struct expr_context *, struct expr_value *);

#endif
