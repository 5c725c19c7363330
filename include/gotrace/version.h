/* libgotrace: which version a program is compiled for, and which one it runs with. Since: 0.1. */
#ifndef GOTRACE_VERSION_H
#define GOTRACE_VERSION_H

#include <gotrace/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers, as numbers, as a string, and as one number to compare with. Since: 0.1. */
#define GOTRACE_VERSION_MAJOR 0
#define GOTRACE_VERSION_MINOR 1
#define GOTRACE_VERSION_PATCH 0
#define GOTRACE_VERSION "0.1.0"
#define GOTRACE_VERSION_NUMBER GOTRACE_MAKE_VERSION(GOTRACE_VERSION_MAJOR, GOTRACE_VERSION_MINOR, GOTRACE_VERSION_PATCH)

/* For #if GOTRACE_VERSION_NUMBER >= GOTRACE_MAKE_VERSION(0, 2, 0). Minor and patch are below 1000. Since: 0.1. */
#define GOTRACE_MAKE_VERSION(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))

/*
 * The version of the library that the program runs with, in the form of GOTRACE_VERSION; an older one may lack
 * functions. The string is constant and nobody's to free; the function cannot fail, and may be called by any thread
 * and in a signal handler. Since: 0.1.
 */
GOTRACE_API const char *gotrace_version(void);

#ifdef __cplusplus
}
#endif

#endif
