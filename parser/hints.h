/* What the compiler cannot know by itself. */
#ifndef THRACE_PARSER_HINTS_H
#define THRACE_PARSER_HINTS_H

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))

/*
 * The value is in a register of its own. Fields that were written one at a time and just now are better not read by one
 * load, as compilers like to copy structures: it would have to wait until the writes are out of the store buffer.
 */
#define LOADED_ALONE(x) __asm__("" : "+r"(x))

#endif
