/* Who ended waits: what the table of waits says of that. */
#ifndef THRACE_CMD_STAT_WAKERS_H
#define THRACE_CMD_STAT_WAKERS_H

#include "cmd/lines.h"
#include "cmd/stat_rows.h"
#include "cmd/table.h"
#include "parser/analyze/stat_collect.h"

/* The first of a row, each in a line; brief: not that nobody did. False: memory is short. */
bool stat_put_wakers(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row, bool brief,
                     struct lines *l);

/* For programs: all of a row's first group, as a table in a cell. */
bool stat_waker_rows(const struct stat *s, const struct stat_row *row, struct table *t);

#endif
