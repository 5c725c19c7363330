/*
 * A database for SQLite: rows for stretches of time, samples and events, and tables for what they refer to.
 * sqlite.sql is its schema. Nobody reads the file before it is complete, so nothing is journalled.
 */
#include "config.h"

#include "cmd/export/format.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "cmd/export/meta.h"
#include "cmd/export/rows.h"
#include "cmd/export/turn_batch.h"

static const char schema[] = {
#include "cmd/export/sqlite_sql.h"
    0};

static const char settings[] = "PRAGMA page_size = 16384;"
                               "PRAGMA journal_mode = OFF;"
                               "PRAGMA synchronous = OFF;"
                               "PRAGMA locking_mode = EXCLUSIVE;"
                               "PRAGMA cache_size = -16384;" /* KiB: all memory that it needs for any number of rows */
                               "BEGIN;";

enum insert { META, STATE, REASON, THREAD, FRAME, STACK, STACK_FRAME, OBJECT, SAMPLE, EVENT, INSERTS };

static const char *const inserts[INSERTS] = {
    [META] = "INSERT INTO meta VALUES (?, ?)",
    [STATE] = "INSERT INTO states VALUES (?, ?)",
    [REASON] = "INSERT INTO reasons VALUES (?, ?)",
    [THREAD] = "INSERT INTO threads VALUES (?, ?, ?, ?, ?, ?, ?)",
    [FRAME] = "INSERT INTO frames VALUES (?, ?, ?, ?, ?)",
    [STACK] = "INSERT INTO stacks VALUES (?, ?)",
    [STACK_FRAME] = "INSERT INTO stack_frames VALUES (?, ?, ?)",
    [OBJECT] = "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?)",
    [SAMPLE] = "INSERT INTO samples VALUES (NULL, ?, ?, ?)",
    [EVENT] = "INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
};

struct database {
    struct rows rows;
    sqlite3 *db;
    sqlite3_stmt *insert[INSERTS];
    struct turn_batch turns;
    struct idmap objects; /* by text and full, to the number */
    uint64_t nobjects;
    bool has_reason[STAT_NTEXTS];
    bool failed;
    int number; /* errno */
    char error[128];
};

/* What went wrong first. */
static bool fine(struct database *d, bool ok)
{
    if (ok || d->failed)
        return ok;
    d->failed = true;
    int code = d->db ? sqlite3_errcode(d->db) : SQLITE_NOMEM;
    if (code == SQLITE_FULL)
        d->number = ENOSPC;
    else if (code == SQLITE_IOERR)
        d->number = sqlite3_system_errno(d->db) ? sqlite3_system_errno(d->db) : EIO;
    snprintf(d->error, sizeof d->error, "SQLite: %s", d->db ? sqlite3_errmsg(d->db) : "out of memory");
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void put_number(sqlite3_stmt *s, int column, uint64_t n)
{
    if (n <= INT64_MAX)
        sqlite3_bind_int64(s, column, (int64_t)n);
    else
        sqlite3_bind_double(s, column, (double)n);
}

/* A reference, or NULL for 0. */
static void put_reference(sqlite3_stmt *s, int column, uint64_t n)
{
    if (n)
        sqlite3_bind_int64(s, column, (int64_t)n);
    else
        sqlite3_bind_null(s, column);
}

static void put_id(sqlite3_stmt *s, int column, uint64_t n)
{
    if (n == GOTRACE_NONE)
        sqlite3_bind_null(s, column);
    else
        put_number(s, column, n);
}

/* A text that lives until the row is inserted, or NULL for "". */
static void put_text(sqlite3_stmt *s, int column, const char *text)
{
    if (text && *text)
        sqlite3_bind_text(s, column, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, column);
}

static bool put_row(struct database *d, enum insert which)
{
    sqlite3_step(d->insert[which]);
    return fine(d, sqlite3_reset(d->insert[which]) == SQLITE_OK);
}

static bool put_named(struct database *d, enum insert which, uint64_t id, const char *name)
{
    sqlite3_bind_int64(d->insert[which], 1, (int64_t)id);
    sqlite3_bind_text(d->insert[which], 2, name, -1, SQLITE_STATIC);
    return put_row(d, which);
}

static bool put_thread(void *arg, const struct row_thread *t)
{
    struct database *d = arg;
    sqlite3_stmt *s = d->insert[THREAD];
    put_number(s, 1, t->number);
    put_number(s, 2, t->goroutine);
    put_id(s, 3, t->tid);
    put_text(s, 4, t->name);
    put_reference(s, 5, t->maker);
    sqlite3_bind_int64(s, 6, t->begin);
    sqlite3_bind_int64(s, 7, t->end);
    return put_row(d, THREAD) && fine(d, turn_batch_end(&d->turns, t->place));
}

/* Its number; 0: it could not be written. */
static uint64_t object_number(struct database *d, const struct stat_object *o, bool full)
{
    uint64_t key = (uint64_t)o->text << 1 | full;
    uint32_t known = idmap_get(&d->objects, key);
    if (known)
        return known;
    sqlite3_stmt *s = d->insert[OBJECT];
    const char *name = rows_text(&d->rows, o->name);
    if (!idmap_add(&d->objects, key, (uint32_t)++d->nobjects)) {
        d->rows.failed = true;
        return 0;
    }
    put_number(s, 1, d->nobjects);
    sqlite3_bind_text(s, 2, rows_text(&d->rows, o->text), -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, name, (int)strcspn(name, " "), SQLITE_STATIC); /* it begins with that */
    sqlite3_bind_text(s, 5, wait_class_name(wait_class_of(o->kind)), -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 6, full);
    return put_row(d, OBJECT) ? d->nobjects : 0;
}

/* The number of a reason, which is that of its text; 0: it has none. */
static uint64_t reason_number(struct database *d, uint32_t text)
{
    const char *reason = rows_text(&d->rows, text);
    if (!*reason)
        return 0;
    if (!d->has_reason[text]) {
        d->has_reason[text] = true;
        put_named(d, REASON, (uint64_t)text + 1, reason);
    }
    return (uint64_t)text + 1;
}

static bool put_span(void *arg, const struct row_span *row)
{
    struct database *d = arg;
    const struct span_thread *l = row->is;
    struct turn_span span = {
        .thread = (int64_t)row->thread,
        .state = (int64_t)l->state,
        .begin = row->begin,
        .ns = (int64_t)row->ns,
        .reason = (int64_t)reason_number(d, l->reason),
        .stack = row->stack,
        .object = l->object.kind ? (int64_t)object_number(d, &l->object, row->full) : 0,
        .waker = (int64_t)row->waker,
        .waker_stack = row->waker_stack,
        .began = row->began,
        .call = l->state == GOTRACE_STATE_SYSCALL && l->call,
    };
    if (d->failed)
        return false;
    enum turn_result result = turn_batch_add(&d->turns, row->place, &span);
    d->rows.failed |= result == TURN_NO_MEMORY;
    return result == TURN_ADDED || (result == TURN_FAILED && fine(d, false));
}

static bool put_sample(void *arg, const struct row_sample *row)
{
    struct database *d = arg;
    sqlite3_stmt *s = d->insert[SAMPLE];
    put_reference(s, 1, row->thread);
    sqlite3_bind_int64(s, 2, row->time);
    put_reference(s, 3, row->stack);
    return put_row(d, SAMPLE);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static bool put_event(void *arg, const struct gotrace_event *ev, uint64_t thread, int64_t time)
{
    struct database *d = arg;
    sqlite3_stmt *s = d->insert[EVENT];
    struct row_event e;
    char name[STACK_TEXT_MAX + 1], detail[STACK_TEXT_MAX + 1];
    if (!row_describe(ev, &e))
        return true;
    name[stack_text_clean(e.name, name)] = 0;
    detail[stack_text_clean(e.detail, detail)] = 0;
    put_reference(s, 1, thread);
    sqlite3_bind_int64(s, 2, time);
    put_text(s, 3, gotrace_kind_name(gotrace_event_kind(ev)));
    put_text(s, 4, name);
    put_text(s, 5, detail);
    if (e.has_value)
        put_number(s, 6, e.value);
    else
        sqlite3_bind_null(s, 6);
    put_id(s, 7, e.task);
    return put_row(d, EVENT);
}

/* ---- what rows refer to ----------------------------------------------------------------------------------------- */

static bool put_frame(struct database *d, size_t i)
{
    sqlite3_stmt *s = d->insert[FRAME];
    const struct stored_frame *f = &d->rows.stacks->frames.v[i];
    put_number(s, 1, i + 1);
    sqlite3_bind_int64(s, 2, (int64_t)f->pc);
    sqlite3_bind_text(s, 3, stack_store_text_of(d->rows.stacks, f->function), -1, SQLITE_STATIC);
    put_text(s, 4, stack_store_text_of(d->rows.stacks, f->file));
    if (f->line)
        put_number(s, 5, f->line);
    else
        sqlite3_bind_null(s, 5);
    return put_row(d, FRAME);
}

/* The first of the store has no frames, and no row. */
static bool put_stack(struct database *d, size_t i)
{
    const struct stored_stack *stack = &d->rows.stacks->stacks.v[i];
    sqlite3_stmt *s = d->insert[STACK];
    put_number(s, 1, i);
    put_number(s, 2, stack->n);
    bool ok = put_row(d, STACK);
    s = d->insert[STACK_FRAME];
    for (size_t depth = 0; depth < stack->n && ok; depth++) {
        put_number(s, 1, i);
        put_number(s, 2, depth);
        put_number(s, 3, (uint64_t)stack_store_frame(d->rows.stacks, stack, depth) + 1);
        ok = put_row(d, STACK_FRAME);
    }
    return ok;
}

static bool put_tables(struct database *d)
{
    bool ok = fine(d, turn_batch_flush(&d->turns));
    for (int state = 0; state < GOTRACE_STATE_IDLE && ok; state++)
        if (row_state_name(state))
            ok = put_named(d, STATE, (uint64_t)state, row_state_name(state));
    for (size_t i = 0; i < d->rows.stacks->frames.n && ok; i++)
        ok = put_frame(d, i);
    for (size_t i = 1; i < d->rows.stacks->stacks.n && ok; i++)
        ok = put_stack(d, i);
    return ok;
}

static bool meta_text(struct database *d, const char *key, const char *value)
{
    sqlite3_bind_text(d->insert[META], 1, key, -1, SQLITE_STATIC);
    put_text(d->insert[META], 2, value);
    return put_row(d, META);
}

static bool meta_number(struct database *d, const char *key, uint64_t value)
{
    sqlite3_bind_text(d->insert[META], 1, key, -1, SQLITE_STATIC);
    put_number(d->insert[META], 2, value);
    return put_row(d, META);
}

static bool put_meta(struct database *d, const struct export_job *job)
{
    const struct rows *r = &d->rows;
    struct export_meta meta;
    char go[32];
    export_meta_fill(&meta, job, r);
    snprintf(go, sizeof go, r->version >= 5 ? "1.%d" : "%d", r->version);
    bool ok = meta_text(d, "thrace", PACKAGE_VERSION) && meta_text(d, "trace", meta.trace) && meta_text(d, "go", go) &&
              meta_number(d, "complete", r->complete) &&
              meta_number(d, "duration_ns", (uint64_t)r->spans.end - (uint64_t)r->spans.begin) &&
              meta_number(d, "threads", r->spans.nthreads) && meta_number(d, "events", r->spans.nevents) &&
              meta_number(d, "samples", r->nsamples) && meta_number(d, "samples_hz", r->hz) &&
              meta_number(d, "filtered", job->filter != NULL);
    for (int i = 0; i < EXPORT_META && ok; i++)
        ok = meta_text(d, export_meta_names[i], meta.values[i]);
    return ok;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static bool open_database(struct database *d, const char *path)
{
    bool ok = sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
              sqlite3_exec(d->db, settings, NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(d->db, schema, NULL, NULL, NULL) == SQLITE_OK;
    for (int i = 0; i < INSERTS && ok; i++)
        ok = sqlite3_prepare_v3(d->db, inserts[i], -1, SQLITE_PREPARE_PERSISTENT, &d->insert[i], NULL) == SQLITE_OK;
    ok = ok && turn_batch_open(&d->turns, d->db);
    return fine(d, ok);
}

static bool close_database(struct database *d)
{
    bool ok = !d->failed && fine(d, sqlite3_exec(d->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < INSERTS; i++)
        sqlite3_finalize(d->insert[i]);
    turn_batch_close(&d->turns);
    sqlite3_close(d->db);
    idmap_free(&d->objects);
    return ok;
}

static enum export_result failure(struct database *d, struct export_job *job)
{
    if (d->number) {
        errno = d->number;
        return EXPORT_UNWRITTEN;
    }
    snprintf(job->text, sizeof job->text, "%s", d->error);
    job->why = job->text;
    return EXPORT_UNREAD;
}

enum export_result export_sqlite(struct export_job *job)
{
    static const struct row_sink sink = {put_thread, put_span, put_sample, put_event};
    struct database *d = calloc(1, sizeof *d);
    enum export_result result = EXPORT_UNREAD;
    if (!d) {
        job->why = "out of memory";
        return result;
    }
    bool read = false;
    if (open_database(d, job->path) && (result = rows_read(&d->rows, job, &sink, d)) == EXPORT_DONE) {
        read = true;
        if (!d->failed && put_tables(d))
            put_meta(d, job);
    }
    bool ok = close_database(d);
    if (!ok && (d->failed || result == EXPORT_DONE))
        result = failure(d, job);
    if (read)
        rows_free(&d->rows);
    free(d);
    return result;
}

#else

enum export_result export_sqlite(struct export_job *job)
{
    job->why = "this thrace was built without SQLite, so it makes no database";
    return EXPORT_UNREAD;
}

#endif
