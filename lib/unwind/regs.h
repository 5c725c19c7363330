/*
 * The registers an unwinder follows, in DWARF's numbering, and the ways to get hold of them.
 *
 * A program counter is either exact (the next instruction of an interrupted context) or the return address of a call;
 * the two differ in which instruction they stand for: a return address stands for the call before it.
 */
#ifndef THRACE_LIB_UNWIND_REGS_H
#define THRACE_LIB_UNWIND_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
/* UNWIND_RA is the column in which the CFI describes the return address; the registers hold the pc there. */
enum { UNWIND_BP = 6, UNWIND_SP = 7, UNWIND_RA = 16, UNWIND_PC = 16, UNWIND_NREGS = 17 };
enum { UNWIND_ADDRESS_BITS = 47 }; /* of the program's half */
#elif defined(__aarch64__)
enum { UNWIND_BP = 29, UNWIND_RA = 30, UNWIND_SP = 31, UNWIND_PC = 32, UNWIND_NREGS = 33 };
enum { UNWIND_ADDRESS_BITS = 48 };
#else
#error "the unwinder knows x86-64 and aarch64"
#endif

struct unwind_regs {
    uintptr_t r[UNWIND_NREGS];
    uint64_t known; /* bit i: r[i] holds a value; pc, sp and bp always do */
    bool exact;     /* of r[UNWIND_PC] */
};

/* A walk reads other functions' frames, which is what AddressSanitizer watches for. */
#define READS_FRAMES __attribute__((no_sanitize("address")))

#define UNWIND_KNOWN_MIN (UINT64_C(1) << UNWIND_PC | UINT64_C(1) << UNWIND_SP | UINT64_C(1) << UNWIND_BP)

/* A signed return address carries its signature above the 48 bits of an address. */
static inline uintptr_t unwind_plain_address(uintptr_t pc)
{
#if defined(__aarch64__)
    return pc & ((UINT64_C(1) << UNWIND_ADDRESS_BITS) - 1);
#else
    return pc;
#endif
}

/*
 * Fills *regs with what the caller of the function that this stands in will see when that function returns: three
 * stores and no call. To be used in a function that is not inlined, such as an entry point of the library. Callee-saved
 * registers other than the frame pointer stay unknown; only rare hand-written frames need them.
 */
#define UNWIND_CALLER_REGS(regs)                                                                                       \
    do {                                                                                                               \
        struct unwind_regs *unwind_r_ = (regs);                                                                        \
        unwind_r_->r[UNWIND_PC] = unwind_plain_address((uintptr_t)__builtin_return_address(0));                        \
        unwind_r_->r[UNWIND_SP] = (uintptr_t)__builtin_dwarf_cfa();                                                    \
        unwind_r_->r[UNWIND_BP] = *(uintptr_t *)__builtin_frame_address(0);                                            \
        unwind_r_->known = UNWIND_KNOWN_MIN;                                                                           \
        unwind_r_->exact = false;                                                                                      \
    } while (0)

/* Fills *regs with the current registers, all that a callee preserves; the pc is exact and in the calling function. */
static inline __attribute__((always_inline)) void unwind_regs_here(struct unwind_regs *regs)
{
#if defined(__x86_64__)
    __asm__ volatile("leaq 1f(%%rip), %%rax\n"
                     "1:\tmovq %%rax, 128(%0)\n\t"
                     "movq %%rbx, 24(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "movq %%r12, 96(%0)\n\t"
                     "movq %%r13, 104(%0)\n\t"
                     "movq %%r14, 112(%0)\n\t"
                     "movq %%r15, 120(%0)"
                     :
                     : "r"(regs->r)
                     : "rax", "memory");
    regs->known = UNWIND_KNOWN_MIN | 1 << 3 | 0xf << 12;
#else
    __asm__ volatile("adr x9, 1f\n"
                     "1:\tstr x9, [%0, #256]\n\t"
                     "mov x9, sp\n\t"
                     "str x9, [%0, #248]\n\t"
                     "stp x19, x20, [%0, #152]\n\t"
                     "stp x21, x22, [%0, #168]\n\t"
                     "stp x23, x24, [%0, #184]\n\t"
                     "stp x25, x26, [%0, #200]\n\t"
                     "stp x27, x28, [%0, #216]\n\t"
                     "stp x29, x30, [%0, #232]"
                     :
                     : "r"(regs->r)
                     : "x9", "memory");
    regs->known = UNWIND_KNOWN_MIN | UINT64_C(0xfff) << 19;
#endif
    regs->exact = true;
}

/* Fills *regs with the context that a signal interrupted. */
static inline void unwind_regs_ucontext(struct unwind_regs *regs, const ucontext_t *uc)
{
#if defined(__x86_64__)
    static const uint8_t greg[UNWIND_NREGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                               REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                               REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (int i = 0; i < UNWIND_NREGS; i++)
        regs->r[i] = (uintptr_t)uc->uc_mcontext.gregs[greg[i]];
#else
    for (int i = 0; i < 31; i++)
        regs->r[i] = uc->uc_mcontext.regs[i];
    regs->r[UNWIND_SP] = uc->uc_mcontext.sp;
    regs->r[UNWIND_PC] = uc->uc_mcontext.pc;
#endif
    regs->known = (UINT64_C(1) << UNWIND_NREGS) - 1;
    regs->exact = true;
}

#endif
