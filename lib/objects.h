/* The kinds of objects that threads wait for. */
#ifndef THRACE_LIB_OBJECTS_H
#define THRACE_LIB_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum object_kind {
    NO_OBJECT,
#define THRACE_OBJECT(name, word) OBJECT_##name,
#include "lib/objects.def"
#undef THRACE_OBJECT
    OBJECT_KINDS
};

/* The word that the name of such an object begins with. */
static inline const char *object_word(enum object_kind kind)
{
    static const char *const words[] = {
        "",
#define THRACE_OBJECT(name, word) word,
#include "lib/objects.def"
#undef THRACE_OBJECT
    };
    return words[kind];
}

/* The text begins as the name of such an object does, as "mutex queue". */
static inline bool is_object_name(const char *text, size_t len)
{
    for (int kind = NO_OBJECT + 1; kind < OBJECT_KINDS; kind++) {
        const char *word = object_word((enum object_kind)kind);
        size_t n = strlen(word);
        if (len > n + 1 && !memcmp(text, word, n) && text[n] == ' ')
            return true;
    }
    return false;
}

/* It has an address in the memory of the process; else its number is an id. */
static inline bool object_is_in_memory(enum object_kind kind) { return kind && kind < OBJECT_THREAD; }

static inline bool object_is_descriptor(enum object_kind kind)
{
    return (kind > OBJECT_THREAD && kind < OBJECT_FDS) || kind == OBJECT_FILE;
}

#endif
