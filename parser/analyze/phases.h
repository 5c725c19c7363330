/*
 * Phases: threads of one name that one thread makes live at the same time; a phase is over when all have ended. Of each
 * such maker and name the phase is kept in which the last one was alone for the longest time.
 */
#ifndef THRACE_PARSER_ANALYZE_PHASES_H
#define THRACE_PARSER_ANALYZE_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/idmap.h"
#include "parser/vec.h"

enum { PHASES_MAX = 1024 };

struct phase_member {
    uint64_t id, samples; /* of the CPU */
    int64_t end;
};

struct phase {
    uint32_t name;
    uint64_t alive, n, samples; /* of the present phase; samples: of those that ended */
    int64_t begin, before;      /* before: when the second last ended */
    struct phase_member last;
    struct phase_worst {
        uint64_t alone, length, n, others; /* others: samples of the others, in sum */
        struct phase_member last;
    } worst;
};

struct phases {
    VEC(struct phase) list;
    struct idmap index; /* maker and name to the number + 1 */
    bool failed;        /* memory is short */
};

void phases_free(struct phases *p);

/* A thread of that name is made: its phase's number + 1, or 0 if it has none. */
uint32_t phases_enter(struct phases *p, uint64_t maker, uint32_t name, int64_t now);

/* It ends. */
void phases_leave(struct phases *p, uint32_t phase, const struct phase_member *m);

#endif
