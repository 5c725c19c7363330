/* Files of tables in folders that say a part of their columns. They get their names when all of them are complete. */
#ifndef THRACE_CMD_EXPORT_FOLDER_H
#define THRACE_CMD_EXPORT_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum table {
#define TABLE(name) TABLE_##name,
#define COLUMN(table, name, type)
#include "cmd/export/tables.def"
#undef TABLE
#undef COLUMN
    TABLES
};

struct folder_writer {
    const char *root;
    struct {
        FILE *file;
        char *temporary, *path;
    } files[TABLES];
    bool follows; /* a field of the row */
};

/* Begins with the first lines of all. host and date may be "". False with errno; folder_end is due in any case. */
bool folder_begin(struct folder_writer *w, const char *root, const char *host, const char *date, const char *name);

/* The fields of a row, in their order. */
void folder_text(struct folder_writer *w, enum table t, const char *text); /* "" or NULL: no value */
void folder_count(struct folder_writer *w, enum table t, uint64_t n);
void folder_flag(struct folder_writer *w, enum table t, bool flag);
void folder_end_row(struct folder_writer *w, enum table t);

/* Gives all their names, or without keep none. False with errno: something could not be written, and nothing is there.
 */
bool folder_end(struct folder_writer *w, bool keep);

#endif
