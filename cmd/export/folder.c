#include "config.h"

#include "cmd/export/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/export/memory_file.h"

static const char *const names[TABLES] = {
#define TABLE(name) [TABLE_##name] = #name,
#define COLUMN(table, name, type)
#include "cmd/export/tables.def"
#undef TABLE
#undef COLUMN
};

static const struct column {
    enum table table;
    const char *name, *duckdb, *spark;
} columns[] = {
#define TEXT "VARCHAR", "STRING"
#define COUNT "BIGINT", "BIGINT"
#define FLAG "BOOLEAN", "BOOLEAN"
#define TIME "TIMESTAMP", "TIMESTAMP"
#define TABLE(name)
#define COLUMN(table, name, type) {TABLE_##table, #name, type},
#include "cmd/export/tables.def"
#undef TABLE
#undef COLUMN
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* ---- folders ---------------------------------------------------------------------------------------------------- */

/* As Hive does: what could be misread in a path is %XX. A value that is not known has a name of its own. */
static void put_value(const char *value, FILE *to)
{
    if (!*value)
        fputs("__HIVE_DEFAULT_PARTITION__", to);
    for (; *value; value++)
        if (strchr("\"#%'*/:=?\\{}[]^&<>| ", *value) || (*value == '.' && !value[1]))
            fprintf(to, "%%%02X", (unsigned char)*value);
        else
            putc(*value, to);
}

/* All folders above the file. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool ok = !mkdir(path, 0777) || errno == EEXIST;
        *slash = '/';
        if (!ok)
            return false;
    }
    return true;
}

/* Those of them below the root that are empty. */
static void remove_folders(const char *root, char *path)
{
    size_t len = strlen(root);
    for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) > len;) {
        *slash = 0;
        if (rmdir(path))
            return;
    }
}

static char *path_of(const char *root, enum table t, const char *host, const char *date, const char *name, bool hidden)
{
    char *path = NULL;
    size_t size;
    FILE *to = memory_file(&path, &size);
    if (!to)
        return NULL;
    fprintf(to, "%s/%s/host=", root, names[t]);
    put_value(host, to);
    fputs("/date=", to);
    put_value(date, to);
    fprintf(to, hidden ? "/.%s.csv.tmp" : "/%s.csv", name); /* readers pass over hidden files */
    if (!fclose(to))
        return path;
    free(path);
    return NULL;
}

static FILE *create(const char *path)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

/* ---- what says the types ---------------------------------------------------------------------------------------- */

static void put_columns(FILE *to, enum table t, bool duckdb)
{
    const char *follows = "";
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i].table != t)
            continue;
        fprintf(to, duckdb ? "%s'%s': '%s'" : "%s%s %s", follows, columns[i].name,
                duckdb ? columns[i].duckdb : columns[i].spark);
        follows = ", ";
    }
}

static void put_duckdb(FILE *to)
{
    fputs("-- Views of the tables in this folder: cd to it, or SET file_search_path to it first.\n", to);
    for (enum table t = 0; t < TABLES; t++) {
        fprintf(to, "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_csv('%s/*/*/*.csv', header = true, delim = ',', "
                    "quote = '\"', escape = '\"', auto_detect = false, hive_partitioning = true, "
                    "hive_types = {'host': VARCHAR, 'date': DATE}, columns = {",
                names[t], names[t]);
        put_columns(to, t, true);
        fputs("});\n", to);
    }
}

static void put_spark(FILE *to)
{
    fputs("-- Views of the tables in a folder, which root names: SET root=/data/fleet first.\n", to);
    for (enum table t = 0; t < TABLES; t++) {
        fprintf(to, "CREATE OR REPLACE TEMPORARY VIEW %s (", names[t]);
        put_columns(to, t, false);
        fprintf(to, ", host STRING, date DATE) USING csv OPTIONS (path '${root}/%s', header 'true', quote '\"', "
                    "escape '\"', mode 'FAILFAST');\n",
                names[t]);
    }
}

/* The same whatever trace is exported, so who writes it last does no harm. */
static bool put_schema(const char *root, const char *name, void (*put)(FILE *to))
{
    char *path = NULL, *temporary = NULL;
    bool ok = asprintf(&path, "%s/%s.sql", root, name) >= 0 &&
              asprintf(&temporary, "%s/.%s.%ld.tmp", root, name, (long)getpid()) >= 0;
    FILE *file = ok ? create(temporary) : NULL;
    if (file) {
        put(file);
        ok = !ferror(file);
        ok = !fclose(file) && ok && !rename(temporary, path);
    }
    if (file && !ok)
        unlink(temporary);
    free(path);
    free(temporary);
    return file && ok;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void begin_field(struct folder_writer *w, enum table t)
{
    if (w->follows)
        putc(',', w->files[t].file);
    w->follows = true;
}

void folder_text(struct folder_writer *w, enum table t, const char *text)
{
    FILE *to = w->files[t].file;
    begin_field(w, t);
    if (!text || !*text)
        return;
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc((unsigned char)*text < ' ' ? ' ' : *text, to);
    }
    putc('"', to);
}

void folder_count(struct folder_writer *w, enum table t, uint64_t n)
{
    begin_field(w, t);
    fprintf(w->files[t].file, "%" PRIu64, n < INT64_MAX ? n : INT64_MAX);
}

void folder_flag(struct folder_writer *w, enum table t, bool flag)
{
    begin_field(w, t);
    fputs(flag ? "true" : "false", w->files[t].file);
}

void folder_end_row(struct folder_writer *w, enum table t)
{
    putc('\n', w->files[t].file);
    w->follows = false;
}

static void put_header(FILE *to, enum table t)
{
    const char *follows = "";
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i].table != t)
            continue;
        fprintf(to, "%s%s", follows, columns[i].name);
        follows = ",";
    }
    putc('\n', to);
}

bool folder_begin(struct folder_writer *w, const char *root, const char *host, const char *date, const char *name)
{
    *w = (struct folder_writer){.root = root};
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error to report */
    for (enum table t = 0; t < TABLES; t++) {
        char *path = w->files[t].path = path_of(root, t, host, date, name, false);
        char *temporary = w->files[t].temporary = path_of(root, t, host, date, name, true);
        if (!path || !temporary || !make_folders(path) || !(w->files[t].file = create(temporary)))
            return false;
        put_header(w->files[t].file, t);
    }
    return true;
}

bool folder_end(struct folder_writer *w, bool keep)
{
    bool ok = true;
    int number = errno;
    for (enum table t = 0; t < TABLES; t++) {
        FILE *file = w->files[t].file;
        if (file && (ferror(file) | fclose(file)) != 0 && ok) {
            number = errno ? errno : EIO;
            ok = false;
        }
    }
    keep &= ok && put_schema(w->root, "duckdb", put_duckdb) && put_schema(w->root, "spark", put_spark);
    if (ok && !keep)
        number = errno;
    /* The last one is that of the trace itself: who joins with it sees all or nothing. */
    for (int t = TABLES - 1; t >= 0 && keep; t--)
        if (rename(w->files[t].temporary, w->files[t].path)) {
            number = errno;
            keep = false;
        }
    for (enum table t = 0; t < TABLES; t++) {
        if (!keep && w->files[t].file) {
            unlink(w->files[t].temporary);
            unlink(w->files[t].path);
        }
        if (!keep && w->files[t].path)
            remove_folders(w->root, w->files[t].path);
        free(w->files[t].temporary);
        free(w->files[t].path);
    }
    errno = number;
    return keep;
}
