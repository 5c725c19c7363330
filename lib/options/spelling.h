/* Finds the word that was probably meant by a misspelt one. */
#ifndef THRACE_LIB_OPTIONS_SPELLING_H
#define THRACE_LIB_OPTIONS_SPELLING_H

#include "lib/options/values.h"

struct spelling {
    struct piece given;
    const char *nearest; /* the nearest word that was tried; NULL: none is near */
    size_t distance;
};

static inline struct spelling spelling_of(struct piece given) { return (struct spelling){.given = given}; }

/* Tries one existing word. */
void spelling_try(struct spelling *s, const char *word);

#endif
