#include "config.h"

#include "lib/unwind/recipe.h"

#include "lib/unwind/cfi.h"
#include "lib/unwind/expr.h"

enum { WORD = sizeof(uintptr_t) };

/* Where a rule says that a register was saved: an open value, not indirect. False for other kinds of rules. */
static bool saved_at(const struct unwind_module *m, const struct cfi_row *row, unsigned reg, uintptr_t pc,
                     struct expr_value *at)
{
    *at = (struct expr_value){.off = row->val[reg], .base = EXPR_CFA};
    if (row->rule[reg] == CFI_AT_CFA)
        return true;
    if (row->rule[reg] != CFI_AT_EXPR)
        return false;
    struct expr_value cfa = {.base = EXPR_CFA};
    struct expr_context c = {.pc = pc, .first = &cfa};
    return expr_eval((struct cfi_reader){m->cfi + row->val[reg], m->cfi_end, false}, &c, at) && !at->indirect;
}

static bool cfa_of(const struct unwind_module *m, const struct cfi_row *row, uintptr_t pc, struct expr_value *cfa)
{
    if (!row->cfa_expr) {
        *cfa = (struct expr_value){.off = row->cfa_val, .base = row->cfa_reg == UNWIND_SP ? EXPR_SP : EXPR_BP};
        return row->cfa_reg == UNWIND_SP || row->cfa_reg == UNWIND_BP;
    }
    struct expr_context c = {.pc = pc};
    return expr_eval((struct cfi_reader){m->cfi + row->cfa_val, m->cfi_end, false}, &c, cfa) &&
           (cfa->base == EXPR_SP || cfa->base == EXPR_BP);
}

static bool plain_shape(struct unwind_recipe *out, const struct expr_value *ra, bool saved, const struct expr_value *bp)
{
    if (ra->base != EXPR_CFA || ra->off % WORD || (saved && (bp->base != EXPR_CFA || bp->off == 0)))
        return false;
    out->ra = (int8_t)(ra->off / WORD);
    out->bp = saved ? (int16_t)bp->off : 0;
    return out->ra == ra->off / WORD && (!saved || out->bp == bp->off);
}

static bool word_shape(struct unwind_recipe *out, const struct expr_value *cfa, const struct expr_value *ra, bool saved,
                       const struct expr_value *bp)
{
    if (ra->base == EXPR_SP && cfa->base == EXPR_SP && cfa->post == 0 && saved && bp->base == EXPR_SP) {
        out->shape = SHAPE_CONTEXT;
        out->ra = (int8_t)(ra->off / WORD);
        out->bp = (int16_t)bp->off;
        return out->ra * WORD == ra->off && out->bp == bp->off;
    }
    out->ra = (int8_t)cfa->post;
    if (ra->base != EXPR_CFA || ra->off != -WORD || out->ra != cfa->post)
        return false;
    out->bp = saved ? (int16_t)bp->off : 0;
    if (saved && out->bp != bp->off)
        return false;
    out->shape = cfa->base == EXPR_SP ? SHAPE_SP_WORD : SHAPE_BP_WORD;
    if (out->shape == SHAPE_SP_WORD)
        return !saved || (bp->base == EXPR_CFA && bp->off != 0);
    return saved && bp->base == EXPR_BP;
}

/* The stack pointer is the CFA. A rule that says so, as signal trampolines have one, changes nothing. */
static bool sp_is_cfa(const struct unwind_module *m, const struct cfi_row *row, uintptr_t pc,
                      const struct expr_value *cfa)
{
    struct expr_value at;
    if (row->rule[UNWIND_SP] == CFI_SAME || (row->rule[UNWIND_SP] == CFI_CFA_PLUS && row->val[UNWIND_SP] == 0))
        return true;
    return saved_at(m, row, UNWIND_SP, pc, &at) && cfa->indirect && at.base == cfa->base && at.off == cfa->off &&
           cfa->post == 0;
}

static bool fits(const struct unwind_module *m, const struct cfi_row *row, uintptr_t pc, struct unwind_recipe *out)
{
    struct expr_value cfa, ra, bp = {0};
    bool saved = saved_at(m, row, UNWIND_BP, pc, &bp);
    if (!saved && row->rule[UNWIND_BP] != CFI_SAME && row->rule[UNWIND_BP] != CFI_UNDEFINED)
        return false;
    if (!cfa_of(m, row, pc, &cfa) || !sp_is_cfa(m, row, pc, &cfa))
        return false;
    out->cfa = (int32_t)cfa.off;
    if (out->cfa != cfa.off)
        return false;
#if defined(__aarch64__)
    if (row->rule[UNWIND_RA] == CFI_SAME) {
        ra = (struct expr_value){.off = 0, .base = EXPR_CFA};
        out->shape = SHAPE_LR;
        return cfa.base == EXPR_SP && !cfa.indirect && plain_shape(out, &ra, saved, &bp);
    }
#endif
    if (!saved_at(m, row, UNWIND_RA, pc, &ra))
        return false;
    if (cfa.indirect)
        return word_shape(out, &cfa, &ra, saved, &bp);
    out->shape = cfa.base == EXPR_SP ? SHAPE_SP : SHAPE_BP;
    return plain_shape(out, &ra, saved, &bp);
}

void recipe_make(const struct unwind_modules *mods, uintptr_t pc, struct unwind_recipe *out)
{
    struct cfi_fde fde;
    struct cfi_row row;
    const struct unwind_module *m = unwind_modules_find(mods, pc);
    *out = (struct unwind_recipe){0};
    if (!m || !m->hdr)
        out->shape = SHAPE_BARE;
    else if (!cfi_find(m, pc, &fde) || !cfi_run(&fde, pc, &row))
        out->shape = SHAPE_STOP;
    else if (row.rule[UNWIND_RA] == CFI_UNDEFINED)
        out->shape = SHAPE_END;
    else if (!fits(m, &row, pc, out))
        out->shape = SHAPE_FULL;
    else if (fde.signal)
        out->shape |= SHAPE_EXACT;
}
