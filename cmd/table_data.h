/* The rows of tables for programs. Numbers are whole, texts are not wrapped. */
#ifndef THRACE_CMD_TABLE_DATA_H
#define THRACE_CMD_TABLE_DATA_H

#include "cmd/export/json.h"
#include "cmd/table.h"

/* An object for each row. */
void table_json_rows(const struct table *t, struct json *j);

/* RFC 4180, but that lines end as they do on Unix. A table in a cell is JSON there. False: memory is short. */
void table_csv_header(const struct table *t, FILE *out);
bool table_csv_rows(const struct table *t, FILE *out);

#endif
