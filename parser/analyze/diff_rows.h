/*
 * What traces are compared by: rows, each a name of a metric. Equal names of two traces are one row, when numbers that
 * differ from run to run are folded: addresses, descriptors, threads that are counted. Memory is bounded: what comes
 * late is the metric's row "others".
 */
#ifndef THRACE_PARSER_ANALYZE_DIFF_ROWS_H
#define THRACE_PARSER_ANALYZE_DIFF_ROWS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/idmap.h"
#include "parser/vec.h"

enum diff_metric {
    DIFF_CPU,      /* samples, by the function that executed */
    DIFF_LOCK,     /* waits, by what they are for */
    DIFF_WAIT,     /* by reason */
    DIFF_SYSCALL,  /* by function */
    DIFF_RUNNABLE, /* and not running, by why */
    DIFF_THREAD,   /* running, by the thread's name */
    DIFF_METRICS
};

enum { DIFF_ROWS = 4096, DIFF_WATCHES = 32 };

struct diff_row {
    enum diff_metric metric;
    char *name;
    uint32_t watched; /* a bit for each watch */
};

/* Rows whose times are wanted one by one. */
struct diff_watch {
    enum diff_metric metric;
    const regex_t *name; /* the caller's; NULL: all */
};

struct diff_rows {
    VEC(struct diff_row) list; /* those called "others" come first */
    struct idmap index;        /* hash of metric and name to the number + 1 */
    VEC(struct diff_watch) watches;
    bool failed; /* memory is short */
};

bool diff_rows_init(struct diff_rows *r);
void diff_rows_free(struct diff_rows *r);

/* Before there are rows. The number of the watch; DIFF_WATCHES: there are too many, or memory is short. */
unsigned diff_rows_watch(struct diff_rows *r, enum diff_metric metric, const regex_t *name);

/* The number of the row; that of "others" if there is no room. */
uint32_t diff_rows_find(struct diff_rows *r, enum diff_metric metric, const char *name);

bool diff_row_matches(const struct diff_row *row, enum diff_metric metric, const regex_t *name);

/*
 * Writes the name with '#' for what is folded: addresses ("0x#") always; of an object numbers that stand alone, as in
 * "shard[3]"; of a thread all numbers but those of Go's func1.
 */
void diff_fold(enum diff_metric metric, const char *name, char *to, size_t size);

extern const char *const diff_metric_names[DIFF_METRICS];

#endif
