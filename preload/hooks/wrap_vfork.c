/*
 * vfork, and clone with CLONE_VFORK: the child runs on the parent's memory, thread-local storage included, while the
 * parent's thread is suspended. What it does before its exec is not the program's doing for the trace, and what it
 * closes is its own. So the thread is off in the child, and what it was again when the parent goes on.
 *
 * vfork returns twice on one stack, which a function of C cannot: its frame would be gone the second time. As in libc
 * the return address is kept in a register meanwhile; so is the parent's `self`, which the kernel gives back to the
 * parent only.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>

#include "preload/wrapper.h"

/* It has two names. */
#define BEGIN_VFORK                                                                                                    \
    ".text\n"                                                                                                          \
    ".globl vfork\n"                                                                                                   \
    ".globl __vfork\n"                                                                                                 \
    ".type vfork, @function\n"                                                                                         \
    ".type __vfork, @function\n"                                                                                       \
    ".p2align 4\n"                                                                                                     \
    "vfork:\n"                                                                                                         \
    "__vfork:\n"                                                                                                       \
    "    .cfi_startproc\n"
#define END_VFORK                                                                                                      \
    "    .cfi_endproc\n"                                                                                               \
    ".size vfork, .-vfork\n"                                                                                           \
    ".size __vfork, .-__vfork\n"

EXPORT pid_t vfork(void);
#if defined(__x86_64__)
__asm__(BEGIN_VFORK
        "    endbr64\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_register %rip, %rdi\n"
        "    movq self@gottpoff(%rip), %rdx\n"
        "    movq %fs:(%rdx), %rsi\n"
        "    movq $8, %fs:(%rdx)\n" /* THREAD_OFF */
        "    movl $58, %eax\n" /* SYS_vfork */
        "    syscall\n"
        "    testl %eax, %eax\n"
        "    jne 1f\n"
        "    jmp *%rdi\n" /* the child: a shadow stack that it shares keeps its parent's entry */
        "1:  pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_offset %rip, -8\n"
        "    movq %rsi, %fs:(%rdx)\n"
        "    cmpq $-4095, %rax\n"
        "    jae 2f\n"
        "    ret\n"
        "2:  pushq %rbx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbx, 0\n"
        "    movl %eax, %ebx\n"
        "    call __errno_location@plt\n"
        "    negl %ebx\n"
        "    movl %ebx, (%rax)\n"
        "    popq %rbx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore %rbx\n"
        "    movl $-1, %eax\n"
        "    ret\n"
        END_VFORK);
#elif defined(__aarch64__)
__asm__(BEGIN_VFORK
        "    hint #34\n" /* bti c */
        "    adrp x9, :gottprel:self\n"
        "    ldr x9, [x9, :gottprel_lo12:self]\n"
        "    mrs x10, tpidr_el0\n"
        "    add x9, x9, x10\n"
        "    ldr x10, [x9]\n"
        "    mov x11, #8\n" /* THREAD_OFF */
        "    str x11, [x9]\n"
        "    mov x0, #0x4111\n" /* CLONE_VM | CLONE_VFORK | SIGCHLD */
        "    mov x1, #0\n"
        "    mov x8, #220\n" /* SYS_clone */
        "    svc #0\n"
        "    cbz x0, 1f\n"
        "    str x10, [x9]\n"
        "    cmn x0, #4095\n"
        "    b.cs 2f\n"
        "1:  ret\n"
        "2:  stp x30, x19, [sp, #-16]!\n"
        "    .cfi_adjust_cfa_offset 16\n"
        "    .cfi_rel_offset x30, 0\n"
        "    .cfi_rel_offset x19, 8\n"
        "    neg w19, w0\n"
        "    bl __errno_location\n"
        "    str w19, [x0]\n"
        "    mov x0, #-1\n"
        "    ldp x30, x19, [sp], #16\n"
        "    .cfi_adjust_cfa_offset -16\n"
        "    .cfi_restore x30\n"
        "    .cfi_restore x19\n"
        "    ret\n"
        END_VFORK);
#endif

/*
 * The child has a stack of its own, so this one may have a frame. With storage of its own it is nobody's thread yet.
 * With its parent's, while that goes on, only the kernel can tell the two apart.
 */
EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    pid_t *parent_tid = va_arg(ap, pid_t *);
    void *tls = va_arg(ap, void *);
    pid_t *child_tid = va_arg(ap, pid_t *);
    va_end(ap);
    const int shares = CLONE_VM | CLONE_VFORK;
    if ((flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == CLONE_VM && self && self != THREAD_OFF)
        self->shared = true;
    if ((flags & (shares | CLONE_SETTLS)) != shares)
        return real.clone_call(run, stack, flags, arg, parent_tid, tls, child_tid);
    struct thread *before = self;
    self = THREAD_OFF;
    int ret = real.clone_call(run, stack, flags, arg, parent_tid, tls, child_tid);
    self = before;
    return ret;
}
