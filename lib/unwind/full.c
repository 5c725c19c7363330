/* The walk with all registers, straight from the CFI: slow, and needed for few frames. */
#include "config.h"

#include "lib/unwind/cfi.h"
#include "lib/unwind/expr.h"
#include "lib/unwind/recipe.h"
#include "lib/unwind/walk.h"

static bool known(const struct unwind_regs *regs, unsigned reg) { return regs->known >> reg & 1; }

static bool full_cfa(struct walk *w, const struct unwind_module *m, const struct cfi_row *row,
                     const struct unwind_regs *regs, uintptr_t pc, uintptr_t *cfa)
{
    if (!row->cfa_expr) {
        *cfa = regs->r[row->cfa_reg] + (uintptr_t)(intptr_t)row->cfa_val;
        return known(regs, row->cfa_reg);
    }
    struct expr_value v;
    struct expr_context c = {.pc = pc, .regs = regs, .stack = &w->stack};
    bool ok = expr_eval((struct cfi_reader){m->cfi + row->cfa_val, m->cfi_end, false}, &c, &v);
    *cfa = (uintptr_t)v.off;
    return ok;
}

/* The value that a register has in the caller; false when it is lost. */
static bool full_register(struct walk *w, const struct unwind_module *m, const struct cfi_row *row,
                          const struct unwind_regs *regs, uintptr_t pc, uintptr_t cfa, unsigned reg, uintptr_t *value)
{
    struct expr_value v, first = {.off = (int64_t)cfa};
    struct expr_context c = {.pc = pc, .regs = regs, .stack = &w->stack, .first = &first};
    int32_t val = row->val[reg];
    switch (row->rule[reg]) {
    case CFI_SAME:
        *value = regs->r[reg];
        return known(regs, reg);
    case CFI_AT_CFA:
        return region_load(&w->stack, cfa + (uintptr_t)(intptr_t)val, value);
    case CFI_CFA_PLUS:
        *value = cfa + (uintptr_t)(intptr_t)val;
        return true;
    case CFI_REGISTER:
        if (val < 0 || val >= UNWIND_NREGS)
            return false;
        *value = regs->r[val];
        return known(regs, (unsigned)val);
    case CFI_AT_EXPR:
    case CFI_EXPR:
        if (!expr_eval((struct cfi_reader){m->cfi + val, m->cfi_end, false}, &c, &v))
            return false;
        *value = (uintptr_t)v.off;
        return row->rule[reg] == CFI_EXPR || region_load(&w->stack, *value, value);
    default:
        return false;
    }
}

/* Takes the step of a frame without CFI, which loses all registers but three. */
static enum step full_bare(struct walk *w, struct unwind_regs *regs)
{
    struct frame f = {regs->r[UNWIND_PC] + regs->exact, regs->r[UNWIND_SP], regs->r[UNWIND_BP]};
    enum step s = walk_bare(w, &f);
    regs->r[UNWIND_PC] = f.pc;
    regs->r[UNWIND_SP] = f.sp;
    regs->r[UNWIND_BP] = f.bp;
    regs->exact = false;
    regs->known = UNWIND_KNOWN_MIN;
    return s;
}

/* From the code that a handler returns to, to what it interrupted. */
static enum step full_signal(struct walk *w, struct unwind_regs *regs)
{
    uintptr_t sp = regs->r[UNWIND_SP];
    struct unwind_regs caller = {.exact = true, .known = (UINT64_C(1) << UNWIND_NREGS) - 1};
    for (unsigned i = 0; i < UNWIND_NREGS; i++)
        if (!region_load(&w->stack, sp + SIGNAL_REGISTERS + i * WORD, &caller.r[i]))
            return STEP_STOP;
    if (!walk_known_stack(w->q, caller.r[UNWIND_SP], &w->stack) && !sane(sp, caller.r[UNWIND_SP]))
        return STEP_STOP;
    *regs = caller;
    return push(w, caller.r[UNWIND_PC] + 1) ? STEP_ON : STEP_TRUNCATED;
}

static enum step full_step(struct walk *w, struct unwind_regs *regs)
{
    struct cfi_fde fde;
    struct cfi_row row;
    uintptr_t pc = regs->r[UNWIND_PC] - !regs->exact, sp = regs->r[UNWIND_SP], cfa, ra;
    const struct unwind_module *m = unwind_modules_find(w->mods, pc);
    if (m && is_signal_return(m, pc))
        return full_signal(w, regs);
    if (!m || !m->hdr)
        return full_bare(w, regs);
    if (!cfi_find(m, pc, &fde)) {
        if (!cfi_find_made_up(m, &pc, &fde))
            return STEP_STOP;
        if (!fde.signal)
            return STEP_END;
    }
    if (!cfi_run(&fde, pc, &row))
        return STEP_STOP;
    if (row.rule[UNWIND_RA] == CFI_UNDEFINED)
        return STEP_END;
    if (UNWIND_RA == UNWIND_PC && row.rule[UNWIND_RA] == CFI_SAME)
        return STEP_STOP;
    if (!full_cfa(w, m, &row, regs, pc, &cfa) || !full_register(w, m, &row, regs, pc, cfa, UNWIND_RA, &ra))
        return STEP_STOP;
    if (ra == 0)
        return STEP_END;

    struct unwind_regs caller = {.exact = fde.signal};
    for (unsigned i = 0; i < UNWIND_NREGS; i++)
        if (i != UNWIND_PC && i != UNWIND_SP && full_register(w, m, &row, regs, pc, cfa, i, &caller.r[i]))
            caller.known |= UINT64_C(1) << i;
    caller.r[UNWIND_PC] = unwind_plain_address(ra);
    caller.r[UNWIND_SP] = cfa;
    if (row.rule[UNWIND_SP] != CFI_SAME &&
        !full_register(w, m, &row, regs, pc, cfa, UNWIND_SP, &caller.r[UNWIND_SP]))
        return STEP_STOP;
    if (!(fde.signal && walk_known_stack(w->q, caller.r[UNWIND_SP], &w->stack)) && !sane(sp, caller.r[UNWIND_SP]) &&
        !(regs->exact && caller.r[UNWIND_SP] == sp))
        return STEP_STOP;
    caller.known |= UINT64_C(1) << UNWIND_PC | UINT64_C(1) << UNWIND_SP;
    *regs = caller;
    return push(w, caller.r[UNWIND_PC] + caller.exact) ? STEP_ON : STEP_TRUNCATED;
}

enum step walk_full(struct walk *w)
{
    struct unwind_regs regs = w->q->regs;
    enum step s = STEP_ON;
    memo_abandon(&w->draft);
    w->flags = 0;
    w->bp_slot = 0;
    walk_start_region(w);
    start_pcs(w);
    while (s == STEP_ON)
        s = full_step(w, &regs);
    return s;
}
