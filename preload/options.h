#ifndef THRACE_PRELOAD_OPTIONS_H
#define THRACE_PRELOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *out; /* NULL: do not record */
    uint64_t period_ns;
    uint64_t trace_version; /* 1.NN */
    uint64_t verbose;
    uint64_t launcher;
    uint64_t min_call_ns;
    uint64_t heap_sample; /* bytes */
    uint64_t classes; /* enum call_class */
    uint64_t cpu_hz;
    uint64_t unwind;      /* enum unwind_mode */
    uint64_t stack_depth; /* frames */
    uint64_t stack_kinds; /* enum stack_kind, a bit each */
};

/* What an event is that has a stack: which of them get one is an option. */
enum stack_kind {
#define THRACE_STACK_KIND(name, text, meaning) STACK_OF_##name##_NUMBER,
#include "preload/stack_kinds.def"
#undef THRACE_STACK_KIND
    STACK_KINDS,
#define THRACE_STACK_KIND(name, text, meaning) STACK_OF_##name = 1 << STACK_OF_##name##_NUMBER,
#include "preload/stack_kinds.def"
#undef THRACE_STACK_KIND
    STACK_OF_ANY = (1 << STACK_KINDS) - 1,
};

/*
 * Reads the options from the environment. A value that makes no sense is said on stderr and returns false: the program
 * then runs untraced.
 */
bool options_read(struct options *o, char **envp);

#endif
