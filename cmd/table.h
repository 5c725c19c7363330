/* Tables: rows of typed cells, which are shown as text in columns, as JSON or as CSV. */
#ifndef THRACE_CMD_TABLE_H
#define THRACE_CMD_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a cell holds. */
enum table_type {
    TABLE_NONE,  /* nothing: null in JSON */
    TABLE_TEXT,
    TABLE_COUNT,
    TABLE_TIME,  /* ns */
    TABLE_SHARE, /* of a whole, which is 1 */
    TABLE_REAL,  /* any number; null in JSON if it is not finite */
    TABLE_FLAG,
    TABLE_STACK, /* text: a frame in each line, the innermost first, "function (file:line)" */
    TABLE_ROWS,  /* a table inside */
};

struct table;

struct table_cell {
    enum table_type type;
    union {
        uint64_t n;
        double real;
        struct {
            uint64_t part, all;
        } share;
        char *text;
        const char *shown; /* of TABLE_NONE: what stands there in text */
        struct table *rows;
    };
};

/*
 * A column. Its key names it in JSON and CSV, and ends in _ns if its cells are times; without one it is in text only.
 * Its title stands above it in text; one that begins with a '<' is of a column that is aligned left, and without one
 * it is not in text.
 */
struct table_column {
    const char *key, *title;
};

struct table {
    const char *name; /* in JSON and CSV */
    const struct table_column *columns; /* one without key and title ends them */
    struct table_cell *cells;
    size_t ncells, cap, ncolumns;
    bool rows_are_lines; /* text that is too long for a line goes on in it all the same */
    bool failed;         /* memory is short */
};

void table_init(struct table *t, const char *name, const struct table_column *columns);
void table_free(struct table *t);

/*
 * Append a cell. In text the last one of a row, which is aligned left, may have more lines, which are printed as they
 * are, but those of a stack are indented.
 */
__attribute__((format(printf, 2, 3))) void table_cell(struct table *t, const char *fmt, ...);
void table_text(struct table *t, const char *text); /* NULL: none */
void table_count(struct table *t, uint64_t n);
void table_time(struct table *t, uint64_t ns);
void table_share(struct table *t, uint64_t part, uint64_t all); /* of nothing: 0 */
void table_real(struct table *t, double x);
void table_flag(struct table *t, bool yes);
void table_stack(struct table *t, const char *stack);
void table_none(struct table *t, const char *shown); /* a literal */

/* The columns of the row that have no cell so far have none. */
void table_end_row(struct table *t);

/* A table in a cell, to be filled; it belongs to t. NULL: memory is short, and t has failed. */
struct table *table_rows(struct table *t, const struct table_column *columns);

/*
 * Sorts the rows by the column of that title, the largest number first, texts by the alphabet. False: there is none, or
 * memory is short, which the table says then.
 */
bool table_sort(struct table *t, const char *title);

/* Frees the rows from n on; how many they were. */
size_t table_cut(struct table *t, size_t n);

/* Memory sufficed, for the tables inside, too. */
bool table_is_whole(const struct table *t);

/* 3 digits and a unit, "12.3 µs"; returns text. */
enum { TABLE_TIME_SIZE = 32 };
const char *table_format_time(char text[TABLE_TIME_SIZE], uint64_t ns);

/* "9216 bytes", "31.2 MiB"; returns text. */
enum { TABLE_BYTES_SIZE = 32 };
const char *table_format_bytes(char text[TABLE_BYTES_SIZE], uint64_t bytes);

/* As text. */
void table_print(const struct table *t, FILE *out);

#endif
