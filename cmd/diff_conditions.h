/* What --fail-if says: METRIC(what).STAT OP LIMIT, such as "wait(sync).p99 > +10%". */
#ifndef THRACE_CMD_DIFF_CONDITIONS_H
#define THRACE_CMD_DIFF_CONDITIONS_H

#include <regex.h>

#include "cmd/report.h"
#include "parser/analyze/diff.h"

struct diff_condition {
    const char *text;
    enum diff_metric metric;
    regex_t name; /* if there is one */
    bool has_name;
    enum diff_stat stat;
    bool below;    /* < */
    bool relative; /* the limit is a part, .1 for 10%; else ns */
    double limit;
    unsigned watch; /* for p50 and p99 */
    /* What came out. */
    struct estimate a, b;
    struct change change; /* relative, or the factor only */
    double low, high;     /* of what is compared with the limit; NAN: not known */
    bool matches, holds;
};

/* False, and a complaint: it is none. The text stays the caller's. */
bool diff_condition_parse(struct diff_condition *c, const char *verb, const char *text);
void diff_condition_free(struct diff_condition *c);

/* Before traces are read: what it has to watch. False, and a complaint: there are too many. */
bool diff_condition_watch(struct diff_condition *c, const char *verb, struct diff_rows *rows);

/* n: how many conditions there are. False: memory is short. */
bool diff_condition_judge(struct diff_condition *c, const struct diff *d, size_t n);

#endif
