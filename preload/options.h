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
    uint64_t classes; /* enum call_class */
};

/*
 * Reads the options from the environment. A value that makes no sense is said on stderr and returns false: the program
 * then runs untraced.
 */
bool options_read(struct options *o, char **envp);

#endif
