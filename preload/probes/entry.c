/*
 * From a trampoline to C and back. Whoever unwinds from in here finds the probed function as the caller, with the
 * registers that it has at the probe: the first thing on the stack is the address behind the probe, where a call would
 * have put it. The trampolines, which nothing describes, are not seen.
 */
#include "preload/probes/fire.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* The vector registers are kept as XSAVE does it: those of this mask, in so many bytes. */
__attribute__((visibility("hidden"))) extern uint32_t probe_vector_mask;
__attribute__((visibility("hidden"))) extern uint64_t probe_vector_bytes;
uint32_t probe_vector_mask;
uint64_t probe_vector_bytes;

/*
 * At the beginning the CFA, which is rsp at the probe, is 152 bytes above rsp: 128 that the program may use below it,
 * the flags, rax, and the return address into the trampoline.
 */
__asm__(".text\n"
        ".globl probe_entry\n"
        ".hidden probe_entry\n"
        ".type probe_entry, @function\n"
        ".p2align 4\n"
        "probe_entry:\n"
        "    .cfi_startproc\n"
        "    .cfi_def_cfa %rsp, 152\n"
        "    .cfi_undefined %rip\n"
        "    endbr64\n"
        "    pushq (%rax)\n" /* behind */
        "    .cfi_def_cfa_offset 160\n"
        "    .cfi_offset %rip, -160\n"
        "    pushq %r15\n"
        "    .cfi_def_cfa_offset 168\n"
        "    .cfi_offset %r15, -168\n"
        "    pushq %r14\n"
        "    .cfi_def_cfa_offset 176\n"
        "    .cfi_offset %r14, -176\n"
        "    pushq %r13\n"
        "    .cfi_def_cfa_offset 184\n"
        "    .cfi_offset %r13, -184\n"
        "    pushq %r12\n"
        "    .cfi_def_cfa_offset 192\n"
        "    .cfi_offset %r12, -192\n"
        "    pushq %r11\n"
        "    .cfi_def_cfa_offset 200\n"
        "    pushq %r10\n"
        "    .cfi_def_cfa_offset 208\n"
        "    pushq %r9\n"
        "    .cfi_def_cfa_offset 216\n"
        "    pushq %r8\n"
        "    .cfi_def_cfa_offset 224\n"
        "    pushq %rdi\n"
        "    .cfi_def_cfa_offset 232\n"
        "    pushq %rsi\n"
        "    .cfi_def_cfa_offset 240\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 248\n"
        "    .cfi_offset %rbp, -248\n"
        "    leaq 248(%rsp), %rdi\n"
        "    pushq %rdi\n"
        "    .cfi_def_cfa_offset 256\n"
        "    pushq %rbx\n"
        "    .cfi_def_cfa_offset 264\n"
        "    .cfi_offset %rbx, -264\n"
        "    pushq %rdx\n"
        "    .cfi_def_cfa_offset 272\n"
        "    pushq %rcx\n"
        "    .cfi_def_cfa_offset 280\n"
        "    pushq 136(%rsp)\n" /* rax */
        "    .cfi_def_cfa_offset 288\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rax, %rbx\n"
        "    cld\n"
        "    andq $-64, %rsp\n"
        "    movq %rbp, %rdi\n"
        "    movq %rbx, %rsi\n"
        "    call probe_admit\n"
        "    testb %al, %al\n"
        "    je 1f\n"
        "    subq probe_vector_bytes(%rip), %rsp\n"
        "    andq $-64, %rsp\n"
        "    xorl %edx, %edx\n"
        "    movq %rdx, 512(%rsp)\n" /* XSAVE wants its header to be zero */
        "    movq %rdx, 520(%rsp)\n"
        "    movq %rdx, 528(%rsp)\n"
        "    movq %rdx, 536(%rsp)\n"
        "    movq %rdx, 544(%rsp)\n"
        "    movq %rdx, 552(%rsp)\n"
        "    movq %rdx, 560(%rsp)\n"
        "    movq %rdx, 568(%rsp)\n"
        "    movl probe_vector_mask(%rip), %eax\n"
        "    xsave (%rsp)\n"
        "    movq %rbp, %rdi\n"
        "    movq %rbx, %rsi\n"
        "    call probe_fire\n"
        "    movl probe_vector_mask(%rip), %eax\n"
        "    xorl %edx, %edx\n"
        "    xrstor (%rsp)\n"
        "1:  movq %rbp, %rsp\n"
        "    .cfi_def_cfa_register %rsp\n"
        "    popq %rax\n"
        "    .cfi_def_cfa_offset 280\n"
        "    popq %rcx\n"
        "    .cfi_def_cfa_offset 272\n"
        "    popq %rdx\n"
        "    .cfi_def_cfa_offset 264\n"
        "    popq %rbx\n"
        "    .cfi_def_cfa_offset 256\n"
        "    .cfi_restore %rbx\n"
        "    leaq 8(%rsp), %rsp\n"
        "    .cfi_def_cfa_offset 248\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa_offset 240\n"
        "    .cfi_restore %rbp\n"
        "    popq %rsi\n"
        "    .cfi_def_cfa_offset 232\n"
        "    popq %rdi\n"
        "    .cfi_def_cfa_offset 224\n"
        "    popq %r8\n"
        "    .cfi_def_cfa_offset 216\n"
        "    popq %r9\n"
        "    .cfi_def_cfa_offset 208\n"
        "    popq %r10\n"
        "    .cfi_def_cfa_offset 200\n"
        "    popq %r11\n"
        "    .cfi_def_cfa_offset 192\n"
        "    popq %r12\n"
        "    .cfi_def_cfa_offset 184\n"
        "    .cfi_restore %r12\n"
        "    popq %r13\n"
        "    .cfi_def_cfa_offset 176\n"
        "    .cfi_restore %r13\n"
        "    popq %r14\n"
        "    .cfi_def_cfa_offset 168\n"
        "    .cfi_restore %r14\n"
        "    popq %r15\n"
        "    .cfi_def_cfa_offset 160\n"
        "    .cfi_restore %r15\n"
        "    leaq 8(%rsp), %rsp\n"
        "    .cfi_def_cfa_offset 152\n"
        "    .cfi_undefined %rip\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size probe_entry, .-probe_entry\n");

/* SSE, AVX and the three parts of AVX-512. What else there is the compiler's code does not touch. */
enum { VECTORS = 1 << 1 | 1 << 2 | 7 << 5, HEADER_END = 576 };

bool probe_entry_begin(void)
{
    unsigned a, b, c, d, mask, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    __asm__ volatile("xgetbv" : "=a"(mask), "=d"(high) : "c"(0));
    mask &= VECTORS;
    uint64_t bytes = HEADER_END;
    for (unsigned i = 2; i < 8; i++) {
        if (!(mask >> i & 1))
            continue;
        __cpuid_count(0xd, i, a, b, c, d);
        bytes = (uint64_t)a + b > bytes ? (uint64_t)a + b : bytes;
    }
    probe_vector_mask = mask;
    probe_vector_bytes = bytes;
    return true;
}

#endif
