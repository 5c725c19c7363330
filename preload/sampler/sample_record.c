#include "preload/sampler/sample_record.h"

#include <signal.h>
#include <string.h>

#include "lib/meta.h"
#include "lib/options/options.h"
#include "preload/config.h"
#include "preload/modules.h"
#include "preload/moved.h"
#include "preload/sampler/sampler.h"
#include "preload/upcalls.h"

enum { SLOTS = 16, RECORD_MAX = 1 + (6 + STACK_MAX_FRAMES) * VARINT_MAX };

static struct slot {
    uint32_t busy;
    uint64_t reads_from; /* the oldest snapshot of modules that it may still read */
    struct chunk *chunk;
    uintptr_t pcs[STACK_MAX_FRAMES]; /* not on the stack, which may be small */
    uint8_t record[RECORD_MAX];
} __attribute__((aligned(64))) slots[SLOTS];

/* --- slots -------------------------------------------------------------------------------------------------------- */

/*
 * A handler enters and then looks whether anything is recorded; who ends the recording says so and then looks for
 * handlers. Each must see the other's store.
 */
static bool enter(struct slot *s)
{
    if (__atomic_load_n(&s->busy, __ATOMIC_RELAXED) || __atomic_exchange_n(&s->busy, 1, __ATOMIC_SEQ_CST))
        return false;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return true;
}

static void leave(struct slot *s) { __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE); }

/* Low slots first, so that few are in use when few handlers run at once. */
static struct slot *find_slot(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (enter(&slots[i]))
            return &slots[i];
    return NULL;
}

static void hand_in(struct slot *s)
{
    struct chunk *c = s->chunk;
    s->chunk = NULL;
    if (c)
        spool_seal(&recorder.spool, c);
}

enum { STACK_FOR_DRAINING = 64 << 10 };

/*
 * The pool is getting short. Without a helper, and in a program that computes and never comes to a hook, nobody else
 * would empty it. Not while this thread may be in the middle of the same, and not on a small stack.
 */
static void make_room(struct thread *t, uintptr_t sp)
{
    if (upcalls.wake_helper())
        return;
    request_maintenance();
    if (!t->hook_sp && sp <= t->stack_hi && sp >= t->stack_lo + STACK_FOR_DRAINING)
        upcalls.make_room();
}

/* A chunk with room for n more bytes. */
static bool ensure_room(struct slot *s, size_t n)
{
    if (s->chunk && s->chunk->meta_used + n <= CHUNK_CAPACITY)
        return true;
    hand_in(s);
    struct chunk *c = spool_take(&recorder.spool);
    if (!c)
        return false;
    c->generation = recorder.sched.generation;
    c->m = ID_NONE;
    c->time = now();
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    s->chunk = c;
    return true;
}

/* --- a sample ----------------------------------------------------------------------------------------------------- */

/* While a module is being unloaded no frame is guessed, because a guess may lead into it. */
static enum unwind_mode mode(void)
{
    if (!(config.stack_kinds & STACK_OF_SAMPLE))
        return UNWIND_NONE;
    if (config.unwind_mode == UNWIND_AUTO && __atomic_load_n(&module_map.unloading, __ATOMIC_ACQUIRE))
        return UNWIND_CFI;
    return config.unwind_mode;
}

static int capture(struct thread *t, uintptr_t *pcs, const ucontext_t *uc)
{
    struct unwind_request r;
    struct unwind_stack stack;
    const struct unwind_modules *modules = modules_now();
    if (!modules)
        return 0;
    unwind_regs_ucontext(&r.regs, uc);
    moved_back(&r.regs);
    r.leaf = 0;
    r.stack_lo = t->stack_lo;
    r.stack_hi = t->stack_hi;
    r.alt_lo = r.alt_hi = 0;
    if (!(uc->uc_stack.ss_flags & SS_DISABLE)) {
        r.alt_lo = (uintptr_t)uc->uc_stack.ss_sp;
        r.alt_hi = r.alt_lo + uc->uc_stack.ss_size;
    }
    r.max = config.stack_depth;
    r.mode = mode();
    r.options = UNWIND_NO_MEMO;
    int n = unwind_capture(&t->cache, modules, &r, pcs, &stack);
    if (stack.flags & UNWIND_TRUNCATED)
        pcs[n - 1] = STACK_TRUNCATED_PC;
    if (stack.flags & (UNWIND_GUESSED | UNWIND_STOPPED) && r.mode == UNWIND_AUTO)
        modules_may_be_new();
    return n;
}

static size_t encode(struct slot *s, const struct thread *t, uint64_t weight, int npcs)
{
    uint8_t *p = s->record;
    const struct sched_state *state = sched_current(&t->sched);
    *p++ = META_SAMPLE;
    p = varint_put(p, now());
    p = varint_put(p, t->sched.m);
    p = varint_put(p, (uint64_t)(int64_t)(state->proc + 1));
    p = varint_put(p, t->sched.g);
    p = varint_put(p, weight);
    p = varint_put(p, (uint64_t)npcs);
    for (int i = 0; i < npcs; i++)
        p = varint_put(p, i ? zigzag_encode((int64_t)(s->pcs[i] - s->pcs[i - 1])) : s->pcs[0]);
    return (size_t)(p - s->record);
}

/* One that stands for so many. */
static void take_one(struct thread *t, const ucontext_t *uc, uint64_t weight)
{
    struct slot *s = find_slot();
    bool kept = false;
    if (s && !recording()) { /* it ended, or another one began to */
        leave(s);
        return;
    }
    if (s) {
        const struct chunk *before = s->chunk;
        size_t n = encode(s, t, weight, capture(t, s->pcs, uc));
        if ((kept = ensure_room(s, n)))
            chunk_meta_append(s->chunk, s->record, n);
        bool fresh = s->chunk != before;
        leave(s);
        if (fresh && spool_wants_drain(&recorder.spool))
            make_room(t, (uintptr_t)__builtin_frame_address(0));
    }
    sampler_count(kept ? &sampler_counts()->taken : &sampler_counts()->lost, weight);
    if (kept && weight > 1)
        sampler_count(&sampler_counts()->repeats, weight - 1);
}

void sample_take(struct thread *t, const ucontext_t *uc, uint64_t weight)
{
    for (; weight > SAMPLE_WEIGHT_MAX; weight -= SAMPLE_WEIGHT_MAX)
        take_one(t, uc, SAMPLE_WEIGHT_MAX);
    if (weight)
        take_one(t, uc, weight);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

bool sample_is_idle(void)
{
    for (int i = 0; i < SLOTS; i++) {
        if (!enter(&slots[i]))
            return false;
        slots[i].chunk = NULL;
        leave(&slots[i]);
    }
    return true;
}

uint64_t samples_have_left(uint64_t newest)
{
    uint64_t least = newest;
    for (int i = 0; i < SLOTS; i++) {
        if (!__atomic_load_n(&slots[i].busy, __ATOMIC_ACQUIRE))
            slots[i].reads_from = newest;
        least = slots[i].reads_from < least ? slots[i].reads_from : least;
    }
    return least;
}

uint32_t sample_seal(void)
{
    uint32_t busy = 0;
    for (int i = 0; i < SLOTS && sampler.signal; i++) {
        if (enter(&slots[i])) {
            hand_in(&slots[i]);
            leave(&slots[i]);
        } else {
            busy++;
        }
    }
    return busy;
}

void sample_forget_slots(void)
{
    for (int i = 0; i < SLOTS; i++) {
        slots[i].chunk = NULL;
        slots[i].busy = 0;
    }
}
