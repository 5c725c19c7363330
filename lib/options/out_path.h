/* The names of traces: a pattern, and what it stands for. */
#ifndef THRACE_LIB_OPTIONS_OUT_PATH_H
#define THRACE_LIB_OPTIONS_OUT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In its last component, the name of the file, %p is the pid, %n a number and %% a per cent sign; nothing else may
 * follow one.
 */
bool out_pattern_ok(const char *pattern);

/* Whether %p, or %n, is in it; c says which. */
bool out_pattern_has(const char *pattern, char c);

/*
 * The path of the trace with number n. Where the pattern has no %n, 0 is the path itself and others come behind a dot.
 * False when it does not fit.
 */
bool out_path(char *path, size_t size, const char *pattern, uint32_t pid, uint32_t n);

#endif
