/* Hand-written frames: rules that compilers rarely make, and none at all. */
#include "config.h"

#include "tests/unwind/subjects.h"

static void call_visit(void) { visit(); }

#if defined(__x86_64__)

#define FUNCTION(name, body)                                                                                           \
    void name(void (*)(void));                                                                                         \
    __asm__(".text\n.p2align 4\n.hidden " #name "\n.globl " #name "\n"                                                \
            ".type " #name ",@function\n" #name ":\n" body                                                            \
            ".size " #name ",.-" #name "\n")

/* The CFA hangs on a register that only a full walk follows; the callee may have saved it. */
FUNCTION(asm_cfa_in_r12, ".cfi_startproc\n"
                         "pushq %r12\n.cfi_adjust_cfa_offset 8\n.cfi_offset %r12, -16\n"
                         "movq %rsp, %r12\n.cfi_def_cfa_register %r12\n"
                         "subq $200, %rsp\n"
                         "andq $-64, %rsp\n"
                         "call *%rdi\n"
                         "movq %r12, %rsp\n.cfi_def_cfa_register %rsp\n"
                         "popq %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r12\n"
                         "ret\n"
                         ".cfi_endproc\n");

/* The old stack pointer is in the frame, as cryptographic code keeps it: CFA = *(rsp + 16) + 8. */
FUNCTION(asm_cfa_in_memory, ".cfi_startproc\n"
                            "movq %rsp, %rax\n.cfi_def_cfa_register %rax\n"
                            "pushq %rbp\n.cfi_offset %rbp, -16\n"
                            "subq $128, %rsp\n"
                            "andq $-64, %rsp\n"
                            "movq %rax, 16(%rsp)\n"
                            ".cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 8\n"
                            "call *%rdi\n"
                            "movq 16(%rsp), %rax\n.cfi_def_cfa %rax, 8\n"
                            "movq -8(%rax), %rbp\n.cfi_restore %rbp\n"
                            "leaq (%rax), %rsp\n.cfi_def_cfa %rsp, 8\n"
                            "ret\n"
                            ".cfi_endproc\n");

/* The return address waits in a register. */
FUNCTION(asm_return_address_in_r13, ".cfi_startproc\n"
                                    "pushq %r13\n.cfi_adjust_cfa_offset 8\n.cfi_offset %r13, -16\n"
                                    "movq 8(%rsp), %r13\n.cfi_register %rip, %r13\n"
                                    "movq $0, 8(%rsp)\n"
                                    "subq $16, %rsp\n.cfi_adjust_cfa_offset 16\n"
                                    "call *%rdi\n"
                                    "addq $16, %rsp\n.cfi_adjust_cfa_offset -16\n"
                                    "movq %r13, 8(%rsp)\n.cfi_offset %rip, -8\n"
                                    "popq %r13\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r13\n"
                                    "ret\n"
                                    ".cfi_endproc\n");

/* rbx is saved where an expression says, and rbp is what one computes: CFA - 48 + 32 - 0x10 + ... = *(CFA - 24). */
FUNCTION(asm_registers_by_expression,
         ".cfi_startproc\n"
         "pushq %rbx\n.cfi_adjust_cfa_offset 8\n"
         "pushq %rbp\n.cfi_adjust_cfa_offset 8\n"
         "xorl %ebp, %ebp\n"
         ".cfi_escape 0x10, 3, 2, 0x40, 0x1c\n"          /* rbx at CFA - 16: lit16 minus */
         ".cfi_escape 0x16, 6, 4, 0x48, 0x1c, 0x06, 0x96\n" /* rbp is *(CFA - 24): lit24 minus deref nop */
         "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
         "call *%rdi\n"
         "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
         "popq %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n"
         "popq %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\n"
         "ret\n"
         ".cfi_endproc\n");

/* Several exits, each after a remembered state, nested. */
FUNCTION(asm_remembered_states, ".cfi_startproc\n"
                                "pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rbx, -16\n"
                                "movq %rdi, %rbx\n"
                                "call *%rbx\n"
                                ".cfi_remember_state\n"
                                "pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rbp, -24\n"
                                ".cfi_remember_state\n"
                                "subq $24, %rsp\n.cfi_adjust_cfa_offset 24\n"
                                "movl $7, %ebp\n"
                                "call *%rbx\n"
                                "addq $24, %rsp\n"
                                ".cfi_restore_state\n"
                                "popq %rbp\n"
                                ".cfi_restore_state\n"
                                "call *%rbx\n"
                                "popq %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\n"
                                "ret\n"
                                ".cfi_endproc\n");

FUNCTION(asm_without_cfi, "pushq %rbx\n"
                          "movq %rdi, %rbx\n"
                          "subq $32, %rsp\n"
                          "call *%rbx\n"
                          "addq $32, %rsp\n"
                          "popq %rbx\n"
                          "ret\n");

static __attribute__((noinline)) void all(int n)
{
    asm_cfa_in_r12(call_visit);
    asm_cfa_in_memory(call_visit);
    asm_return_address_in_r13(call_visit);
    asm_registers_by_expression(call_visit);
    asm_remembered_states(call_visit);
    if (n)
        all(n - 1);
    visit();
}

static void nest_4(void) { asm_cfa_in_memory(call_visit); }
static void nest_3(void) { asm_return_address_in_r13(nest_4); }
static void nest_2(void) { asm_remembered_states(nest_3); }
static void nest_1(void) { asm_registers_by_expression(nest_2); }

void subject_assembly(void)
{
    all(3);
    asm_cfa_in_r12(nest_1);
}

void subject_assembly_without_cfi(void)
{
    asm_without_cfi(call_visit);
    asm_without_cfi(nest_1);
}

#else

void subject_assembly(void) { call_visit(); }
void subject_assembly_without_cfi(void) { call_visit(); }

#endif
