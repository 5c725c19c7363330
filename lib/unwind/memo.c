#include "config.h"

#include "lib/unwind/memo.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/unwind/region.h"

static struct memo deep(struct unwind_cache *cache, unsigned i)
{
    struct unwind_deep_memo *m = &cache->deep[i];
    return (struct memo){&m->head, m->value, m->where};
}

struct memo memo_find(struct unwind_cache *cache, const struct unwind_modules *mods, const struct unwind_request *q)
{
    struct memo m = memo_find_small(cache, mods, q);
    if (m.head)
        return m;
    m = deep(cache, memo_hash(q) % UNWIND_DEEP_MEMOS);
    return memo_holds(&m, mods->generation, q) ? m : (struct memo){0};
}

int memo_expand(const struct memo *m, uintptr_t *pcs)
{
    int n = 0;
    if (m->head->leaf)
        pcs[n++] = m->head->leaf;
    if (n < m->head->max)
        pcs[n++] = m->head->pc;
    for (unsigned i = 0; i < m->head->nwords; i++)
        if (m->where[i] & MEMO_PC)
            pcs[n++] = unwind_plain_address(m->value[i]) + !!(m->where[i] & MEMO_EXACT);
    return n;
}

/* No request has this sp. */
static void invalidate(struct unwind_memo *h)
{
    h->sp = 0;
    atomic_signal_fence(memory_order_seq_cst);
}

void memo_begin(struct memo_draft *d, struct unwind_cache *cache, const struct unwind_request *q)
{
    d->hash = memo_hash(q);
    unsigned set = d->hash % UNWIND_MEMO_SETS;
    uint8_t *place = &cache->place[set * UNWIND_MEMO_WAYS + !cache->latest[set]];
    if (!*place) /* torn out in between, two share one; its start tells them apart */
        *place = cache->nmemos = (uint8_t)(cache->nmemos % UNWIND_MEMOS + 1);
    d->memo = memo_small(cache, *place - 1u);
    d->n = 0;
    d->cap = UNWIND_MEMO_WORDS;
    d->sp = q->regs.r[UNWIND_SP];
    d->cache = cache;
    invalidate(d->memo.head);
}

void memo_grow(struct memo_draft *d)
{
    struct memo bigger = deep(d->cache, d->hash % UNWIND_DEEP_MEMOS);
    if (d->cap == UNWIND_DEEP_MEMO_WORDS) {
        d->memo.head = NULL;
        return;
    }
    invalidate(bigger.head);
    memcpy(bigger.value, d->memo.value, d->n * sizeof *bigger.value);
    memcpy(bigger.where, d->memo.where, d->n * sizeof *bigger.where);
    d->memo = bigger;
    d->cap = UNWIND_DEEP_MEMO_WORDS;
}

void memo_abandon(struct memo_draft *d) { d->memo.head = NULL; }

uint64_t *memo_finish(struct memo_draft *d, const struct unwind_modules *mods, const struct unwind_request *q,
                      int nframes, unsigned flags, bool bp_matters)
{
    struct unwind_memo *h = d->memo.head;
    if (!h)
        return NULL;
    h->tag = 0;
    h->generation = mods->generation;
    h->pc = q->regs.r[UNWIND_PC] + q->regs.exact;
    h->bp = q->regs.r[UNWIND_BP];
    h->leaf = q->leaf;
    h->stack_hi = q->stack_hi;
    h->alt_hi = q->alt_hi;
    h->max = q->max;
    h->mode = q->mode;
    h->nwords = (uint16_t)d->n;
    h->nframes = (uint16_t)nframes;
    h->flags = (uint8_t)flags;
    h->bp_matters = bp_matters;
    atomic_signal_fence(memory_order_seq_cst);
    h->sp = q->regs.r[UNWIND_SP];
    return &h->tag;
}
