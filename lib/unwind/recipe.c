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

static bool plain_shape(struct recipe *out, const struct expr_value *ra, bool saved, const struct expr_value *bp)
{
    out->ra = ra->off / WORD;
    out->bp = saved ? bp->off : 0;
    return ra->base == EXPR_CFA && ra->off % WORD == 0 && (!saved || (bp->base == EXPR_CFA && bp->off != 0));
}

static bool word_shape(struct recipe *out, const struct expr_value *cfa, const struct expr_value *ra, bool saved,
                       const struct expr_value *bp)
{
    out->bp = saved ? bp->off : 0;
    if (ra->base == EXPR_SP) {
        out->shape = SHAPE_CONTEXT;
        out->ra = ra->off / WORD;
        return ra->off % WORD == 0 && cfa->base == EXPR_SP && cfa->post == 0 && saved && bp->base == EXPR_SP;
    }
    out->ra = cfa->post;
    if (ra->base != EXPR_CFA || ra->off != -WORD)
        return false;
    out->shape = cfa->base == EXPR_SP ? SHAPE_SP_WORD : SHAPE_BP_WORD;
    if (out->shape == SHAPE_BP_WORD)
        return saved && bp->base == EXPR_BP;
    return !saved || (bp->base == EXPR_CFA && bp->off != 0);
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

static bool fits(const struct unwind_module *m, const struct cfi_row *row, uintptr_t pc, struct recipe *out)
{
    struct expr_value cfa, ra, bp = {0};
    bool saved = saved_at(m, row, UNWIND_BP, pc, &bp);
    if (!saved && row->rule[UNWIND_BP] != CFI_SAME && row->rule[UNWIND_BP] != CFI_UNDEFINED)
        return false;
    if (!cfa_of(m, row, pc, &cfa) || !sp_is_cfa(m, row, pc, &cfa))
        return false;
    out->cfa = cfa.off;
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

static struct recipe make(const struct unwind_modules *mods, uintptr_t pc)
{
    struct cfi_fde fde;
    struct cfi_row row;
    struct recipe out = {0};
    const struct unwind_module *m = unwind_modules_find(mods, pc);
    if (m && is_signal_return(m, pc))
        return (struct recipe){.cfa = SIGNAL_REGISTERS + UNWIND_SP * WORD, .ra = SIGNAL_REGISTERS / WORD + UNWIND_PC,
                               .bp = SIGNAL_REGISTERS + UNWIND_BP * WORD, .shape = SHAPE_CONTEXT | SHAPE_EXACT};
    if (!m || !m->hdr)
        return (struct recipe){.shape = SHAPE_BARE};
    if (!cfi_find(m, pc, &fde)) {
        if (!cfi_find_made_up(m, &pc, &fde))
            return (struct recipe){.shape = SHAPE_STOP};
        if (!fde.signal)
            return (struct recipe){.shape = SHAPE_END};
    }
    if (!cfi_run(&fde, pc, &row))
        return (struct recipe){.shape = SHAPE_STOP};
    if (row.rule[UNWIND_RA] == CFI_UNDEFINED)
        return (struct recipe){.shape = SHAPE_END};
    if (!fits(m, &row, pc, &out) || out.cfa != (int32_t)out.cfa || out.bp != (int16_t)out.bp ||
        out.ra != (int8_t)out.ra)
        return (struct recipe){.shape = SHAPE_FULL};
    out.shape |= fde.signal ? SHAPE_EXACT : 0;
    return out;
}

uint64_t recipe_make(const struct unwind_modules *mods, uintptr_t pc)
{
    struct recipe r = make(mods, pc);
    return (uint64_t)(uint32_t)r.cfa | (uint64_t)(uint16_t)r.bp << 32 | (uint64_t)(uint8_t)r.ra << 48 |
           (uint64_t)r.shape << 56;
}
