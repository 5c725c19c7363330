/* From a variable to what lies inside of it: the members and elements on the way, by the types of its debug info. */
#ifndef THRACE_LIB_SYMBOLIZE_TYPE_PATH_H
#define THRACE_LIB_SYMBOLIZE_TYPE_PATH_H

#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/text.h"

struct type {
    struct dwarf_unit *unit; /* NULL: it is not known */
    struct dwarf_die die;
};

/* Which types are the language's own library's, as far as somebody has asked; the DIE's place chooses the slot. */
struct type_origins {
    struct type_origin {
        const struct dwarf_unit *unit;
        uint64_t offset;
        bool of_library;
    } v[64];
};

/* The type that a DIE refers to. */
struct type type_of(struct dwarf_unit *, const struct dwarf_die *);

/* 0 when it is not known. */
uint64_t type_size(const struct type *);

/*
 * Adds the path to the lock or other object that is at this offset of a variable of this type, or begins there. It ends
 * at a lock, at a type of the language's library, or at what has no parts; +0x18 is added where types do not go on.
 */
void type_path(struct type_origins *, const struct type *, uint64_t offset, struct text *);

#endif
