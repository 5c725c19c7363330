#include "config.h"

#ifdef HAVE_SQLITE

#include "cmd/export/turn_batch.h"

#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"

struct batch_table {
    sqlite3_vtab table;
    const struct turn_batch *rows;
};

struct batch_cursor {
    sqlite3_vtab_cursor cursor;
    const struct turn_batch *rows;
    int at;
};

static int connect_table(sqlite3 *db, void *arg, int argc, const char *const *argv, sqlite3_vtab **table, char **error)
{
    (void)argc, (void)argv, (void)error;
    int result = sqlite3_declare_vtab(db, "CREATE TABLE x (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)");
    _Static_assert(TURN_COLUMNS == 15, "as many columns");
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
    info->estimatedCost = TURN_BATCH;
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
    int64_t value = c->rows->rows[c->at][column];
    if (value >= 0) /* else it stays NULL */
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

bool turn_batch_open(struct turn_batch *b, sqlite3 *db)
{
    return sqlite3_create_module(db, "thrace_turn_batch", &module, b) == SQLITE_OK &&
           sqlite3_prepare_v3(db, "INSERT INTO turns SELECT NULL, * FROM thrace_turn_batch", -1,
                              SQLITE_PREPARE_PERSISTENT, &b->insert, NULL) == SQLITE_OK;
}

void turn_batch_close(struct turn_batch *b)
{
    sqlite3_finalize(b->insert);
    VEC_FREE(&b->open);
}

bool turn_batch_flush(struct turn_batch *b)
{
    if (!b->n)
        return true;
    sqlite3_step(b->insert);
    b->n = 0;
    return sqlite3_reset(b->insert) == SQLITE_OK;
}

/* ---- rows out of stretches -------------------------------------------------------------------------------------- */

/* Where a stretch belongs in a row: in the middle there is a column for everything that it has. */
static enum turn_part part_of(const struct turn_span *s)
{
    if (s->object || s->waker || s->waker_stack || s->call)
        return TURN_IS_IN;
    if (s->state == GOTRACE_STATE_RUNNABLE)
        return TURN_MAY_GO_ON;
    return s->state == GOTRACE_STATE_RUNNING && !s->reason && !s->stack ? TURN_RUNS : TURN_IS_IN;
}

static int64_t reference(int64_t n) { return n ? n : -1; }

static void fill(struct turn *t, enum turn_part part, const struct turn_span *s)
{
    int64_t *to = t->columns;
    switch (part) {
    case TURN_NOTHING: break;
    case TURN_RUNS: to[TURN_RUNNING_NS] = s->ns; break;
    case TURN_IS_IN:
        to[TURN_STATE] = s->state;
        to[TURN_DURATION] = s->ns;
        to[TURN_REASON] = reference(s->reason);
        to[TURN_STACK] = reference(s->stack);
        to[TURN_OBJECT] = reference(s->object);
        to[TURN_WAKER] = reference(s->waker);
        to[TURN_WAKER_STACK] = reference(s->waker_stack);
        to[TURN_CALL] = s->call;
        break;
    case TURN_MAY_GO_ON:
        to[TURN_RUNNABLE_NS] = s->ns;
        to[TURN_RUNNABLE_REASON] = reference(s->reason);
        to[TURN_RUNNABLE_STACK] = reference(s->stack);
        break;
    }
    t->end = s->begin + s->ns;
    t->last = part;
}

/* Takes the row over into the batch. */
static bool complete(struct turn_batch *b, struct turn *t)
{
    if (t->last == TURN_NOTHING)
        return true;
    t->last = TURN_NOTHING;
    memcpy(b->rows[b->n++], t->columns, sizeof t->columns);
    return b->n < TURN_BATCH || turn_batch_flush(b);
}

enum turn_result turn_batch_add(struct turn_batch *b, uint32_t place, const struct turn_span *s)
{
    while (place >= b->open.n) {
        if (!VEC_ROOM(&b->open))
            return TURN_NO_MEMORY;
        b->open.v[b->open.n++].last = TURN_NOTHING;
    }
    struct turn *t = &b->open.v[place];
    enum turn_part part = part_of(s);
    if (t->last == TURN_NOTHING || part <= t->last || t->end != s->begin || !s->began) {
        if (!complete(b, t))
            return TURN_FAILED;
        for (int i = 0; i < TURN_COLUMNS; i++)
            t->columns[i] = -1;
        t->columns[TURN_THREAD] = s->thread;
        t->columns[TURN_BEGIN] = s->begin;
        t->columns[TURN_BEGAN] = s->began;
    }
    fill(t, part, s);
    return TURN_ADDED;
}

bool turn_batch_end(struct turn_batch *b, uint32_t place)
{
    return place >= b->open.n || complete(b, &b->open.v[place]);
}

#endif
