/* What thrace diff prints. */
#ifndef THRACE_CMD_DIFF_REPORT_H
#define THRACE_CMD_DIFF_REPORT_H

#include "cmd/diff_conditions.h"
#include "cmd/report.h"
#include "cmd/span_options.h"
#include "parser/analyze/diff.h"

/* What was asked for, and what was read. */
struct diff_input {
    char *const *paths[2];
    bool complete[2];
    const char *per;                 /* NULL: seconds */
    const struct span_options *only; /* NULL: no filter */
    struct diff_condition *conditions;
    size_t nconditions;
};

/* False: memory is short. */
bool diff_report(const struct diff *d, const struct diff_input *in, struct report *r);

#endif
