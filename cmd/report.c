#include "cmd/report.h"

#include <stdarg.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/table_data.h"
#include "cmd/terminal.h"

/* In JSON each row of a table is a line. */
enum { LINES = 2 };

void report_init(struct report *r, enum report_format format, FILE *out, size_t rows)
{
    *r = (struct report){.out = out, .format = format, .rows = rows, .width = lines_width(out)};
    r->color = wants_color(out);
    json_init(&r->json, out, LINES);
}

void report_begin(struct report *r, const char *schema, unsigned version)
{
    if (r->format != REPORT_JSON)
        return;
    json_open(&r->json, '{');
    json_key(&r->json, "schema");
    json_text(&r->json, schema);
    json_key(&r->json, "version");
    json_number(&r->json, version);
}

void report_end(struct report *r)
{
    if (r->format != REPORT_JSON || !r->json.depth)
        return;
    report_end_table(r);
    json_close(&r->json, '}');
    putc('\n', r->out);
}

void report_pages(const struct report *r)
{
    if (r->format == REPORT_TEXT && r->out == stdout)
        begin_pages();
}

void report_title(struct report *r, const char *title)
{
    report_note(r, "\n%s%s%s\n", style_begin(r->color, STYLE_TITLE), title, style_begin(r->color, STYLE_PLAIN));
}

static void text_table(struct report *r, const struct table *t, const char *title)
{
    if (!t->ncells)
        return;
    report_title(r, title);
    table_print(t, r->out);
}

void report_end_table(struct report *r)
{
    if (r->format == REPORT_JSON && r->open)
        json_close(&r->json, ']');
    if (r->format == REPORT_JSON)
        r->open = NULL;
}

static void begin_table(struct report *r, const struct table *t)
{
    if (r->format == REPORT_JSON) {
        report_end_table(r);
        json_key(&r->json, t->name);
        json_open(&r->json, '[');
    } else {
        if (!r->one_table)
            fprintf(r->out, "%s# %s\n", r->open ? "\n" : "", t->name);
        table_csv_header(t, r->out);
    }
    r->open = t->name;
}

static bool data_table(struct report *r, const struct table *t)
{
    if (!r->open || strcmp(r->open, t->name) != 0)
        begin_table(r, t);
    if (r->format == REPORT_CSV)
        return table_csv_rows(t, r->out);
    table_json_rows(t, &r->json);
    return true;
}

/* Returns how many rows are left out. */
static size_t sort(struct report *r, struct table *t)
{
    if (!r->sort)
        return 0;
    r->sorted |= table_sort(t, r->sort);
    return table_cut(t, r->limit);
}

bool report_table(struct report *r, struct table *t, const char *title)
{
    size_t left_out = sort(r, t);
    bool ok = table_is_whole(t);
    if (ok && r->format == REPORT_TEXT)
        text_table(r, t, title);
    else if (ok)
        ok = data_table(r, t);
    table_free(t);
    if (ok && left_out)
        report_note(r, "  and %zu more\n", left_out);
    return ok;
}

void report_note(struct report *r, const char *fmt, ...)
{
    va_list ap;
    if (r->format != REPORT_TEXT)
        return;
    va_start(ap, fmt);
    vfprintf(r->out, fmt, ap);
    va_end(ap);
}
