/* The tables of a critical path, before they are printed: the largest rows first, and what each would save. */
#ifndef THRACE_CMD_CRITICAL_PARTS_H
#define THRACE_CMD_CRITICAL_PARTS_H

#include "cmd/report.h"
#include "parser/analyze/path_saves.h"
#include "parser/analyze/path_sums.h"

struct part {
    enum path_what what;
    uint64_t key, ns, count;
    uint64_t saves;
};

enum section { STATES, FUNCTIONS, CALLS, WAITS, OBJECTS, NAMES, SECTIONS };

struct critical_parts {
    struct path_collect *c;
    const struct path_end *end;
    struct path_sums sums;
    VEC(struct part) parts[SECTIONS]; /* the largest first */
    struct report *report;
    bool failed; /* memory is short */
};

/* How many of the section's parts are shown. */
size_t critical_parts_shown(const struct critical_parts *r, enum section section);

/* Of the path to end, with so many of its longest pieces. False: memory is short, or c->log.error is set. */
bool critical_parts_make(struct critical_parts *r, size_t longest);
void critical_parts_free(struct critical_parts *r);

#endif
