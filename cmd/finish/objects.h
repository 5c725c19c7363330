/* What threads waited for, as a spool has it, and how it is called in the trace. */
#ifndef THRACE_CMD_FINISH_OBJECTS_H
#define THRACE_CMD_FINISH_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/objects.h"
#include "lib/symbolize/types.h"

/* As a record has it. */
struct rec_object {
    uint64_t generation;
    enum object_kind kind;
    uint64_t address;  /* in memory, or the number of a descriptor's file, or a goroutine; 0: any of the kind */
    const char *text;  /* its name in the spool, without a NUL */
    size_t len;
    size_t site, nsite; /* stacks.pcs[site …]: the stack that made it */
    struct rec_local {
        uint64_t pc, below_cfa, above_sp; /* on a stack: a PC in the function of the frame, and its place there; else 0 */
    } local;
    bool waited;        /* a thread waited for it; then there is … */
    size_t first_wait;  /* a stack that waited for it: its number in stacks; else … */
    size_t held, nheld; /* … stacks.pcs[held …], the stack of one that held it */
    size_t number;      /* of names */
    int64_t symbols[2]; /* numbers in the symbolizer, of the variable that it may be; -1: none */
    const struct symbolize_frame *variable; /* that it is; NULL: none is known */
    bool is_local; /* the variable is on a stack */
};

/* One for all records of the same object. */
struct rec_object_name {
    char *function;
    const char *file;
    uint32_t line;
    uint64_t pc;
};

struct rec_objects {
    struct rec_object *v;
    size_t n, cap;
    struct rec_object_name *names;
    size_t nnames;
};

void rec_objects_free(struct rec_objects *objects);

#endif
