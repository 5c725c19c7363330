/* What differs between the traces of two sides, each of one run or several, and how sure that is. */
#ifndef THRACE_PARSER_ANALYZE_DIFF_H
#define THRACE_PARSER_ANALYZE_DIFF_H

#include "parser/analyze/diff_collect.h"
#include "parser/analyze/resample.h"

struct diff_side {
    struct diff_run **runs;
    size_t nruns;
    struct resample resample;
};

enum diff_stat { DIFF_SUM, DIFF_COUNT, DIFF_MEAN, DIFF_P50, DIFF_P99, DIFF_MAX, DIFF_STATS };
extern const char *const diff_stat_names[DIFF_STATS];

/*
 * What one run of a program differs from another one by, which a single trace cannot say: by the machine's clock and
 * load, by where memory lies. How often threads wait, and how long one wait takes, differs most, as it is decided by
 * who comes first; nothing is said of it with fewer waits than DIFF_CLEAR. System calls for each task differ least.
 * These are measured: with less of it, runs that are equal seem to differ (docs/diff.md).
 */
#define DIFF_NOISE .12
#define DIFF_NOISE_WAIT .5
#define DIFF_NOISE_PER .01
#define DIFF_NOISE_LEAST .02 /* of the time that passes */
enum { DIFF_CLEAR = 30 };

/* A row: sums and counts per second, or for each occurrence of what is counted; what is by chance over all rows. */
struct diff_change {
    uint32_t row;
    bool is_tested[2];       /* there is enough of it: the time, the times */
    struct estimate sum[2], count[2]; /* of both sides */
    struct change time, times;
    double time_chance, times_chance; /* over all rows: 1 if not known */
};

enum { DIFF_ENOUGH = 8 }; /* of both sides together */
#define DIFF_LEVEL .05

struct diff {
    const struct diff_rows *rows;
    struct diff_side sides[2];
    bool per; /* what is counted, not seconds */
    VEC(struct diff_change) changes; /* of the rows that there are */
    size_t ntests;
};

/* When all is read. False: memory is short. diff_free is due in any case; it does not free the runs. */
bool diff_compare(struct diff *d);
void diff_free(struct diff *d);

/* Of the rows for which `rows` has true, together; watch: of DIFF_P50 and DIFF_P99. */
struct estimate diff_estimate(const struct diff *d, int side, const bool *rows, enum diff_metric metric, unsigned watch,
                              enum diff_stat stat);

static inline bool diff_is_significant(const struct diff_change *c)
{
    return c->time_chance <= DIFF_LEVEL || c->times_chance <= DIFF_LEVEL;
}

/* How many seconds, or occurrences, a side has in all. */
double diff_units(const struct diff *d, int side);

#endif
