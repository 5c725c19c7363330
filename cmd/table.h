/* Text in columns. */
#ifndef THRACE_CMD_TABLE_H
#define THRACE_CMD_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 8 };

struct table {
    const char *const *titles; /* NULL ends them; one that begins with a '<' is of a column that is aligned left */
    char **cells;
    size_t ncells, cap, ncolumns;
    bool failed; /* memory is short */
};

void table_init(struct table *t, const char *const *titles);
void table_free(struct table *t);

/*
 * Appends a cell. The last one of a row, which is aligned left, may have more lines, which are printed as they are.
 */
__attribute__((format(printf, 2, 3))) void table_cell(struct table *t, const char *fmt, ...);

/* 3 digits and a unit, "12.3 µs"; returns text. */
enum { TABLE_TIME_SIZE = 32 };
const char *table_format_time(char text[TABLE_TIME_SIZE], uint64_t ns);

/* A cell with that. */
void table_time(struct table *t, uint64_t ns);

void table_print(const struct table *t, FILE *out);

#endif
