/*
 * Whole stacks that were seen before. A walk is a function of where it starts, of the modules, and of the words that
 * it loads and acts on; a memo holds all three, so that one whose words are unchanged is the stack of today. Saved
 * frame pointers that no frame was found by do not count.
 *
 * Rewalking would load the same words at the same addresses: if the first one is unchanged the first step leads to
 * the same second address, and so on. That is why comparing is as safe as walking, and why nothing else needs a check.
 */
#ifndef THRACE_LIB_UNWIND_MEMO_H
#define THRACE_LIB_UNWIND_MEMO_H

#include "lib/unwind/unwind.h"

/* A memo of either size. */
struct memo {
    struct unwind_memo *head; /* NULL: none */
    uint64_t *value;
    uint32_t *where; /* distance from the memo's sp, a multiple of 8, and in the low bits what the word was */
};

enum { MEMO_PC = 1, MEMO_EXACT = 2, MEMO_WHERE = ~7 };

/* What follows is in line, for hooks that are so short that a call counts. */
static inline unsigned memo_hash(const struct unwind_request *q)
{
    uintptr_t h = q->regs.r[UNWIND_PC] ^ q->regs.r[UNWIND_SP] >> 4 ^ q->leaf;
    return (unsigned)(h ^ h >> 6 ^ h >> 12);
}

static inline struct memo memo_small(struct unwind_cache *cache, unsigned i)
{
    struct unwind_small_memo *m = &cache->memo[i];
    return (struct memo){&m->head, m->value, m->where};
}

static inline bool memo_starts_at(const struct unwind_memo *h, uint64_t generation, const struct unwind_request *q)
{
    return h->sp == q->regs.r[UNWIND_SP] && h->pc == q->regs.r[UNWIND_PC] + q->regs.exact && h->leaf == q->leaf &&
           h->generation == generation && h->stack_hi == q->stack_hi && h->alt_hi == q->alt_hi && h->max == q->max &&
           h->mode == q->mode && (!h->bp_matters || h->bp == q->regs.r[UNWIND_BP]);
}

/* All words are compared whatever the first ones say: without branches that takes a cycle or two a word. */
READS_FRAMES static inline bool memo_is_unchanged(const struct memo *m)
{
    uint64_t diff = 0;
    for (unsigned i = 0; i < m->head->nwords; i++)
        diff |= *(const uint64_t *)(m->head->sp + (m->where[i] & (uint32_t)MEMO_WHERE)) ^ m->value[i];
    return diff == 0;
}

static inline bool memo_holds(const struct memo *m, uint64_t generation, const struct unwind_request *q)
{
    return memo_starts_at(m->head, generation, q) && memo_is_unchanged(m);
}

static inline __attribute__((always_inline)) struct memo memo_find_small(struct unwind_cache *cache,
                                                                         const struct unwind_modules *mods,
                                                                         const struct unwind_request *q)
{
    unsigned set = memo_hash(q) % UNWIND_MEMO_SETS;
    for (unsigned way = 0; way < UNWIND_MEMO_WAYS; way++) {
        unsigned place = cache->place[set * UNWIND_MEMO_WAYS + way];
        if (!place)
            continue;
        struct memo m = memo_small(cache, place - 1);
        if (memo_holds(&m, mods->generation, q)) {
            cache->latest[set] = (uint8_t)way;
            return m;
        }
    }
    return (struct memo){0};
}

/* The memo of the request's stack, if it still holds. */
struct memo memo_find(struct unwind_cache *, const struct unwind_modules *, const struct unwind_request *);

/* Writes the pcs of a memo's frames. */
int memo_expand(const struct memo *, uintptr_t *pcs);

/* A memo in the making; it becomes valid by memo_finish and no earlier. */
struct memo_draft {
    struct memo memo;
    unsigned n, cap, hash;
    uintptr_t sp;
    struct unwind_cache *cache;
};

void memo_begin(struct memo_draft *, struct unwind_cache *, const struct unwind_request *);
void memo_grow(struct memo_draft *);
void memo_abandon(struct memo_draft *);
uint64_t *memo_finish(struct memo_draft *, const struct unwind_modules *, const struct unwind_request *, int nframes,
                      unsigned flags, bool bp_matters);

/* Notes that the walk acted on a word. */
static inline void memo_note(struct memo_draft *d, uintptr_t addr, uint64_t value, unsigned what)
{
    if (!d->memo.head)
        return;
    if (__builtin_expect(d->n == d->cap, 0)) {
        memo_grow(d);
        if (!d->memo.head)
            return;
    }
    if (__builtin_expect(addr - d->sp > UINT32_MAX, 0)) {
        memo_abandon(d);
        return;
    }
    d->memo.value[d->n] = value;
    d->memo.where[d->n++] = (uint32_t)(addr - d->sp) | what;
}

#endif
