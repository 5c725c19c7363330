/* Functions or objects by address from .symtab, .dynsym and the like, and PLT stubs. */
#ifndef THRACE_LIB_SYMBOLIZE_SYMTAB_H
#define THRACE_LIB_SYMBOLIZE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/symbolize/image.h"

struct symbol {
    uint64_t start, end; /* end 0: unknown */
    const char *name;    /* of the image, mangled */
    uint32_t name_len;
    uint8_t rank; /* of several at one address the lowest wins */
};

struct symtab {
    struct symbol *symbols; /* ascending by start, one per start once sealed */
    size_t n, cap;
    bool of_objects; /* in memory, instead of functions */
    bool failed;
};

/* Adds the functions, or objects, of an image, which must outlive the table. */
void symtab_add_image(struct symtab *, struct image *);
void symtab_add(struct symtab *, struct symbol);
void symtab_seal(struct symtab *);
const struct symbol *symtab_find(const struct symtab *, uint64_t addr);
void symtab_free(struct symtab *);

/*
 * Adds the stubs of the image's procedure linkage tables, under the names of their targets; kept in a table of their
 * own.
 */
void plt_add_image(struct symtab *, struct image *);

#endif
