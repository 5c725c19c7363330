/* What the walk on recipes and the walk with all registers share. */
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

#endif
