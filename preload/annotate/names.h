/*
 * Names that a program gives to tasks, regions and kinds of messages: each is kept once, for the life of the process,
 * because a region may end many generations after it began.
 */
#ifndef THRACE_PRELOAD_ANNOTATE_NAMES_H
#define THRACE_PRELOAD_ANNOTATE_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { NAMES_MAX = 4096 };

struct name {
    uint64_t hash;
    uint64_t generation; /* the latest in which its string was defined */
    uint32_t number;
    uint16_t len;
    char text[]; /* and a NUL */
};

/*
 * The name with this text; NULL: it is empty. When there are too many names, or they are too long, it is one that says
 * so. Lock-free, async-signal-safe.
 */
struct name *name_intern(const char *text, size_t len);

/* The name that has this number, of those that were made; NULL: none has. */
struct name *name_numbered(uint32_t number);

/* The name with the text that ends with a NUL, if it is what name_hint told of that address last; else NULL. */
struct name *name_hinted(const char *text);
void name_hint(const char *text, struct name *);

/* Bytes of s, of which max may be looked at, that fit into a string of a trace: whole characters, if it is UTF-8. */
size_t name_length(const char *s, size_t max);

/* The name with that text; it is looked for by its address first. */
struct name *name_of(const char *s);

#endif
