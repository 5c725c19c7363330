/* What the walk on recipes, the walk with all registers and the step from a frame without CFI share. */
#ifndef THRACE_LIB_UNWIND_WALK_H
#define THRACE_LIB_UNWIND_WALK_H

#include "lib/unwind/memo.h"
#include "lib/unwind/region.h"
#include "lib/unwind/unwind.h"

enum { WORD = sizeof(uintptr_t), PAGE = 4096, RED_ZONE = 128, LARGEST_FRAME = 16 << 20 };

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum step { STEP_ON, STEP_END, STEP_STOP, STEP_TRUNCATED, STEP_FULL };

struct walk {
    struct unwind_cache *cache;
    const struct unwind_modules *mods;
    const struct unwind_request *q;
    uintptr_t *pcs;
    int n;
    unsigned flags;
    struct region stack;
    struct memo_draft draft;
    bool bp_matters;           /* the start's bp was acted on */
    uintptr_t bp_slot, bp_word; /* the saved bp in force, until it is acted on */
};

/* pc as it is stored, so that pc - 1 is where to look it up. */
struct frame {
    uintptr_t pc, sp, bp;
};

static inline bool push(struct walk *w, uintptr_t pc)
{
    if (w->n == w->q->max)
        return false;
    w->pcs[w->n++] = pc;
    return true;
}

static inline void start_pcs(struct walk *w)
{
    w->n = 0;
    if (w->q->leaf)
        push(w, w->q->leaf);
    push(w, w->q->regs.r[UNWIND_PC] + w->q->regs.exact);
}

/* The stack grows down, so that callers' frames lie above; a larger distance is a wild pointer. */
static inline bool sane(uintptr_t sp, uintptr_t cfa)
{
    return cfa - sp - 1 < LARGEST_FRAME && cfa % WORD == 0;
}

/* The bounds of the stack that sp is in, from its red zone on; false when they are not known. */
bool walk_known_stack(const struct unwind_request *, uintptr_t sp, struct region *);

/* Sets w->stack to what may be read at the start. */
void walk_start_region(struct walk *);

/* Steps over a frame without CFI by its frame pointer, if the mode has it and the pc may be code. */
enum step walk_bare(struct walk *, struct frame *);

/* Walks from the start with all registers. */
enum step walk_full(struct walk *);

/* --- the parts of a step to the caller ---------------------------------------------------------------------------- */

/* bp is about to be acted on. */
static ALWAYS_INLINE void use_bp(struct walk *w)
{
    if (w->bp_slot == 0) {
        w->bp_matters = true;
    } else if (w->bp_slot != UINTPTR_MAX) {
        memo_note(&w->draft, w->bp_slot, w->bp_word, 0);
        w->bp_slot = UINTPTR_MAX;
    }
}

static ALWAYS_INLINE bool load_bp(struct walk *w, uintptr_t slot, uintptr_t *bp)
{
    if (!region_load(&w->stack, slot, bp))
        return false;
    w->bp_slot = slot;
    w->bp_word = *bp;
    return true;
}

/* Loads the return address at slot, stores it as a frame and makes it the current one. */
static ALWAYS_INLINE enum step enter_caller(struct walk *w, struct frame *f, uintptr_t slot, uintptr_t cfa, bool exact)
{
    uintptr_t word;
    if (!region_load(&w->stack, slot, &word))
        return STEP_STOP;
    if (__builtin_expect(word == 0, 0)) {
        memo_note(&w->draft, slot, 0, 0);
        return STEP_END;
    }
    f->pc = unwind_plain_address(word) + exact;
    f->sp = cfa;
    memo_note(&w->draft, slot, word, w->n == w->q->max ? 0 : exact ? MEMO_PC | MEMO_EXACT : MEMO_PC);
    return push(w, f->pc) ? STEP_ON : STEP_TRUNCATED;
}

/* A frame record: the caller's frame pointer, and the return address above it. */
static ALWAYS_INLINE enum step step_by_frame_pointer(struct walk *w, struct frame *f)
{
    uintptr_t record = f->bp, bp;
    use_bp(w);
    if (record < f->sp || record - f->sp >= LARGEST_FRAME || !load_bp(w, record, &bp))
        return STEP_STOP;
    f->bp = bp;
    return enter_caller(w, f, record + WORD, record + 2 * WORD, false);
}

#if defined(__aarch64__)
/* Whether the link register may still say where the function of f returns to. */
static inline bool is_innermost(const struct walk *w, const struct frame *f)
{
    const struct unwind_regs *regs = &w->q->regs;
    return regs->exact && f->sp == regs->r[UNWIND_SP] && f->pc == regs->r[UNWIND_PC] + 1 &&
           regs->known >> UNWIND_RA & 1;
}

/* Enters the caller that the link register has. */
static inline enum step step_by_link(struct walk *w, struct frame *f, uintptr_t cfa)
{
    memo_abandon(&w->draft);
    f->pc = unwind_plain_address(w->q->regs.r[UNWIND_RA]);
    f->sp = cfa;
    return push(w, f->pc) ? STEP_ON : STEP_TRUNCATED;
}
#endif

#endif
