/*
 * Functions with probes at awkward places, in assembly so that the places are what they are. Each returns what it
 * computes from its arguments, whether its probe fires or not.
 */
#ifndef THRACE_TESTS_USDT_SITES_H
#define THRACE_TESTS_USDT_SITES_H

/* As <sys/sdt.h> notes a probe: where, by whom, its name, what guards it, and its arguments. */
#define NOTE(place, name, semaphore, arguments)                                                                        \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                                                       \
    ".balign 4\n"                                                                                                      \
    ".4byte 992f-991f, 994f-993f, 3\n"                                                                                 \
    "991: .asciz \"stapsdt\"\n"                                                                                        \
    "992: .balign 4\n"                                                                                                 \
    "993: .8byte " place "\n"                                                                                          \
    ".8byte _.stapsdt.base\n"                                                                                          \
    ".8byte " semaphore "\n"                                                                                           \
    ".asciz \"usdt\"\n"                                                                                                \
    ".asciz \"" name "\"\n"                                                                                            \
    ".asciz \"" arguments "\"\n"                                                                                       \
    "994: .balign 4\n"                                                                                                 \
    ".popsection\n"

#define BASE                                                                                                           \
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                                            \
    ".weak _.stapsdt.base\n"                                                                                           \
    ".hidden _.stapsdt.base\n"                                                                                         \
    "_.stapsdt.base: .space 1\n"                                                                                       \
    ".size _.stapsdt.base, 1\n"                                                                                        \
    ".popsection\n"

#define PROBE(name, semaphore, arguments) "990: nop\n" NOTE("990b", name, semaphore, arguments)

#define FUNCTION(name, body)                                                                                           \
    long name(long, long);                                                                                             \
    __asm__(".text\n"                                                                                                  \
            ".p2align 4\n"                                                                                             \
            ".type " #name ", @function\n" #name ":\n"                                                                 \
            ".cfi_startproc\n" body ".cfi_endproc\n"                                                                   \
            ".size " #name ", .-" #name "\n")

__asm__(BASE);

/* --- what may move ------------------------------------------------------------------------------------------------ */

FUNCTION(plain, PROBE("plain", "0", "-8@%rdi 4@%esi") "leaq 1(%rdi,%rsi), %rax\n"
                                                      "ret\n");

/* What stands before the probe moves, too, because a call comes right behind it. */
FUNCTION(callee, "leaq (%rdi,%rsi,2), %rax\n"
                 "ret\n");
FUNCTION(before_call, "pushq %rbx\n"
                      ".cfi_adjust_cfa_offset 8\n"
                      ".cfi_rel_offset %rbx, 0\n"
                      "movq %rdi, %rbx\n"
                      "addq $500, %rdi\n" PROBE("before_call", "0", "-8@%rdi") "call callee\n"
                                                                             "addq %rbx, %rax\n"
                                                                             "popq %rbx\n"
                                                                             ".cfi_adjust_cfa_offset -8\n"
                                                                             "ret\n");

__asm__(".data\n"
        ".p2align 3\n"
        "usdt_word: .8byte 1000\n"
        ".text\n");
FUNCTION(relative, PROBE("relative", "0", "-8@%rdi") "movq usdt_word(%rip), %rax\n"
                                                     "addq $1, usdt_word(%rip)\n"
                                                     "addq %rdi, %rax\n"
                                                     "subq $1, usdt_word(%rip)\n"
                                                     "ret\n");

/* A constant follows the displacement. */
FUNCTION(relative_constant, PROBE("relative_constant", "0", "") "cmpq $1000, usdt_word(%rip)\n"
                                                                "sete %al\n"
                                                                "movzbl %al, %eax\n"
                                                                "ret\n");

FUNCTION(red_zone, "movq %rdi, -8(%rsp)\n"
                   "movq %rsi, -128(%rsp)\n" PROBE("red_zone", "0", "-8@-8(%rsp) -8@-128(%rsp)")
                       "movq -8(%rsp), %rax\n"
                       "addq -128(%rsp), %rax\n"
                       "ret\n");

FUNCTION(flags, "cmpq %rsi, %rdi\n" PROBE("flags", "0", "") "setl %al\n"
                                                            "setc %dl\n"
                                                            "movzbl %al, %eax\n"
                                                            "movzbl %dl, %edx\n"
                                                            "leaq (%rax,%rdx,2), %rax\n"
                                                            "ret\n");

FUNCTION(direction, "std\n" PROBE("direction", "0", "") "movl $0, %ecx\n"
                                                        "pushfq\n"
                                                        ".cfi_adjust_cfa_offset 8\n"
                                                        "popq %rax\n"
                                                        ".cfi_adjust_cfa_offset -8\n"
                                                        "cld\n"
                                                        "andl $0x400, %eax\n"
                                                        "ret\n");

FUNCTION(branch, PROBE("branch", "0", "-8@%rdi") "testq %rdi, %rdi\n"
                                                 "je 1f\n"
                                                 "movl $11, %eax\n"
                                                 "ret\n"
                                                 "1: movl $22, %eax\n"
                                                 "ret\n");

FUNCTION(jump, PROBE("jump", "0", "-8@%rdi") ".byte 0xe9\n"
                                             ".4byte 1f-.-4\n"
                                             "ud2\n"
                                             "1: leaq 3(%rdi), %rax\n"
                                             "ret\n");

FUNCTION(stack_end, "subq $24, %rsp\n"
                    ".cfi_adjust_cfa_offset 24\n"
                    "movq %rdi, (%rsp)\n"
                    "call 1f\n"
                    "1: popq %rax\n"
                    "movq (%rsp), %rax\n" PROBE("stack_end", "0", "-8@(%rsp)") "addq $24, %rsp\n"
                                                                               ".cfi_adjust_cfa_offset -24\n"
                                                                               "ret\n");

/* All registers, and vectors in their whole width where there is AVX. */
#define SET(r) "incq %rdi\nmovq %rdi, %" #r "\n"
#define ADD(r) "rolq $7, %rax\naddq %" #r ", %rax\n"
FUNCTION(registers, "pushq %rbx\npushq %rbp\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
                    ".cfi_adjust_cfa_offset 48\n"
                    "movq %rdi, %xmm0\nmovq %rsi, %xmm15\npunpcklqdq %xmm15, %xmm0\n"
                    SET(rax) SET(rcx) SET(rdx) SET(rbx) SET(rbp) SET(rsi) SET(r8) SET(r9) SET(r10) SET(r11) SET(r12)
                        SET(r13) SET(r14) SET(r15) PROBE("registers", "0", "-8@%r15 -8@%rax -8@%rdi")
                    ADD(rcx) ADD(rdx) ADD(rbx) ADD(rbp) ADD(rsi) ADD(rdi) ADD(r8) ADD(r9) ADD(r10) ADD(r11) ADD(r12)
                        ADD(r13) ADD(r14) ADD(r15)
                    "movq %xmm0, %rcx\nrolq $7, %rax\naddq %rcx, %rax\n"
                    "psrldq $8, %xmm0\nmovq %xmm0, %rcx\nrolq $7, %rax\naddq %rcx, %rax\n"
                    "movq %xmm15, %rcx\nrolq $7, %rax\naddq %rcx, %rax\n"
                    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\n"
                    ".cfi_adjust_cfa_offset -48\n"
                    "ret\n");

/* The arguments that there are, and two that are not understood. rdi points to eight bytes, rsi is a small number. */
FUNCTION(arguments, "pushq %rbp\n"
                    ".cfi_adjust_cfa_offset 8\n"
                    ".cfi_rel_offset %rbp, 0\n"
                    "movq %rsp, %rbp\n"
                    ".cfi_def_cfa_register %rbp\n"
                    "movq %rsi, -24(%rbp)\n"
                    "movl $0x8001ff80, %eax\n"
                    "movq $-2, %r9\n"
                    PROBE("arguments", "0",
                          "-1@%al 1@%ah -2@%ax 2@%r9w -8@%r9 8@-16-8(%rbp) -4@$-12 4@$0x10 1@(%rdi,%rsi,4) "
                          "8f@%xmm0 8@usdt_word(%rip) 4@")
                    "movq $40, %rax\n"
                    "popq %rbp\n"
                    ".cfi_def_cfa %rsp, 8\n"
                    "ret\n");

/* Shorter than a jump, with nothing but padding behind it. */
FUNCTION(brief, PROBE("brief", "0", "-8@%rdi") "movl %edi, %eax\n"
                                               "ret\n");

FUNCTION(text, PROBE("text", "0", "8@%rdi -8@%rsi") "movq %rsi, %rax\n"
                                                    "addq $0, %rax\n"
                                                    "ret\n");
FUNCTION(text_again, PROBE("text__again", "0", "8@%rdi") "movq %rsi, %rax\n"
                                                         "addq $0, %rax\n"
                                                         "ret\n");
FUNCTION(text_ends, PROBE("text-ends", "0", "8@%rdi") "movq %rsi, %rax\n"
                                                      "addq $0, %rax\n"
                                                      "ret\n");
FUNCTION(job, PROBE("job__start", "0", "8@%rdi") "movq %rdi, %rax\n"
                                                 "addq $0, %rax\n"
                                                 "ret\n");
FUNCTION(job_done, PROBE("job__done", "0", "8@%rdi") "movq %rdi, %rax\n"
                                                     "addq $0, %rax\n"
                                                     "ret\n");

/* --- what may not ------------------------------------------------------------------------------------------------- */

/* To the byte behind the nop leads a branch. */
FUNCTION(loop, PROBE("refused_loop", "0", "") "1: addq %rsi, %rsi\n"
                                              "decq %rdi\n"
                                              "jnz 1b\n"
                                              "movq %rsi, %rax\n"
                                              "ret\n");

FUNCTION(only_call, PROBE("refused_call", "0", "") "call callee\n"
                                                   "ret\n");

/* A switch: the table of one has the place behind the nop, and nothing else leads there. */
FUNCTION(table, "leaq 5f(%rip), %rdx\n"
                "movslq (%rdx,%rdi,4), %rax\n"
                "addq %rdx, %rax\n"
                "jmp *%rax\n" PROBE("refused_table", "0", "") "1: movl $1, %eax\n"
                                                              "addl %esi, %eax\n"
                                                              "ret\n"
                                                              "2: movl $2, %eax\n"
                "989: nop\n" NOTE("989b", "table", "0", "-8@%rdi") "addl $1, %eax\n"
                                                                  "addl %esi, %eax\n"
                                                                  "ret\n"
                ".pushsection .rodata\n"
                ".p2align 2\n"
                "5: .4byte 1b-5b, 2b-5b\n"
                ".popsection\n");

/* Nobody knows where this one goes. */
FUNCTION(computed, "leaq callee(%rip), %rax\n"
                   "leaq (%rax,%rdi), %rax\n"
                   "subq %rdi, %rax\n"
                   "jmp *%rax\n" PROBE("refused_computed", "0", "") "movl $1, %eax\n"
                                                                    "ret\n");

/* An address in the data leads behind the nop. */
FUNCTION(pointed, PROBE("refused_pointed", "0", "") ".globl usdt_behind\n"
                                                    "usdt_behind: movl $5, %eax\n"
                                                    "ret\n"
                                                    ".pushsection .data.rel.ro,\"aw\"\n"
                                                    ".p2align 3\n"
                                                    ".8byte usdt_behind\n"
                                                    ".popsection\n");

/* The note is wrong. */
FUNCTION(other, "989: movl $8, %eax\n" NOTE("989b", "refused_other", "0", "") "addl $0, %eax\n"
                                                                             "ret\n");

FUNCTION(pair, PROBE("refused_first", "0", "") "989: nop\n" NOTE("989b", "second", "0", "") "movl $6, %eax\n"
                                                                                            "ret\n");

#endif
