/* Groups of waits or system calls that are one row of a table, as they are at one place. */
#ifndef THRACE_CMD_STAT_ROWS_H
#define THRACE_CMD_STAT_ROWS_H

#include "cmd/report.h"
#include "parser/analyze/needs.h"
#include "parser/analyze/stat_groups.h"

struct stat_row {
    struct stat_group sum; /* its key is the row's; the spread is that of all groups, or NULL if it is not wanted */
    struct need_sum need;
    uint32_t first;        /* its first group: number + 1; 0: of those that no group was left for */
};

struct stat_rows {
    const struct stat_groups *groups;
    struct stat_row *v; /* the rows */
    size_t n;
    uint32_t *next;   /* of a group, by its number: the next one of its row, + 1 */
    uint32_t *row_of; /* the same, but its row, by the number in `sum` */
};

/* The key of the row of a group. */
typedef uint64_t stat_row_key_fn(const void *arg, const struct stat_group *g);

/* needs: of the groups, or NULL. False: memory is short; free it all the same. */
bool stat_rows_make(struct stat_rows *rows, const struct stat_groups *groups, const struct need_sums *needs,
                    stat_row_key_fn *key, const void *arg);
void stat_rows_free(struct stat_rows *rows);

/* The one with the largest total comes first, or with the largest need. */
void stat_rows_sort(struct stat_rows *rows, bool by_need);

/* Of those from n on. */
struct stat_row stat_rows_rest(const struct stat_rows *rows, size_t n);

/* The group of the row that has most of the time; NULL: it has none. */
const struct stat_group *stat_row_main(const struct stat_rows *rows, const struct stat_row *row);

/* Cells: total, count, percentiles (in brief the last one), max. */
void stat_row_times(const struct stat_row *row, const struct report *r, struct table *t);

#endif
