/*
 * The cost of a stack of 20 frames, in every way to get one, side by side in one run: the machine's noise then hits all
 * alike. Best of several rounds; ratios are to our memo. With -q it runs briefly and only checks that every way finds
 * the frames.
 */
#include "config.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "tests/bench/chain.h"
#include "tests/unwind/own-thread.h"

enum { FRAMES = 20, ROUNDS = 9, FAST = 20000, SLOW = 200, MODULES = 64 };

static struct unwind_modules *modules;
static struct unwind_cache *cache;
static uintptr_t stack_lo, stack_hi, pcs[FRAMES];
static void *words[FRAMES];
static volatile uint64_t sink;
static int taken;

static void prepare(void)
{
    own_stack(&stack_lo, &stack_hi);
    modules = own_modules(MODULES, 1);
    cache = calloc(1, sizeof *cache);
    cache->recipes = calloc(1, sizeof *cache->recipes);
}

static inline __attribute__((always_inline)) void request(struct unwind_request *q, enum unwind_mode mode)
{
    UNWIND_CALLER_REGS(&q->regs);
    q->leaf = 0;
    q->stack_lo = stack_lo;
    q->stack_hi = stack_hi;
    q->alt_lo = q->alt_hi = 0;
    q->max = FRAMES;
    q->mode = (uint8_t)mode;
    q->options = 0;
}

/* --- what is measured: each takes one stack of its caller ---------------------------------------------------- */

static __attribute__((noinline)) void by_memo(void)
{
    struct unwind_request q;
    request(&q, UNWIND_AUTO);
    uint64_t *tag = unwind_recall(cache, modules, &q);
    if (!tag) {
        struct unwind_stack s;
        taken = unwind_capture(cache, modules, &q, pcs, &s);
        *s.tag = 42;
        tag = s.tag;
    }
    sink = *tag;
}

static __attribute__((noinline)) void by_memo_copied(void)
{
    struct unwind_request q;
    struct unwind_stack s;
    request(&q, UNWIND_AUTO);
    taken = unwind_capture(cache, modules, &q, pcs, &s);
}

static __attribute__((noinline)) void by_recipes(void)
{
    struct unwind_request q;
    struct unwind_stack s;
    request(&q, UNWIND_AUTO);
    q.options = UNWIND_NO_MEMO;
    taken = unwind_capture(cache, modules, &q, pcs, &s);
}

/* A stack of known functions that was not seen before: each call pretends another leaf. */
static __attribute__((noinline)) void by_recipes_remembering(void)
{
    struct unwind_request q;
    struct unwind_stack s;
    request(&q, UNWIND_AUTO);
    q.leaf = 1 + sink++ % 1000;
    taken = unwind_capture(cache, modules, &q, pcs, &s);
}

/* A stack of functions that are new in this generation: the CFI of each is found and run. */
static __attribute__((noinline)) void by_cfi(void)
{
    struct unwind_request q;
    struct unwind_stack s;
    request(&q, UNWIND_AUTO);
    modules->generation++;
    taken = unwind_capture(cache, modules, &q, pcs, &s);
}

static __attribute__((noinline)) void by_frame_pointers(void)
{
    struct unwind_request q;
    struct unwind_stack s;
    request(&q, UNWIND_FP);
    q.options = UNWIND_NO_MEMO;
    taken = unwind_capture(cache, modules, &q, pcs, &s);
}

static __attribute__((noinline)) void by_naive_frame_pointers(void)
{
    uintptr_t *fp = __builtin_frame_address(0);
    int n = 0;
    while (n < FRAMES && (uintptr_t)fp - stack_lo < stack_hi - stack_lo) {
        pcs[n++] = fp[1];
        fp = (uintptr_t *)fp[0];
    }
    taken = n;
}

#ifdef HAVE_LIBUNWIND
static __attribute__((noinline)) void by_unw_backtrace(void) { taken = unw_backtrace(words, FRAMES); }

static __attribute__((noinline)) void by_unw_step(void)
{
    unw_context_t uc;
    unw_cursor_t c;
    unw_word_t ip;
    int n = 0;
    unw_getcontext(&uc);
    unw_init_local(&c, &uc);
    do {
        unw_get_reg(&c, UNW_REG_IP, &ip);
        pcs[n++] = ip;
    } while (n < FRAMES && unw_step(&c) > 0);
    taken = n;
}
#endif

/* libunwind's library has a backtrace() too, which would win in the global scope. */
static int (*libc_backtrace)(void **, int);

static __attribute__((noinline)) void by_glibc(void) { taken = libc_backtrace(words, FRAMES); }

/* --- measuring ---------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static const struct way {
    const char *name, *key;
    void (*take)(void);
    void (*chain)(void (*)(void), int);
    int times;
} ways[] = {
    {"memo: captured and deduplicated", "memo", by_memo, chain_without_frame_pointers, FAST},
    {"memo, pcs copied out", "memo-copied", by_memo_copied, chain_without_frame_pointers, FAST},
    {"recipes", "recipes", by_recipes, chain_without_frame_pointers, FAST},
    {"recipes, and a memo made", "recipes-remembered", by_recipes_remembering, chain_without_frame_pointers, FAST},
    {"first sight: CFI, recipes and a memo made", "first-sight", by_cfi, chain_without_frame_pointers, SLOW},
    {"memo, code with frame pointers", "memo-fp", by_memo, chain_with_frame_pointers, FAST},
    {"frame pointers, checked", "fp", by_frame_pointers, chain_with_frame_pointers, FAST},
    {"frame pointers, a bare loop", "fp-bare", by_naive_frame_pointers, chain_with_frame_pointers, FAST},
#ifdef HAVE_LIBUNWIND
    {"libunwind unw_backtrace, warm", "unw-backtrace", by_unw_backtrace, chain_without_frame_pointers, FAST},
    {"libunwind unw_step", "unw-step", by_unw_step, chain_without_frame_pointers, SLOW},
#endif
    {"glibc backtrace()", "glibc", by_glibc, chain_without_frame_pointers, SLOW},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static double once(const struct way *way, int times)
{
    double start = now();
    way->chain(way->take, times);
    return (now() - start) / times;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && !strcmp(argv[1], "-q");
    double best[WAYS];
    int failures = 0;
    prepare();
    libc_backtrace = (int (*)(void **, int))dlsym(dlopen("libc.so.6", RTLD_LAZY), "backtrace");
    for (int round = 0; round < (quick ? 1 : ROUNDS); round++) {
        for (int i = 0; i < WAYS; i++) {
            once(&ways[i], 10);
            double ns = once(&ways[i], quick ? 10 : ways[i].times);
            if (round == 0 || ns < best[i])
                best[i] = ns;
            if (round == 0 && quick) {
                printf("%sok %d - %s finds %d frames\n", taken == FRAMES ? "" : "not ", i + 1, ways[i].name, taken);
                failures += taken != FRAMES;
            }
        }
    }
    if (quick) {
        printf("1..%d\n", WAYS);
        return failures != 0;
    }
    const char *results_path = getenv("BENCH_RESULTS");
    FILE *results = results_path ? fopen(results_path, "a") : NULL;
    printf("%-44s %10s %8s\n", "a stack of 20 frames", "ns", "ratio");
    for (int i = 0; i < WAYS; i++)
        printf("%-44s %10.1f %8.2f\n", ways[i].name, best[i], best[i] / best[0]);
    for (int i = 0; results && i < WAYS; i++)
        fprintf(results, "stack.%s.ns\t%.6g\n", ways[i].key, best[i]);
    if (results)
        fclose(results);
    return 0;
}
