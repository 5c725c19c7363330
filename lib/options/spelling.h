/* The word that somebody meant who wrote one that does not exist. */
#ifndef THRACE_LIB_OPTIONS_SPELLING_H
#define THRACE_LIB_OPTIONS_SPELLING_H

#include "lib/options/values.h"

struct spelling {
    struct piece given;
    const char *nearest; /* of the words that were tried and are near; NULL: none is */
    size_t distance;
};

static inline struct spelling spelling_of(struct piece given) { return (struct spelling){.given = given}; }

/* One more word that exists. */
void spelling_try(struct spelling *s, const char *word);

#endif
