/* The step from a frame without CFI, such as a JIT compiler's, or of a library that is being loaded: a guess. */
#include "config.h"

#include "lib/unwind/recipe.h"
#include "lib/unwind/walk.h"

/* Whether pc may be code that no module has, such as a JIT compiler's; its frame is then worth a guess. */
static bool may_be_code(const struct walk *w, uintptr_t pc)
{
    uintptr_t lowest = 0x10000, beyond = (uintptr_t)1 << UNWIND_ADDRESS_BITS;
    return pc - lowest < beyond - lowest && pc - w->q->stack_lo >= w->q->stack_hi - w->q->stack_lo &&
           pc - w->q->alt_lo >= w->q->alt_hi - w->q->alt_lo;
}

/*
 * Code that is in no module and keeps no frame pointer leaves anything there. Its caller is in a module, or in the same
 * heap of a JIT compiler.
 */
static bool may_be_caller(const struct walk *w, uintptr_t pc, uintptr_t caller)
{
    enum { NEAR = 1 << 30 };
    return caller == 0 || (may_be_code(w, caller) && caller - pc + NEAR < 2u * NEAR) ||
           unwind_modules_find(w->mods, caller);
}

#if defined(__aarch64__)
/*
 * Code that has called anything has an address of its own in the link register; one in another module is its caller's.
 * Then either no frame record was made, or that is in it, too.
 */
static bool is_bare_leaf(const struct walk *w, const struct frame *f)
{
    uintptr_t saved, link = unwind_plain_address(w->q->regs.r[UNWIND_RA]);
    const struct unwind_module *to = unwind_modules_find(w->mods, link);
    return to && to != unwind_modules_find(w->mods, f->pc - 1) &&
           !(region_load(&w->stack, f->bp + WORD, &saved) && unwind_plain_address(saved) == link);
}

/*
 * A frame record may be anywhere in its frame, so it does not say where the caller's frame begins. The caller's own one
 * does: its CFI says how far that is from its sp. A handler of signals is taken to have no more than the record.
 */
static enum step find_sp(struct walk *w, struct frame *f)
{
    uint64_t recipe = recipe_get(w->cache->recipes, w->mods, f->pc - 1);
    uintptr_t sp = f->bp - (uintptr_t)recipe_bp(recipe) - (uintptr_t)recipe_cfa(recipe);
    switch (recipe_shape(recipe) & SHAPE_MASK) {
    case SHAPE_BP:
    case SHAPE_BP_WORD:
    case SHAPE_CONTEXT:
    case SHAPE_BARE:
    case SHAPE_END:
    case SHAPE_STOP:
        return STEP_ON;
    case SHAPE_SP:
        use_bp(w);
        if (!recipe_bp(recipe) || (sp != f->sp && !sane(f->sp, sp)))
            return STEP_STOP;
        f->sp = sp;
        return STEP_ON;
    default:
        return STEP_STOP;
    }
}
#endif

static enum step leave(struct walk *w, struct frame *f)
{
    uintptr_t caller;
#if defined(__aarch64__)
    if (is_innermost(w, f)) {
        memo_abandon(&w->draft); /* what follows depends on the link register */
        if (is_bare_leaf(w, f))
            return step_by_link(w, f, f->sp);
    }
#endif
    use_bp(w);
    if (f->bp < f->sp || !region_load(&w->stack, f->bp + WORD, &caller))
        return STEP_STOP;
    if (!may_be_caller(w, f->pc, unwind_plain_address(caller))) {
        memo_note(&w->draft, f->bp + WORD, caller, 0);
        return STEP_STOP;
    }
    return step_by_frame_pointer(w, f);
}

enum step walk_bare(struct walk *w, struct frame *f)
{
    if (w->q->mode == UNWIND_CFI || !may_be_code(w, f->pc))
        return STEP_STOP;
    enum step s = leave(w, f);
    if (s == STEP_ON || s == STEP_TRUNCATED)
        w->flags |= UNWIND_GUESSED;
#if defined(__aarch64__)
    if (s == STEP_ON)
        s = find_sp(w, f);
#endif
    return s;
}
