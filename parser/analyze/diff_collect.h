/*
 * A trace cut into stretches of equal length, for a comparison: how much of each row (diff_rows.h) there is in each.
 * One pass; as the length is not known before, two stretches become one whenever there are too many. Memory is for rows
 * times stretches.
 */
#ifndef THRACE_PARSER_ANALYZE_DIFF_COLLECT_H
#define THRACE_PARSER_ANALYZE_DIFF_COLLECT_H

#include "parser/analyze/consumer.h"
#include "parser/analyze/diff_rows.h"
#include "parser/analyze/spans.h"

/* At the end there are DIFF_STRETCHES / 2 or more, unless the trace is very short. */
enum { DIFF_STRETCHES = 128, DIFF_SPREAD = 6 };

struct diff_cell {
    uint64_t ns, count, max;
};

/* What a row or a watch has. A long wait is spread over the stretches that it lasts for, but counts at its end. */
struct diff_cells {
    struct diff_cell cell[DIFF_STRETCHES];
};
struct diff_spreads {
    uint32_t *spread[DIFF_STRETCHES]; /* spread.h; NULL: none */
};

struct diff_run {
    struct diff_rows *rows; /* shared by the runs */
    struct spans spans;
    struct diff_cells *cells[DIFF_ROWS];        /* NULL: nothing */
    struct diff_spreads *spreads[DIFF_WATCHES]; /* the same */
    uint32_t *row_of[DIFF_METRICS];             /* of texts: the row + 1 */
    uint64_t width;                             /* of a stretch, ns */
    int64_t origin;                             /* of the first */
    struct {
        uint64_t at, end; /* the stretch that was looked up last, since origin */
        size_t n;
    } last;
    size_t nstretches;                /* at the end */
    uint64_t length[DIFF_STRETCHES];  /* of each, ns: what is not within the limits is none */
    const regex_t *per;               /* whose number is counted, too; NULL: none */
    uint8_t *is_per;                  /* of texts: 1 no, 2 yes */
    uint64_t per_count[DIFF_STRETCHES];
    uint64_t ncounted;
    uint64_t hz; /* samples in a second of CPU time, as far as the trace says it; else the usual number */
    int version;
    bool failed; /* memory is short */
};

/* The filter is the caller's, or NULL. False: memory is short. diff_run_free is due in any case. */
bool diff_run_init(struct diff_run *d, struct diff_rows *rows, struct span_filter *filter, const regex_t *per);
void diff_run_free(struct diff_run *d);

extern const struct event_consumer diff_consumer;

#endif
