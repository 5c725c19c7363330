#include "cmd/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/lines.h"
#include "parser/vec.h"

enum { COLUMNS = 32 };

void table_init(struct table *t, const char *name, const struct table_column *columns)
{
    *t = (struct table){.name = name, .columns = columns};
    while (columns[t->ncolumns].key || columns[t->ncolumns].title)
        t->ncolumns++;
}

static void free_cells(struct table *t, size_t from)
{
    for (size_t i = from; i < t->ncells; i++) {
        struct table_cell *c = &t->cells[i];
        if (c->type == TABLE_TEXT || c->type == TABLE_STACK)
            free(c->text);
        if (c->type != TABLE_ROWS)
            continue;
        table_free(c->rows);
        free(c->rows);
    }
}

void table_free(struct table *t)
{
    free_cells(t, 0);
    free(t->cells);
}

size_t table_cut(struct table *t, size_t n)
{
    size_t rows = t->ncells / t->ncolumns;
    if (rows <= n)
        return 0;
    free_cells(t, n * t->ncolumns);
    t->ncells = n * t->ncolumns;
    return rows - n;
}

bool table_is_whole(const struct table *t)
{
    bool whole = !t->failed;
    for (size_t i = 0; whole && i < t->ncells; i++)
        whole = t->cells[i].type != TABLE_ROWS || table_is_whole(t->cells[i].rows);
    return whole;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static bool add(struct table *t, struct table_cell cell)
{
    if (t->failed || (t->ncells == t->cap && !vec_grow((void **)&t->cells, &t->cap, sizeof *t->cells)))
        t->failed = true;
    else
        t->cells[t->ncells++] = cell;
    return !t->failed;
}

static void add_text(struct table *t, enum table_type type, char *text)
{
    t->failed |= !text;
    if (!add(t, (struct table_cell){.type = type, .text = text}))
        free(text);
}

void table_cell(struct table *t, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    add_text(t, TABLE_TEXT, text);
}

void table_text(struct table *t, const char *text)
{
    if (text)
        add_text(t, TABLE_TEXT, strdup(text));
    else
        table_none(t, "-");
}

void table_stack(struct table *t, const char *stack) { add_text(t, TABLE_STACK, strdup(stack)); }
void table_none(struct table *t, const char *shown) { add(t, (struct table_cell){.shown = shown}); }
void table_count(struct table *t, uint64_t n) { add(t, (struct table_cell){.type = TABLE_COUNT, .n = n}); }
void table_time(struct table *t, uint64_t ns) { add(t, (struct table_cell){.type = TABLE_TIME, .n = ns}); }
void table_real(struct table *t, double x) { add(t, (struct table_cell){.type = TABLE_REAL, .real = x}); }
void table_flag(struct table *t, bool yes) { add(t, (struct table_cell){.type = TABLE_FLAG, .n = yes}); }

void table_share(struct table *t, uint64_t part, uint64_t all)
{
    add(t, (struct table_cell){.type = TABLE_SHARE, .share = {part, all}});
}

void table_end_row(struct table *t)
{
    while (!t->failed && t->ncells % t->ncolumns)
        table_none(t, "");
}

struct table *table_rows(struct table *t, const struct table_column *columns)
{
    struct table *rows = malloc(sizeof *rows);
    if (!rows) {
        t->failed = true;
        return NULL;
    }
    table_init(rows, NULL, columns);
    if (add(t, (struct table_cell){.type = TABLE_ROWS, .rows = rows}))
        return rows;
    free(rows);
    return NULL;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

const char *table_format_bytes(char text[TABLE_BYTES_SIZE], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    unsigned unit = 0;
    while (unit < 3 && bytes >> 10 * unit >= 10240)
        unit++;
    if (unit)
        snprintf(text, TABLE_BYTES_SIZE, "%.1f %s", (double)bytes / (double)(UINT64_C(1) << 10 * unit), units[unit]);
    else
        snprintf(text, TABLE_BYTES_SIZE, "%" PRIu64 " bytes", bytes);
    return text;
}

const char *table_format_time(char text[TABLE_TIME_SIZE], uint64_t ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"µs", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    if (ns < 1000) {
        snprintf(text, TABLE_TIME_SIZE, "%" PRIu64 " ns", ns);
        return text;
    }
    for (int u = 0; u < 3; u++) {
        uint64_t step = units[u].ns / 100;
        for (int decimals = 2; decimals >= 0; decimals--, step *= 10) {
            uint64_t n = ns / step + (ns % step >= step / 2), ten = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
            if (n >= 1000 && (u < 2 || decimals))
                continue;
            if (decimals)
                snprintf(text, TABLE_TIME_SIZE, "%" PRIu64 ".%0*" PRIu64 " %s", n / ten, decimals, n % ten,
                         units[u].name);
            else
                snprintf(text, TABLE_TIME_SIZE, "%" PRIu64 " %s", n, units[u].name);
            return text;
        }
    }
    return text;
}

/* What stands in the column; texts as they are. */
static const char *shown(const struct table_cell *c, char text[TABLE_TIME_SIZE])
{
    switch (c->type) {
    case TABLE_TEXT:
    case TABLE_STACK: return c->text;
    case TABLE_NONE: return c->shown;
    case TABLE_TIME: return table_format_time(text, c->n);
    case TABLE_FLAG: return c->n ? "yes" : "no";
    case TABLE_COUNT: snprintf(text, TABLE_TIME_SIZE, "%" PRIu64, c->n); return text;
    case TABLE_REAL: snprintf(text, TABLE_TIME_SIZE, "%.4g", c->real); return text;
    case TABLE_SHARE:
        snprintf(text, TABLE_TIME_SIZE, "%.1f%%",
                 c->share.all ? 100.0 * (double)c->share.part / (double)c->share.all : 0.0);
        return text;
    default: return "";
    }
}

static size_t width(const char *text) { return lines_columns(text, strlen(text)); }

static void pad(FILE *out, size_t have, size_t want)
{
    for (; have < want; have++)
        putc(' ', out);
}

static bool is_left(const char *title) { return *title == '<'; }

struct layout {
    size_t columns[COLUMNS], wide[COLUMNS];
    size_t n;     /* of those that are in text */
    size_t width; /* of lines */
};

/* The text that ends a row: its first line goes on below if it is too long, what follows is lines already. */
static void print_last(const struct layout *l, const char *text, bool lines, FILE *out)
{
    struct lines at = {.out = out, .width = l->width};
    size_t first = strcspn(text, "\n");
    char *line = strndup(text, first);
    for (size_t i = 0; i + 1 < l->n; i++)
        at.at += l->wide[i] + 2;
    at.at += 2;
    if (line)
        lines_words(&at, line);
    else
        fwrite(text, 1, first, out);
    free(line);
    if (lines)
        lines_stack(&at, text + first + !!text[first]);
    else
        fputs(text + first, out);
}

static void print_cell(const struct table *t, const struct layout *l, size_t i, const char *text, bool lines, FILE *out)
{
    bool left = is_left(t->columns[l->columns[i]].title);
    fputs("  ", out);
    if (!left)
        pad(out, width(text), l->wide[i]);
    if (left && i + 1 == l->n) {
        print_last(l, text, lines, out);
        return;
    }
    fputs(text, out);
    if (left)
        pad(out, width(text), l->wide[i]);
}

static void lay_out(const struct table *t, struct layout *l)
{
    char text[TABLE_TIME_SIZE];
    l->n = 0;
    for (size_t c = 0; c < t->ncolumns && l->n < COLUMNS; c++) {
        const char *title = t->columns[c].title;
        if (!title)
            continue;
        size_t wide = width(title + is_left(title));
        for (size_t i = c; i < t->ncells; i += t->ncolumns) {
            size_t w = width(shown(&t->cells[i], text));
            wide = w > wide ? w : wide;
        }
        l->columns[l->n] = c;
        l->wide[l->n++] = wide;
    }
}

void table_print(const struct table *t, FILE *out)
{
    char text[TABLE_TIME_SIZE];
    struct layout l;
    lay_out(t, &l);
    l.width = t->rows_are_lines ? SIZE_MAX : lines_width(out);
    for (size_t i = 0; i < l.n; i++) {
        const char *title = t->columns[l.columns[i]].title;
        print_cell(t, &l, i, title + is_left(title), false, out);
    }
    putc('\n', out);
    for (size_t row = 0; row < t->ncells; row += t->ncolumns) {
        for (size_t i = 0; i < l.n; i++) {
            const struct table_cell *c = &t->cells[row + l.columns[i]];
            print_cell(t, &l, i, shown(c, text), c->type == TABLE_STACK, out);
        }
        putc('\n', out);
    }
}
