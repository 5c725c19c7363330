#include "lib/sched_proc.h"

#include "lib/rawsys.h"

int32_t proc_take_free(struct sched *s, uint32_t from, uint32_t to)
{
    for (uint32_t base = from & ~63u; base < to; base += 64) {
        uint64_t *word = &s->busy[base / 64];
        uint64_t busy = __atomic_load_n(word, __ATOMIC_RELAXED), others = 0;
        if (base < from)
            others |= (UINT64_C(1) << (from - base)) - 1;
        if (to - base < 64)
            others |= ~((UINT64_C(1) << (to - base)) - 1);
        while (~(busy | others)) {
            unsigned bit = (unsigned)__builtin_ctzll(~(busy | others));
            if (__atomic_compare_exchange_n(word, &busy, busy | UINT64_C(1) << bit, true, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED))
                return (int32_t)(base + bit);
        }
    }
    return PROC_NONE;
}

void proc_release(struct sched *s, int32_t p)
{
    __atomic_fetch_and(&s->busy[p / 64], ~(UINT64_C(1) << (p % 64)), __ATOMIC_RELEASE);
}

/*
 * The start of a call is kept in 32 bits. Clocks of different CPUs disagree a little, so what began a moment from now
 * is young; the price is that a call that lasts for minutes looks young for a millisecond now and then.
 */
enum { CLOCK_SLACK = 1 << 16 };

static bool is_old(const struct sched *s, uint64_t word, uint64_t now)
{
    return (uint32_t)((uint32_t)now - word_since(word) + CLOCK_SLACK) >= s->steal_after + CLOCK_SLACK;
}

int32_t proc_claim(struct sched *s, struct sched_thread *t, uint64_t now)
{
    uint32_t n = __atomic_load_n(&s->gomaxprocs, __ATOMIC_RELAXED);
    uint32_t known = __atomic_load_n(&s->nprocs_known, __ATOMIC_RELAXED);
    for (uint32_t p = 0; p < n && p < known; p++) {
        uint64_t word = __atomic_load_n(&s->procs[p].word, __ATOMIC_RELAXED);
        if (word_kind(word) != IN_CALL || !is_old(s, word, now))
            continue;
        t->claim_proc = (int32_t)p;
        t->claim_word = word;
        compiler_barrier();
        if (__atomic_compare_exchange_n(&s->procs[p].word, &word, proc_word(CLAIMED, t->g, 0), false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return (int32_t)p;
    }
    t->claim_word = 0;
    return PROC_NONE;
}

void proc_unclaim(struct sched *s, struct sched_thread *t)
{
    if (t->claim_word && proc_look(s, t->claim_proc) == proc_word(CLAIMED, t->g, 0))
        proc_mark(s, t->claim_proc, t->claim_word);
    compiler_barrier();
    t->claim_word = 0;
}

enum proc_state proc_state(const struct sched *s, const struct sched_thread *t)
{
    const struct sched_state *cur = sched_current(t);
    uint64_t word = proc_look(s, cur->proc);
    if (word == proc_word(HELD, t->g, 0) || word == proc_word(IN_CALL, t->g, cur->call_since))
        return PROC_KEPT;
    return word_kind(word) == CLAIMED ? PROC_CLAIMED : PROC_GONE;
}

enum { CLAIM_SPINS = 100 }; /* a microsecond or two; a claim takes a tenth of that unless its thread loses the CPU */

enum proc_state proc_reclaim(struct sched *s, const struct sched_thread *t)
{
    const struct sched_state *cur = sched_current(t);
    uint64_t mine = proc_word(HELD, t->g, 0);
    for (int spin = 0;; spin++) {
        uint64_t word = proc_word(IN_CALL, t->g, cur->call_since);
        if (__atomic_compare_exchange_n(&s->procs[cur->proc].word, &word, mine, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_ACQUIRE) ||
            word == mine)
            return PROC_KEPT;
        if (word_kind(word) != CLAIMED)
            return PROC_GONE;
        if (spin == CLAIM_SPINS)
            return PROC_CLAIMED;
        cpu_relax();
    }
}
