/* Deep calls to measure below: 24 functions of their own, so that a stack of 20 frames has 20 different pcs. */
#ifndef THRACE_TESTS_BENCH_CHAIN_H
#define THRACE_TESTS_BENCH_CHAIN_H

/* Calls take this often, at the bottom of the chain. The names say how the chain is compiled. */
void chain_without_frame_pointers(void (*take)(void), int times);
void chain_with_frame_pointers(void (*take)(void), int times);

/* One function each: gcc would make specialized copies of them. */
#if defined(__clang__)
#define CHAIN_FUNCTION static __attribute__((noinline))
#else
#define CHAIN_FUNCTION static __attribute__((noinline, noclone))
#endif

/* What a link does after the call keeps the compiler from jumping instead; the odd ones save registers. */
#define CHAIN_LINK(name, next)                                                                                         \
    CHAIN_FUNCTION int name(void (*take)(void), int times)                                                             \
    {                                                                                                                  \
        int n = next(take, times);                                                                                     \
        __asm__ volatile("" : "+r"(n) : "r"(times));                                                                   \
        return n + 1;                                                                                                  \
    }

#define CHAIN(name)                                                                                                    \
    CHAIN_FUNCTION int link_0(void (*take)(void), int times)                                                           \
    {                                                                                                                  \
        for (int i = 0; i < times; i++)                                                                                \
            take();                                                                                                    \
        return times;                                                                                                  \
    }                                                                                                                  \
    CHAIN_LINK(link_1, link_0)                                                                                         \
    CHAIN_LINK(link_2, link_1)                                                                                         \
    CHAIN_LINK(link_3, link_2)                                                                                         \
    CHAIN_LINK(link_4, link_3)                                                                                         \
    CHAIN_LINK(link_5, link_4)                                                                                         \
    CHAIN_LINK(link_6, link_5)                                                                                         \
    CHAIN_LINK(link_7, link_6)                                                                                         \
    CHAIN_LINK(link_8, link_7)                                                                                         \
    CHAIN_LINK(link_9, link_8)                                                                                         \
    CHAIN_LINK(link_10, link_9)                                                                                        \
    CHAIN_LINK(link_11, link_10)                                                                                       \
    CHAIN_LINK(link_12, link_11)                                                                                       \
    CHAIN_LINK(link_13, link_12)                                                                                       \
    CHAIN_LINK(link_14, link_13)                                                                                       \
    CHAIN_LINK(link_15, link_14)                                                                                       \
    CHAIN_LINK(link_16, link_15)                                                                                       \
    CHAIN_LINK(link_17, link_16)                                                                                       \
    CHAIN_LINK(link_18, link_17)                                                                                       \
    CHAIN_LINK(link_19, link_18)                                                                                       \
    CHAIN_LINK(link_20, link_19)                                                                                       \
    CHAIN_LINK(link_21, link_20)                                                                                       \
    CHAIN_LINK(link_22, link_21)                                                                                       \
    CHAIN_LINK(link_23, link_22)                                                                                       \
    void name(void (*take)(void), int times)                                                                           \
    {                                                                                                                  \
        int n = link_23(take, times);                                                                                  \
        __asm__ volatile("" : "+r"(n));                                                                                \
    }

#endif
