/*
 * Rows of the table spans on their way into a database, many at a time: SQLite reads them from a table that is this
 * array. To bind and step a row of its own takes it twice as long.
 */
#ifndef THRACE_CMD_EXPORT_SPAN_BATCH_H
#define THRACE_CMD_EXPORT_SPAN_BATCH_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { SPAN_BATCH = 512 };

/* The columns as in sqlite.sql. References that are 0 become NULL. */
enum span_column { SPAN_THREAD_ID, SPAN_STATE, SPAN_BEGIN, SPAN_DURATION, SPAN_REASON_ID, SPAN_STACK, SPAN_OBJECT_ID,
                   SPAN_WAKER, SPAN_WAKER_STACK, SPAN_BEGAN, SPAN_CALL, SPAN_COLUMNS };

struct span_batch {
    int64_t rows[SPAN_BATCH][SPAN_COLUMNS];
    int n;
    sqlite3_stmt *insert;
};

/* SQLite has the address until the database is closed; span_batch_close comes before that. False: it said why. */
bool span_batch_open(struct span_batch *b, sqlite3 *db);
void span_batch_close(struct span_batch *b);

/* Inserts the rows, and there are none then. */
bool span_batch_flush(struct span_batch *b);

#endif
