/* Gives equal runs of bytes the same number, counting from 1. */
#ifndef THRACE_PARSER_BUILDER_INTERN_H
#define THRACE_PARSER_BUILDER_INTERN_H

#include "parser/raw_buffer.h"

struct intern_slot {
    uint64_t hash, id; /* id 0: free */
    size_t offset, size;
};

struct intern {
    struct intern_slot *slots; /* a power of two of them, at most half in use */
    size_t room, used;
    uint64_t next; /* the next id less 1 */
    struct raw_buffer bytes;
};

/* The number of key; *fresh tells whether it is new. 0 when memory or numbers run out. */
uint64_t intern(struct intern *t, const void *key, size_t size, bool *fresh);
/* Numbers given out from now on are higher than id. */
void intern_skip(struct intern *t, uint64_t id);
void intern_clear(struct intern *t);
void intern_free(struct intern *t);

#endif
