/* Where traces lie in the time of one trace. */
#ifndef THRACE_PARSER_REWRITE_ALIGN_H
#define THRACE_PARSER_REWRITE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/origin.h"

enum merge_clock {
    MERGE_WALL, /* wall clocks; for one boot of a machine one reading of that, and the monotonic clock from there */
    MERGE_MONOTONIC, /* the monotonic clock of all */
    MERGE_START,     /* all begin at once */
    MERGE_NONE,      /* the times that they have */
};

struct merge_moment {
    int64_t begin;  /* of the trace, ns of its own */
    int64_t moved;  /* ns by which it is to be later */
    int64_t shift;  /* result: ns to be added to its times */
};

/* Whether that clock says where the trace lies. */
bool merge_has_clock(enum merge_clock clock, const struct origin *o);

/*
 * Sets their shifts, so that the earliest keeps its times; *all becomes what the clocks showed in the time of all, its
 * boot that of all who know theirs, if there is but one. False: they lie too far apart.
 */
bool merge_align(enum merge_clock clock, struct merge_moment *const *moments, const struct origin *const *origins,
                 size_t n, struct origin *all);

#endif
