/* What threads waited for, as a spool has it, and how it is called in the trace. */
#ifndef THRACE_CMD_FINISH_OBJECTS_H
#define THRACE_CMD_FINISH_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/objects.h"

/* As a record has it. */
struct rec_object {
    uint64_t generation;
    enum object_kind kind;
    uint64_t address;  /* in memory, or the number of a descriptor's file, or a goroutine; 0: any of the kind */
    const char *text;  /* its name in the spool, without a NUL */
    size_t len;
    size_t site, nsite; /* stacks.pcs[site …]: the stack that made it */
    size_t first_wait;  /* a stack that waited for it: its number in stacks */
    size_t number;      /* of names */
};

/* One for all records of the same object. */
struct rec_object_name {
    char *function;
    const char *file;
    uint32_t line;
    uint64_t pc;
    int64_t symbol; /* number in the symbolizer, of one in memory; -1: none */
};

struct rec_objects {
    struct rec_object *v;
    size_t n, cap;
    struct rec_object_name *names;
    size_t nnames;
};

void rec_objects_free(struct rec_objects *objects);

#endif
