/*
 * Valgrind runs the program, and us, on a processor of its own: it has its own allocator under the names of libc's,
 * with nothing in front of a block, where a look is an error that it reports as the program's; and a clone that is
 * neither a thread nor a fork it does not know, and ends the program. It answers to instructions that do nothing
 * elsewhere. Its tools for data races, helgrind and drd, know locks only, and report all that we share without one.
 */
#ifndef THRACE_PRELOAD_VALGRIND_H
#define THRACE_PRELOAD_VALGRIND_H

#include <stdbool.h>
#include <stdint.h>

/* 0: nobody knows the question. */
static inline uint64_t ask_valgrind(uint64_t code, uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
    const uint64_t request[6] = {code, arg1, arg2, arg3};
#if defined(__x86_64__)
    uint64_t answer = 0;
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
#elif defined(__aarch64__)
    register uint64_t answer __asm__("x3") = 0;
    register const uint64_t *question __asm__("x4") = request;
    __asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
                     : "+r"(answer)
                     : "r"(question)
                     : "cc", "memory", "x12");
#endif
    return answer;
}

static inline bool is_under_valgrind(void)
{
    enum { RUNNING_ON_VALGRIND = 0x1001 };
    return ask_valgrind(RUNNING_ON_VALGRIND, 0, 0, 0);
}

/* Asked for what only they know: how much of a byte is accessible, and the number of this thread. */
static inline bool is_under_race_checker(void)
{
    enum { HELGRIND_GET_ABITS = 0x4847012e, DRD_GET_VALGRIND_THREAD_ID = 0x44520000 };
    const char byte = 0;
    return ask_valgrind(HELGRIND_GET_ABITS, (uintptr_t)&byte, 0, sizeof byte) == sizeof byte ||
           ask_valgrind(DRD_GET_VALGRIND_THREAD_ID, 0, 0, 0);
}

#endif
