#include "config.h"

#include "cmd/attach/return_frame.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <string.h>
#include <ucontext.h>

/* Of the kernel: what it looks for in a frame. */
enum {
    HAS_XSTATE = 1,
    HAS_SS = 2,
    TAKES_SS = 4,
    NO_STACK = 0x7fff0000, /* flags that no stack for signals can have: it is left as it is */
    FXSAVE_WORDS = 464,
    XSTATE_BV = 512,
    TILE_DATA = 18,
    BEFORE = 0x46505853,
    AFTER = 0x46505845,
};

/* What the kernel reads of vector registers: how far they go is said within. */
struct xstate_words {
    uint32_t magic, extended_size;
    uint64_t features;
    uint32_t size;
};

/* Without room for tiles the thread has not asked the kernel for them, which then takes no frame that has some. */
static uint32_t xstate_size(const struct return_state *s)
{
    unsigned size = (unsigned)s->vectors_size, length, offset, c, d;
    uint64_t used;
    memcpy(&used, s->vectors + XSTATE_BV, sizeof used);
    if (used >> TILE_DATA & 1)
        return size;
    __cpuid_count(0xd, TILE_DATA, length, offset, c, d);
    return offset && offset < size ? offset : size;
}

static size_t put_vectors(uint8_t *into, const struct return_state *s)
{
    const uint32_t size = xstate_size(s), after = AFTER;
    struct xstate_words words = {.magic = BEFORE, .extended_size = size + sizeof after, .size = size};
    memcpy(&words.features, s->vectors + FXSAVE_WORDS, sizeof words.features); /* XCR0, as ptrace has it there */
    memcpy(into, s->vectors, size);
    memcpy(into + FXSAVE_WORDS, &words, sizeof words);
    memcpy(into + size, &after, sizeof after);
    return size + sizeof after;
}

static void put_registers(ucontext_t *uc, const struct user_regs_struct *r)
{
    greg_t *g = uc->uc_mcontext.gregs;
    g[REG_R8] = (greg_t)r->r8;
    g[REG_R9] = (greg_t)r->r9;
    g[REG_R10] = (greg_t)r->r10;
    g[REG_R11] = (greg_t)r->r11;
    g[REG_R12] = (greg_t)r->r12;
    g[REG_R13] = (greg_t)r->r13;
    g[REG_R14] = (greg_t)r->r14;
    g[REG_R15] = (greg_t)r->r15;
    g[REG_RDI] = (greg_t)r->rdi;
    g[REG_RSI] = (greg_t)r->rsi;
    g[REG_RBP] = (greg_t)r->rbp;
    g[REG_RBX] = (greg_t)r->rbx;
    g[REG_RDX] = (greg_t)r->rdx;
    g[REG_RAX] = (greg_t)r->rax;
    g[REG_RCX] = (greg_t)r->rcx;
    g[REG_RSP] = (greg_t)r->rsp;
    g[REG_RIP] = (greg_t)r->rip;
    g[REG_EFL] = (greg_t)r->eflags;
    g[REG_CSGSFS] = (greg_t)(r->cs | r->gs << 16 | r->fs << 32 | r->ss << 48);
}

size_t return_frame(uint8_t into[RETURN_FRAME_MAX], uint64_t at, uint64_t restorer, const struct return_state *state)
{
    enum { CONTEXT = 8, VECTORS = 8 + 1024 };
    _Static_assert(sizeof(ucontext_t) <= VECTORS - CONTEXT, "there is room for it");
    _Static_assert(VECTORS + RETURN_VECTORS_MAX + sizeof(uint32_t) <= RETURN_FRAME_MAX, "and for the registers");
    ucontext_t uc = {.uc_flags = HAS_XSTATE | HAS_SS | TAKES_SS, .uc_stack = {.ss_flags = NO_STACK}};
    uint64_t vectors = at + VECTORS;
    put_registers(&uc, state->regs);
    memcpy(&uc.uc_mcontext.fpregs, &vectors, sizeof vectors);
    memcpy(&uc.uc_sigmask, &state->mask, sizeof state->mask);
    memcpy(into, &restorer, sizeof restorer);
    memset(into + CONTEXT, 0, VECTORS - CONTEXT);
    memcpy(into + CONTEXT, &uc, sizeof uc);
    return VECTORS + put_vectors(into + VECTORS, state);
}

#endif
