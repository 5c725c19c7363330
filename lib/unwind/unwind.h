/*
 * Stack capture inside the traced process: return addresses from call frame information (.eh_frame), without locks,
 * allocation, system calls or any function of libc but memcpy and memset. Safe in signal handlers.
 *
 * Three things make it cheap. A *recipe* says how to step over the frame of one pc, and is computed once per pc. A
 * *memo* holds a whole stack with the addresses and values of every word that its walk depended on: while they are
 * unchanged so is the stack, and nothing is unwound. And the caller's *tag* on a memo keeps what it made of the stack
 * (the ID that the stack was interned under), so that a stack seen before costs one comparison.
 *
 * Every stored pc is like a return address: it stands for the instruction that ends before it. The pc of an
 * interrupted instruction is therefore stored plus one, be it the first of a stack or below a signal handler. To look
 * a stored pc up, subtract one, always.
 */
#ifndef THRACE_LIB_UNWIND_UNWIND_H
#define THRACE_LIB_UNWIND_UNWIND_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/unwind/regs.h"

/* --- modules ------------------------------------------------------------------------------------------------ */

/* One executable segment, and where the CFI of its module is. */
struct unwind_module {
    uintptr_t start, end;       /* mapped executable addresses */
    uintptr_t bias;             /* added to the addresses in the file */
    const uint8_t *cfi, *cfi_end; /* the read-only segment with .eh_frame_hdr and .eh_frame; nothing else is read */
    const uint8_t *hdr;         /* .eh_frame_hdr; NULL when the module has no usable CFI */
    const uint8_t *table;       /* its binary search table of pairs of int32, relative to hdr */
    size_t fdes;                /* pairs in table */
    uintptr_t signal_return;    /* where handlers return to, if there is no CFI for that; 0: not here */
};

/*
 * What is mapped at one time, sorted by address. Immutable once published: on dlopen and dlclose the caller fills
 * another one with the next generation number, swaps the pointer to it, and keeps the old one, which captures that
 * are under way may still read.
 *
 * A module must stay mapped while it is in the published snapshot and on a stack; code that is on a stack is mapped,
 * or the program is about to crash without us.
 */
struct unwind_modules {
    uint64_t generation; /* recipes and memos of another generation are not used */
    size_t n, cap;
    size_t dropped; /* segments that did not fit */
    struct unwind_module m[];
};

static inline size_t unwind_modules_size(size_t cap)
{
    return sizeof(struct unwind_modules) + cap * sizeof(struct unwind_module);
}

/* Makes an empty snapshot in mem, which has room for unwind_modules_size(cap) bytes. */
struct unwind_modules *unwind_modules_init(void *mem, size_t cap, uint64_t generation);

/* Adds the executable segments of one object; to be called from a dl_iterate_phdr callback. */
void unwind_modules_add(struct unwind_modules *, const struct dl_phdr_info *);

/* The segment that pc is in, or NULL. Lock-free. */
const struct unwind_module *unwind_modules_find(const struct unwind_modules *, uintptr_t pc);

/* --- what is remembered ------------------------------------------------------------------------------------------- */

enum {
    UNWIND_RECIPES = 4096,
    UNWIND_MEMOS = 16,
    UNWIND_MEMO_WAYS = 2,
    UNWIND_MEMO_SETS = UNWIND_MEMOS / UNWIND_MEMO_WAYS,
    UNWIND_MEMO_WORDS = 48, /* words that a stack may depend on: a return slot per frame, and saved frame pointers */
    UNWIND_DEEP_MEMOS = 2,
    UNWIND_DEEP_MEMO_WORDS = 272,
};

/* Opaque to callers, here for their size. */
struct unwind_recipe {
    uint64_t key, word;
};

struct unwind_memo {
    uint64_t tag; /* the caller's; 0 in a memo that was just made */
    uint64_t generation;
    uintptr_t pc, sp, bp, leaf, stack_hi, alt_hi;
    uint16_t max, nwords, nframes;
    uint8_t mode, flags, bp_matters;
};

struct unwind_small_memo {
    struct unwind_memo head;
    uint64_t value[UNWIND_MEMO_WORDS];
    uint32_t where[UNWIND_MEMO_WORDS];
};

struct unwind_deep_memo {
    struct unwind_memo head;
    uint64_t value[UNWIND_DEEP_MEMO_WORDS];
    uint32_t where[UNWIND_DEEP_MEMO_WORDS];
};

/* Of all threads together, zeroed by the caller: 64 KiB, of which only what is used is touched. */
struct unwind_recipes {
    uint64_t epoch;
    struct unwind_recipe recipe[UNWIND_RECIPES];
};

/*
 * A thread's own memory, zeroed by the caller but for `recipes`, about 18 KiB of which only what is used is touched. A
 * signal handler may use the cache of the thread that it interrupts, in the middle of a capture too, if it asks for
 * UNWIND_NO_MEMO: recipes tolerate that, memos do not. A capture that is left by longjmp leaves the cache valid.
 */
struct unwind_cache {
    struct unwind_recipes *recipes;
    uint8_t nmemos;                    /* in use: they are given out in order, for few pages to be touched */
    uint8_t latest[UNWIND_MEMO_SETS];  /* the way that was used last */
    uint8_t place[UNWIND_MEMOS];       /* of each way of each set: index in memo + 1; 0: none yet */
    struct unwind_small_memo memo[UNWIND_MEMOS];
    struct unwind_deep_memo deep[UNWIND_DEEP_MEMOS];
};

/* --- capture ------------------------------------------------------------------------------------------------ */

enum unwind_mode {
    UNWIND_AUTO, /* CFI; frame pointers where there is none: code outside every module, modules without CFI */
    UNWIND_FP,   /* frame pointers only: cheap, and wrong in code that does not keep them */
    UNWIND_CFI,  /* CFI only */
    UNWIND_NONE, /* no walk: the leaf and the pc given */
};

/* What a capture says about a stack. */
enum {
    UNWIND_TRUNCATED = 1, /* there were more frames than max; the outer ones are missing */
    UNWIND_STOPPED = 2,   /* outer frames are missing because a step was not possible or not safe */
    UNWIND_GUESSED = 4,   /* a frame without CFI was stepped over by its frame pointer */
};

struct unwind_request {
    struct unwind_regs regs;     /* where to start */
    uintptr_t leaf;              /* stored before the first pc when not 0: say, the entry point that was called */
    uintptr_t stack_lo, stack_hi; /* the thread's stack, hi exclusive; both 0 when unknown */
    uintptr_t alt_lo, alt_hi;    /* another stack that is known to be mapped (sigaltstack), or 0 */
    uint16_t max;                /* frames wanted, at most, the leaf included */
    uint8_t mode;                /* enum unwind_mode */
    uint8_t options;             /* UNWIND_NO_MEMO */
};

enum { UNWIND_NO_MEMO = 1 };

struct unwind_stack {
    int n;         /* pcs stored, leaf first; at least 1 when max is */
    unsigned flags;
    uint64_t *tag; /* of the memo that holds this stack; NULL when none does. Valid until the next capture */
};

/*
 * Captures the stack of the request into pcs, which has room for request->max. Returns the number of pcs.
 *
 * No word outside [stack_lo, stack_hi) and [alt_lo, alt_hi) is read. When sp is in neither (the stack of a coroutine)
 * the page that sp points into is all that is known to be mapped: the walk stops at its end.
 */
int unwind_capture(struct unwind_cache *, const struct unwind_modules *, const struct unwind_request *,
                   uintptr_t *pcs, struct unwind_stack *);

/*
 * The tag of the memo of this stack, when there is one and it still holds; else NULL. Nothing is copied and nothing
 * unwound: a caller looks here first, and captures when this is NULL or its tag means nothing any more.
 */
uint64_t *unwind_recall(struct unwind_cache *, const struct unwind_modules *, const struct unwind_request *);

/* A frame of a function that has called another one. */
struct unwind_frame {
    uintptr_t pc;      /* where that one returns to */
    uintptr_t sp, cfa; /* the frame begins at sp and ends below cfa; sp 0: debug info may mean another one */
};

/* The frame of the stack that holds a word at this address. False: there is none, or it is not found by CFI. */
bool unwind_frame_around(struct unwind_cache *, const struct unwind_modules *, const struct unwind_request *,
                         uintptr_t address, struct unwind_frame *);

#endif
