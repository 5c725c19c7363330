/* The objects in memory that a job asks for, a mutex say: which variable holds each of them? */
#ifndef THRACE_LIB_SYMBOLIZE_OBJECTS_H
#define THRACE_LIB_SYMBOLIZE_OBJECTS_H

#include "lib/symbolize/answer.h"
#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/symtab.h"

struct object {
    size_t index; /* in the job and its answer */
    uint64_t addr;
    const struct symbol *symbol; /* that holds it, or NULL */
};

struct objects {
    struct object *v; /* ascending by address */
    size_t n, left;   /* left: of those without an answer */
    /* Where a variable begins that holds one of them, ascending: where its symbol does, or somewhere in its section. */
    struct spans starts;
    bool failed; /* out of memory */
};

/*
 * The objects are pcs[first] and all behind it. The symbols are those of objects, and must outlive these. An address
 * that is in no section is left out.
 */
void objects_open(struct objects *, const uint64_t *pcs, size_t first, size_t npcs, const struct image *,
                  const struct symtab *);
void objects_close(struct objects *);

/* The first that is not below addr; n: none. */
size_t objects_first(const struct objects *, uint64_t addr);

/* Whether a variable at addr may hold one. */
bool objects_may_start(const struct objects *, uint64_t addr);

/* Names the object, once. */
void objects_answer(struct objects *, struct object *, struct answer *, struct answer_frame);

/* Names those that are left by their symbols. */
void objects_name_by_symbols(struct objects *, struct answer *);

#endif
