/* What the compiler is told of functions and branches. */
#ifndef THRACE_PRELOAD_ATTRIBUTES_H
#define THRACE_PRELOAD_ATTRIBUTES_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT __attribute__((visibility("default")))
#define SLOW __attribute__((noinline, cold))
#define IN_LINE static inline __attribute__((always_inline)) /* a part of what takes its time in one go */
#define OUT_OF_LINE __attribute__((noinline)) /* apart from an entry point, but where the time goes: not made small */

#endif
