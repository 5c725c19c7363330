#include "cmd/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "parser/vec.h"

void table_init(struct table *t, const char *const *titles)
{
    *t = (struct table){.titles = titles};
    while (titles[t->ncolumns])
        t->ncolumns++;
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->ncells; i++)
        free(t->cells[i]);
    free(t->cells);
}

void table_cell(struct table *t, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;
    if (t->ncells == t->cap && !vec_grow((void **)&t->cells, &t->cap, sizeof *t->cells)) {
        t->failed = true;
        return;
    }
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        t->failed = true;
    else
        t->cells[t->ncells++] = text;
    va_end(ap);
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
                snprintf(text, TABLE_TIME_SIZE, "%" PRIu64 ".%0*" PRIu64 " %s", n / ten, decimals, n % ten, units[u].name);
            else
                snprintf(text, TABLE_TIME_SIZE, "%" PRIu64 " %s", n, units[u].name);
            return text;
        }
    }
    return text;
}

void table_time(struct table *t, uint64_t ns)
{
    char text[TABLE_TIME_SIZE];
    table_cell(t, "%s", table_format_time(text, ns));
}

/* Characters of UTF-8, each taken to be one column wide. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

static void pad(FILE *out, size_t have, size_t want)
{
    for (; have < want; have++)
        putc(' ', out);
}

static bool is_left(const char *title) { return *title == '<'; }

static void print_cell(const struct table *t, FILE *out, size_t column, const char *text, size_t wide)
{
    bool left = is_left(t->titles[column]);
    fputs("  ", out);
    if (!left)
        pad(out, width(text), wide);
    fputs(text, out);
    if (left && column + 1 < t->ncolumns)
        pad(out, width(text), wide);
}

void table_print(const struct table *t, FILE *out)
{
    size_t wide[TABLE_COLUMNS];
    for (size_t c = 0; c < t->ncolumns; c++) {
        const char *title = t->titles[c];
        wide[c] = width(title + is_left(title));
        for (size_t i = c; i < t->ncells; i += t->ncolumns)
            if (width(t->cells[i]) > wide[c])
                wide[c] = width(t->cells[i]);
    }
    for (size_t c = 0; c < t->ncolumns; c++)
        print_cell(t, out, c, t->titles[c] + is_left(t->titles[c]), wide[c]);
    putc('\n', out);
    for (size_t i = 0; i < t->ncells; i++) {
        print_cell(t, out, i % t->ncolumns, t->cells[i], wide[i % t->ncolumns]);
        if (i % t->ncolumns + 1 == t->ncolumns)
            putc('\n', out);
    }
}
