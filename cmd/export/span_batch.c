#include "config.h"

#ifdef HAVE_SQLITE

#include "cmd/export/span_batch.h"

#include <stdlib.h>

struct batch_table {
    sqlite3_vtab table;
    const struct span_batch *rows;
};

struct batch_cursor {
    sqlite3_vtab_cursor cursor;
    const struct span_batch *rows;
    int at;
};

static int connect_table(sqlite3 *db, void *arg, int argc, const char *const *argv, sqlite3_vtab **table, char **error)
{
    (void)argc, (void)argv, (void)error;
    int result = sqlite3_declare_vtab(db, "CREATE TABLE x (a, b, c, d, e, f, g, h, i, j, k)");
    _Static_assert(SPAN_COLUMNS == 11, "as many columns");
    struct batch_table *t = result == SQLITE_OK ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return result == SQLITE_OK ? SQLITE_NOMEM : result;
    t->rows = arg;
    *table = &t->table;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = SPAN_BATCH;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    struct batch_cursor *c = calloc(1, sizeof *c);
    if (!c)
        return SQLITE_NOMEM;
    c->rows = ((struct batch_table *)table)->rows;
    *cursor = &c->cursor;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static int first_row(sqlite3_vtab_cursor *cursor, int index, const char *name, int argc, sqlite3_value **argv)
{
    (void)index, (void)name, (void)argc, (void)argv;
    ((struct batch_cursor *)cursor)->at = 0;
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
    ((struct batch_cursor *)cursor)->at++;
    return SQLITE_OK;
}

static int is_behind_last(sqlite3_vtab_cursor *cursor)
{
    const struct batch_cursor *c = (const struct batch_cursor *)cursor;
    return c->at >= c->rows->n;
}

static int value_of(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
    const struct batch_cursor *c = (const struct batch_cursor *)cursor;
    bool refers = column >= SPAN_REASON_ID && column <= SPAN_WAKER_STACK;
    int64_t value = c->rows->rows[c->at][column];
    if (value || !refers) /* else it stays NULL */
        sqlite3_result_int64(to, value);
    return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
    *number = ((const struct batch_cursor *)cursor)->at;
    return SQLITE_OK;
}

/* Without xCreate it is there under the module's name, and not in the file. */
static const sqlite3_module module = {.xConnect = connect_table,
                                      .xBestIndex = plan,
                                      .xDisconnect = disconnect_table,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = first_row,
                                      .xNext = next_row,
                                      .xEof = is_behind_last,
                                      .xColumn = value_of,
                                      .xRowid = row_number};

bool span_batch_open(struct span_batch *b, sqlite3 *db)
{
    return sqlite3_create_module(db, "thrace_span_batch", &module, b) == SQLITE_OK &&
           sqlite3_prepare_v3(db, "INSERT INTO spans SELECT NULL, * FROM thrace_span_batch", -1,
                              SQLITE_PREPARE_PERSISTENT, &b->insert, NULL) == SQLITE_OK;
}

void span_batch_close(struct span_batch *b) { sqlite3_finalize(b->insert); }

bool span_batch_flush(struct span_batch *b)
{
    if (!b->n)
        return true;
    sqlite3_step(b->insert);
    b->n = 0;
    return sqlite3_reset(b->insert) == SQLITE_OK;
}

#endif
