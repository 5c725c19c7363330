/* A pool of distinct strings, known by number; 0 is the empty string, which stands for "not known". */
#ifndef THRACE_LIB_SYMBOLIZE_STRINGS_H
#define THRACE_LIB_SYMBOLIZE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strings {
    char *bytes; /* all of them, each with its NUL */
    size_t len, cap;
    size_t *starts; /* by number */
    size_t n, starts_cap;
    uint32_t *slots; /* open addressing; 0 is free */
    size_t nslots;
    bool failed; /* out of memory at some time: what was asked for then is 0 */
};

bool strings_init(struct strings *);
void strings_free(struct strings *);
uint32_t strings_add(struct strings *, const char *s, size_t len);

/* Valid until the next strings_add(). */
const char *strings_get(const struct strings *, uint32_t number);

#endif
