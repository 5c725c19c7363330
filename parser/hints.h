/* What the compiler cannot know by itself. */
#ifndef THRACE_PARSER_HINTS_H
#define THRACE_PARSER_HINTS_H

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))

#endif
