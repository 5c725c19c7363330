#include "config.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "tests/unwind/oracle.h"
#include "tests/unwind/own-thread.h"

enum { DEPTH = 128, MODULES = 64, COMPLAINTS = 10 };

struct oracle_counts oracle_counts;
volatile uintptr_t oracle_alt_lo, oracle_alt_hi;
bool oracle_lie;

static struct unwind_modules *modules, *blind_modules;
static __thread struct unwind_cache *kept, *fresh, *handlers;
static __thread uintptr_t stack_lo, stack_hi;

/* libunwind exports the name as well. */
static _Unwind_Reason_Code (*walk_by_libgcc)(_Unwind_Trace_Fn, void *);

struct stack {
    uintptr_t pc[DEPTH];
    int n;
    unsigned flags;
    bool error;
};

void oracle_init(void)
{
    modules = own_modules(MODULES, 1);
    blind_modules = own_modules(MODULES, 2);
    for (size_t i = 0; i < blind_modules->n; i++)
        blind_modules->m[i].hdr = NULL;
    walk_by_libgcc = (_Unwind_Reason_Code(*)(_Unwind_Trace_Fn, void *))dlsym(dlopen("libgcc_s.so.1", RTLD_NOW),
                                                                              "_Unwind_Backtrace");
}

/* With recipes of its own. */
static struct unwind_cache *new_cache(void)
{
    struct unwind_cache *c = calloc(1, sizeof *c);
    c->recipes = calloc(1, sizeof *c->recipes);
    return c;
}

static void forget(struct unwind_cache *c)
{
    struct unwind_recipes *recipes = c->recipes;
    memset(recipes, 0, sizeof *recipes);
    memset(c, 0, sizeof *c);
    c->recipes = recipes;
}

void oracle_thread(void)
{
    own_stack(&stack_lo, &stack_hi);
    kept = new_cache();
    fresh = new_cache();
    handlers = new_cache();
}

void oracle_thread_end(void)
{
    free(kept->recipes);
    free(fresh->recipes);
    free(handlers->recipes);
    free(kept);
    free(fresh);
    free(handlers);
}

/* --- libunwind's stack -------------------------------------------------------------------------------------- */

/* libunwind's own begins as the system's, and holds no vectors on aarch64. */
static unw_context_t *their_context(ucontext_t *uc) { return (unw_context_t *)uc; }

/* Older ones know nothing of signed return addresses, and believe what they find on from there. */
#ifdef __ARM_FEATURE_PAC_DEFAULT
#define THEIR_DEPTH 1
#else
#define THEIR_DEPTH DEPTH
#endif

static void theirs(ucontext_t *uc, bool exact, struct stack *s)
{
    unw_cursor_t c;
    unw_word_t ip;
    int more = 1;
    s->n = 0;
    s->error = unw_init_local2(&c, their_context(uc), exact ? UNW_INIT_SIGNAL_FRAME : 0) != 0;
    while (!s->error && more > 0 && s->n < THEIR_DEPTH) {
        if (unw_get_reg(&c, UNW_REG_IP, &ip) || ip == 0)
            break;
        if (s->n)
            exact = unw_is_signal_frame(&c) > 0; /* reads what is at ip, on aarch64 */
        s->pc[s->n++] = ip + exact;
        if (s->n < THEIR_DEPTH)
            more = unw_step(&c);
    }
    s->error |= more < 0 || s->n == THEIR_DEPTH;
}

/* --- libgcc's, when the two differ -------------------------------------------------------------------------- */

static _Unwind_Reason_Code seen(struct _Unwind_Context *c, void *stack)
{
    struct stack *s = stack;
    int exact = 0;
    uintptr_t ip = _Unwind_GetIPInfo(c, &exact);
    if (s->n == DEPTH || ip == 0)
        return _URC_END_OF_STACK;
    s->pc[s->n++] = ip + (exact != 0);
    return _URC_NO_REASON;
}

static int common(const struct stack *a, int from_a, const struct stack *b, int from_b)
{
    int i = 0;
    while (from_a + i < a->n && from_b + i < b->n && a->pc[from_a + i] == b->pc[from_b + i])
        i++;
    return i;
}

/* libgcc walks from right here: our stack must be the outer end of its one, or within it when it was stopped. */
static bool libgcc_agrees(const struct stack *a, int from)
{
    static __thread struct stack all;
    all.n = 0;
    walk_by_libgcc(seen, &all);
    for (int i = 0; i < all.n; i++) {
        int same = common(a, from, &all, i);
        bool all_of_it = i + same == all.n || all.n == DEPTH || a->flags & UNWIND_STOPPED;
        if (same > 0 && all_of_it && (from + same == a->n || all.n == DEPTH))
            return true;
    }
    return false;
}

/* --- ours --------------------------------------------------------------------------------------------------- */

static void ours_in(const struct unwind_modules *mods, struct unwind_cache *cache, const struct unwind_regs *regs,
                    unsigned options, struct stack *s)
{
    struct unwind_request q = {.regs = *regs,
                               .stack_lo = stack_lo,
                               .stack_hi = stack_hi,
                               .alt_lo = oracle_alt_lo,
                               .alt_hi = oracle_alt_hi,
                               .max = DEPTH,
                               .options = (uint8_t)options};
    struct unwind_stack out;
    s->n = unwind_capture(cache, mods, &q, s->pc, &out);
    s->flags = out.flags;
    s->error = s->n != out.n;
    if (oracle_lie && s->n > 3)
        memmove(&s->pc[2], &s->pc[3], (size_t)(--s->n - 2) * sizeof s->pc[0]);
}

static void ours(struct unwind_cache *cache, const struct unwind_regs *regs, unsigned options, struct stack *s)
{
    ours_in(modules, cache, regs, options, s);
}

/* --- comparing ---------------------------------------------------------------------------------------------- */

static void show(const char *who, const struct stack *s, int from)
{
    fprintf(stderr, "#   %s: %d frames, flags %u%s;", who, s->n, s->flags, s->error ? ", error" : "");
    for (int i = from < 2 ? 0 : from - 2; i < s->n && i < from + 4; i++)
        fprintf(stderr, " [%d] %#lx", i, (unsigned long)s->pc[i]);
    fputc('\n', stderr);
}

static void wrong(const char *how, const struct stack *a, const struct stack *b, int at)
{
    if (oracle_counts.wrong++ >= COMPLAINTS || oracle_lie)
        return;
    fprintf(stderr, "# %s differ at frame %d\n", how, at);
    show("ours", a, at);
    show("the other", b, at);
}

/* A stack that says that it was stopped may be shorter; one that was guessed is only counted. */
static void judge(const char *how, const struct stack *a, int from_a, const struct stack *b, int from_b)
{
    int same = common(a, from_a, b, from_b);
    bool ours_ends = from_a + same == a->n, theirs_ends = from_b + same == b->n;
    oracle_counts.stacks++;
    oracle_counts.frames += (unsigned long)a->n;
    oracle_counts.stopped += !!(a->flags & UNWIND_STOPPED);
    oracle_counts.guessed += !!(a->flags & UNWIND_GUESSED);
    oracle_counts.truncated += !!(a->flags & UNWIND_TRUNCATED);
    if (ours_ends && theirs_ends)
        return;
    if (ours_ends && a->flags & (UNWIND_STOPPED | UNWIND_TRUNCATED))
        return;
    if (a->flags & UNWIND_GUESSED)
        return;
    if (libgcc_agrees(a, from_a))
        oracle_counts.oracle_wrong++;
    else if (theirs_ends && b->error && THEIR_DEPTH == DEPTH)
        oracle_counts.oracle_short++;
    else
        wrong(how, a, b, from_a + same);
}

static void identical(const char *how, const struct stack *a, const struct stack *b)
{
    int same = common(a, 0, b, 0);
    if (a->n != b->n || same != a->n || a->flags != b->flags || a->error || b->error)
        wrong(how, a, b, same);
}

/* One stack by walking it anew, from recipes of earlier stacks, from a memo if there is one, and certainly from one. */
static void every_way(struct unwind_cache *cache, const struct unwind_regs *regs, struct stack *first)
{
    static __thread struct stack again;
    ours(cache, regs, UNWIND_NO_MEMO, first);
    ours(cache, regs, 0, &again);
    identical("a walk and what may be a memo", first, &again);
    ours(cache, regs, 0, &again);
    identical("a walk and a memo", first, &again);
    if (oracle_counts.stacks % 16 == 0) {
        forget(fresh);
        ours(fresh, regs, 0, &again);
        identical("a walk by kept recipes and one without any", first, &again);
    }
}

__attribute__((noinline)) void oracle_here(void)
{
    static __thread struct stack a, b;
    static __thread struct unwind_regs here, caller;
    static __thread ucontext_t uc;
    UNWIND_CALLER_REGS(&caller);
    unwind_regs_here(&here);
    unw_getcontext(their_context(&uc));
    theirs(&uc, false, &b);
    every_way(kept, &here, &a);
    judge("stacks from here", &a, 1, &b, 1);
    every_way(kept, &caller, &a);
    judge("stacks from the caller", &a, 0, &b, 1);
}

void oracle_context(const ucontext_t *interrupted)
{
    static __thread struct stack a, b;
    static __thread ucontext_t uc;
    struct unwind_regs regs;
    uc = *interrupted;
    unwind_regs_ucontext(&regs, interrupted);
    theirs(&uc, true, &b);
    every_way(handlers, &regs, &a);
    judge("stacks of an interrupted context", &a, 0, &b, 0);
}

/* --- captures that interrupt captures ------------------------------------------------------------------------ */

__attribute__((noinline)) void oracle_disturbed(void)
{
    static __thread struct stack first, again;
    struct unwind_regs regs;
    UNWIND_CALLER_REGS(&regs);
    ours(fresh, &regs, UNWIND_NO_MEMO, &first);
    for (int i = 0; i < 3; i++) {
        ours(kept, &regs, i == 2 ? UNWIND_NO_MEMO : 0, &again);
        identical("an undisturbed capture and one that was interrupted", &first, &again);
    }
    oracle_counts.stacks += 3;
}

/* Now and then every recipe that the interrupted capture goes by is replaced by a wrong one of another generation. */
void oracle_disturb(const ucontext_t *interrupted)
{
    static __thread struct stack a, b;
    static unsigned random = 1;
    struct unwind_regs regs;
    unwind_regs_ucontext(&regs, interrupted);
    ours(handlers, &regs, UNWIND_NO_MEMO, &a);
    random = random * 1664525 + 1013904223;
    if (random >> 29 == 0) {
        regs.exact = false;
        for (int i = 0; i < a.n; i++) {
            regs.r[UNWIND_PC] = a.pc[i];
            ours_in(blind_modules, kept, &regs, UNWIND_NO_MEMO, &b);
        }
    } else if (random >> 29 == 1) {
        ours(kept, &regs, UNWIND_NO_MEMO, &b);
        identical("a handler's capture and one with the interrupted code's cache", &a, &b);
    }
}
