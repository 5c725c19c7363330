/*
 * Rows of the table turns: three stretches of a thread in one row, where they follow each other: it runs, then is in
 * something else, then may go on. A third of the rows takes SQLite half of the time. They go into the database many at
 * a time, as SQLite reads them from a table that is our array; to bind and step a row of its own takes twice as long.
 */
#ifndef THRACE_CMD_EXPORT_TURN_BATCH_H
#define THRACE_CMD_EXPORT_TURN_BATCH_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "parser/vec.h"

enum { TURN_BATCH = 512 };

/* The columns as in sqlite.sql. What is negative becomes NULL. */
enum turn_column { TURN_THREAD, TURN_BEGIN, TURN_BEGAN, TURN_RUNNING_NS, TURN_STATE, TURN_DURATION, TURN_REASON,
                   TURN_STACK, TURN_OBJECT, TURN_WAKER, TURN_WAKER_STACK, TURN_CALL, TURN_RUNNABLE_NS,
                   TURN_RUNNABLE_REASON, TURN_RUNNABLE_STACK, TURN_COLUMNS };

/* A stretch. Numbers of reasons, stacks, objects and wakers are 0 where there is none. */
struct turn_span {
    int64_t thread, state, begin, ns, reason, stack, object, waker, waker_stack;
    bool began, call;
};

/* Of a row, in their order. */
enum turn_part { TURN_NOTHING, TURN_RUNS, TURN_IS_IN, TURN_MAY_GO_ON };

struct turn_batch {
    int64_t rows[TURN_BATCH][TURN_COLUMNS];
    int n;
    VEC(struct turn {
        int64_t columns[TURN_COLUMNS];
        int64_t end;
        enum turn_part last; /* nothing: there is no row */
    }) open;                 /* by the thread's place */
    sqlite3_stmt *insert;
};

/* SQLite has the address until the database is closed; turn_batch_close comes before that. False: it said why. */
bool turn_batch_open(struct turn_batch *b, sqlite3 *db);
void turn_batch_close(struct turn_batch *b);

/* Adds a stretch of the thread that has the place now. TURN_FAILED: the database said why. */
enum turn_result { TURN_ADDED, TURN_NO_MEMORY, TURN_FAILED };
enum turn_result turn_batch_add(struct turn_batch *b, uint32_t place, const struct turn_span *s);

/* The thread at the place is gone: its last row is complete. */
bool turn_batch_end(struct turn_batch *b, uint32_t place);

/* Inserts the rows that are complete. */
bool turn_batch_flush(struct turn_batch *b);

#endif
