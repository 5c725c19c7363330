/*
 * The walk from frame to frame. It runs on recipes (sp, bp and the words they point at) and starts over with all
 * registers when it meets a frame whose rules need more.
 */
#include "config.h"

#include "lib/unwind/recipe.h"
#include "lib/unwind/walk.h"

/* --- memory that may be read -------------------------------------------------------------------------------- */

static uintptr_t below(uintptr_t lo, uintptr_t sp) { return sp - lo > RED_ZONE ? sp - RED_ZONE : lo; }

bool walk_known_stack(const struct unwind_request *q, uintptr_t sp, struct region *g)
{
    if (sp >= q->stack_lo && sp < q->stack_hi)
        *g = region_between(below(q->stack_lo, sp), q->stack_hi);
    else if (sp >= q->alt_lo && sp < q->alt_hi)
        *g = region_between(below(q->alt_lo, sp), q->alt_hi);
    else
        return false;
    return true;
}

/*
 * On a stack of unknown bounds only the page of sp is certain: something runs on it. An sp at the very start of a page
 * may belong to an empty stack that ends there, and vouches for nothing.
 */
void walk_start_region(struct walk *w)
{
    uintptr_t sp = w->q->regs.r[UNWIND_SP], page = sp & ~(uintptr_t)(PAGE - 1);
    if (!walk_known_stack(w->q, sp, &w->stack))
        w->stack = region_between(sp == page ? sp : below(page, sp), sp == page ? sp : page + PAGE);
}

/* --- one step ----------------------------------------------------------------------------------------------- */

/* In a loop gcc would keep pc and sp as a vector, 3 ns a frame. */
#define KEEP_IN_REGISTERS(f) __asm__("" : "+r"((f).pc), "+r"((f).sp), "+r"((f).bp))

/* The registers of an interrupted context: the only frame whose caller may lie on another stack. */
static enum step step_context(struct walk *w, struct frame *f, uint64_t recipe, uintptr_t cfa)
{
    struct region next = w->stack;
    uintptr_t ra_slot = f->sp + (uintptr_t)(recipe_ra(recipe) * WORD);
    if (!load_bp(w, f->sp + (uintptr_t)recipe_bp(recipe), &f->bp))
        return STEP_STOP;
    if (!walk_known_stack(w->q, cfa, &next) && !sane(f->sp, cfa))
        next = region_between(0, 0);
    enum step s = enter_caller(w, f, ra_slot, cfa, recipe_shape(recipe) & SHAPE_EXACT);
    w->stack = next;
    return s;
}

/* The shapes that find their CFA in memory. */
static enum step step_by_word(struct walk *w, struct frame *f, uint64_t recipe)
{
    unsigned shape = recipe_shape(recipe) & SHAPE_MASK;
    if (shape == SHAPE_BP_WORD)
        use_bp(w);
    uintptr_t slot = (shape == SHAPE_BP_WORD ? f->bp : f->sp) + (uintptr_t)recipe_cfa(recipe), cfa;
    if (!region_load(&w->stack, slot, &cfa))
        return STEP_STOP;
    memo_note(&w->draft, slot, cfa, 0);
    if (shape == SHAPE_CONTEXT)
        return step_context(w, f, recipe, cfa);
    cfa += (uintptr_t)recipe_ra(recipe);
    if (!sane(f->sp, cfa))
        return STEP_STOP;
    uintptr_t bp_slot = (shape == SHAPE_BP_WORD ? f->bp : cfa) + (uintptr_t)recipe_bp(recipe);
    if ((shape == SHAPE_BP_WORD || recipe_bp(recipe)) && !load_bp(w, bp_slot, &f->bp))
        return STEP_STOP;
    return enter_caller(w, f, cfa - WORD, cfa, recipe_shape(recipe) & SHAPE_EXACT);
}

#if defined(__aarch64__)
/* Only the innermost function still has its return address in the link register, or one that was interrupted. */
static enum step step_leaf(struct walk *w, struct frame *f, uint64_t recipe)
{
    uintptr_t cfa = f->sp + (uintptr_t)recipe_cfa(recipe);
    if (!is_innermost(w, f))
        return STEP_FULL;
    if (cfa - f->sp >= LARGEST_FRAME || (recipe_bp(recipe) && !load_bp(w, cfa + (uintptr_t)recipe_bp(recipe), &f->bp)))
        return STEP_STOP;
    return step_by_link(w, f, cfa);
}
#endif

/* The shapes of signal frames that are found like others (aarch64's). */
static enum step step_plain(struct walk *w, struct frame *f, uint64_t recipe)
{
    bool from_bp = (recipe_shape(recipe) & SHAPE_MASK) == SHAPE_BP;
    if (from_bp)
        use_bp(w);
    uintptr_t cfa = (from_bp ? f->bp : f->sp) + (uintptr_t)recipe_cfa(recipe);
    if (!sane(f->sp, cfa) || (recipe_bp(recipe) && !load_bp(w, cfa + (uintptr_t)recipe_bp(recipe), &f->bp)))
        return STEP_STOP;
    return enter_caller(w, f, cfa + (uintptr_t)(recipe_ra(recipe) * WORD), cfa, recipe_shape(recipe) & SHAPE_EXACT);
}

static __attribute__((noinline)) enum step step_rare(struct walk *w, struct frame *f, uint64_t recipe)
{
    switch (recipe_shape(recipe) & SHAPE_MASK) {
    case SHAPE_SP:
    case SHAPE_BP:
        return step_plain(w, f, recipe);
    case SHAPE_SP_WORD:
    case SHAPE_BP_WORD:
    case SHAPE_CONTEXT:
        return step_by_word(w, f, recipe);
#if defined(__aarch64__)
    case SHAPE_LR:
        return step_leaf(w, f, recipe);
#endif
    case SHAPE_END:
        return STEP_END;
    case SHAPE_FULL:
        return STEP_FULL;
    case SHAPE_BARE:
        return walk_bare(w, f);
    default:
        return STEP_STOP;
    }
}

/*
 * The walk is one chain of dependent loads, 7 ns a frame, so that what the next step needs first must stay in
 * registers: nothing takes f's address but on the rare path, on a copy.
 */
static ALWAYS_INLINE enum step step(struct walk *w, struct frame *f)
{
    uint64_t recipe = recipe_get(w->cache->recipes, w->mods, f->pc - 1);
    uintptr_t cfa;
    if (__builtin_expect(recipe_shape(recipe) == SHAPE_SP, 1)) {
        cfa = f->sp + (uintptr_t)recipe_cfa(recipe);
    } else if (__builtin_expect(recipe_shape(recipe) == SHAPE_BP, 1)) {
        use_bp(w);
        cfa = f->bp + (uintptr_t)recipe_cfa(recipe);
    } else {
        struct frame copy = *f;
        enum step s = step_rare(w, &copy, recipe);
        *f = copy;
        return s;
    }
    if (__builtin_expect(!sane(f->sp, cfa), 0))
        return STEP_STOP;
    if (recipe_bp(recipe) && !load_bp(w, cfa + (uintptr_t)recipe_bp(recipe), &f->bp))
        return STEP_STOP;
    return enter_caller(w, f, cfa + (uintptr_t)(recipe_ra(recipe) * WORD), cfa, false);
}

/* --- the walks ---------------------------------------------------------------------------------------------- */

static enum step walk_recipes(struct walk *w)
{
    const struct unwind_regs *regs = &w->q->regs;
    struct frame f = {regs->r[UNWIND_PC] + regs->exact, regs->r[UNWIND_SP], regs->r[UNWIND_BP]};
    enum step s = STEP_ON;
    while (s == STEP_ON) {
        KEEP_IN_REGISTERS(f);
        s = step(w, &f);
    }
    return s == STEP_FULL ? walk_full(w) : s;
}

/* Without CFI only the module map distinguishes a return address from another word. */
static enum step walk_frame_pointers(struct walk *w)
{
    const struct unwind_regs *regs = &w->q->regs;
    struct frame f = {regs->r[UNWIND_PC] + regs->exact, regs->r[UNWIND_SP], regs->r[UNWIND_BP]};
    const struct unwind_module *m = NULL;
    for (;;) {
        KEEP_IN_REGISTERS(f);
        if (f.bp == 0) {
            use_bp(w);
            return STEP_END;
        }
        enum step s = step_by_frame_pointer(w, &f);
        if (s != STEP_ON)
            return s;
        if (!m || f.pc < m->start || f.pc >= m->end)
            m = unwind_modules_find(w->mods, f.pc);
        if (!m)
            return STEP_STOP;
    }
}

static enum step walk(struct walk *w)
{
    walk_start_region(w);
    start_pcs(w);
    if (w->n == 0)
        return STEP_TRUNCATED;
    switch (w->q->mode) {
    case UNWIND_NONE:
        return STEP_END;
    case UNWIND_FP:
        return walk_frame_pointers(w);
    default:
        return walk_recipes(w);
    }
}

int unwind_capture(struct unwind_cache *cache, const struct unwind_modules *mods, const struct unwind_request *q,
                   uintptr_t *pcs, struct unwind_stack *out)
{
    bool memos = !(q->options & UNWIND_NO_MEMO);
    recipe_sync(cache->recipes, mods->generation);
    if (memos) {
        struct memo seen = memo_find(cache, mods, q);
        if (seen.head) {
            out->n = memo_expand(&seen, pcs);
            out->flags = seen.head->flags;
            out->tag = &seen.head->tag;
            return out->n;
        }
    }
    struct walk w = {.cache = cache, .mods = mods, .q = q, .pcs = pcs};
    w.draft.memo.head = NULL;
    if (memos)
        memo_begin(&w.draft, cache, q);
    enum step s = walk(&w);
    if (s == STEP_STOP)
        w.flags |= UNWIND_STOPPED;
    if (s == STEP_TRUNCATED)
        w.flags |= UNWIND_TRUNCATED;
    out->n = w.n;
    out->flags = w.flags;
    out->tag = memos ? memo_finish(&w.draft, mods, q, w.n, w.flags, w.bp_matters) : NULL;
    return w.n;
}

uint64_t *unwind_recall(struct unwind_cache *cache, const struct unwind_modules *mods, const struct unwind_request *q)
{
    struct memo seen = memo_find(cache, mods, q);
    return seen.head ? &seen.head->tag : NULL;
}

/*
 * Debug info that counts from the sp does not know of arguments that are pushed for a call (clang). The CFA is then a
 * word farther from the sp than before the last push; what makes room for a variable moves it by more.
 */
static bool has_pushed(const struct walk *w, uintptr_t pc)
{
    enum { REACH = 128 };
    uint64_t at_call = recipe_get(w->cache->recipes, w->mods, pc - 1), before = at_call;
    for (uintptr_t i = 2; i < REACH && before == at_call; i++)
        before = recipe_get(w->cache->recipes, w->mods, pc - i);
    return recipe_shape(at_call) == SHAPE_SP && recipe_shape(before) == SHAPE_SP &&
           recipe_cfa(at_call) - recipe_cfa(before) == WORD;
}

bool unwind_frame_around(struct unwind_cache *cache, const struct unwind_modules *mods, const struct unwind_request *q,
                         uintptr_t address, struct unwind_frame *out)
{
    enum { DEEPEST = 64 };
    uintptr_t pcs[DEEPEST];
    struct unwind_request request = *q;
    struct walk w = {.cache = cache, .mods = mods, .q = &request, .pcs = pcs};
    struct frame f = {q->regs.r[UNWIND_PC] + q->regs.exact, q->regs.r[UNWIND_SP], q->regs.r[UNWIND_BP]};
    request.leaf = 0;
    request.max = DEEPEST;
    if (address < f.sp || q->mode == UNWIND_FP || q->mode == UNWIND_NONE)
        return false;
    recipe_sync(cache->recipes, mods->generation);
    walk_start_region(&w);
    for (enum step s = STEP_ON; s == STEP_ON && f.sp <= address;) {
        out->pc = f.pc;
        out->sp = f.sp;
        s = step(&w, &f);
        out->cfa = f.sp;
    }
    if (f.sp <= address || f.sp > q->stack_hi)
        return false;
    if (has_pushed(&w, out->pc))
        out->sp = 0;
    return true;
}
