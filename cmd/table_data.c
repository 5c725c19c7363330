#include "cmd/table_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"

static double share_of(const struct table_cell *c)
{
    return c->share.all ? (double)c->share.part / (double)c->share.all : 0;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static bool is_decimal(const char *s, size_t len)
{
    bool digits = len > 0;
    for (size_t i = 0; i < len; i++)
        digits &= s[i] >= '0' && s[i] <= '9';
    return digits && len < 20;
}

/*
 * "function (file:line)". A function may have parentheses itself, and may have no file. So what the last parentheses
 * have is the file only if a blank is in front of them and none are inside.
 */
static void json_frame(struct json *j, const char *frame, size_t len)
{
    const char *open = len && frame[len - 1] == ')' ? memrchr(frame, '(', len) : NULL;
    size_t inside = open ? (size_t)(frame + len - 1 - (open + 1)) : 0;
    json_open(j, '{');
    if (!open || open < frame + 2 || open[-1] != ' ' || !inside || memchr(open + 1, ')', inside)) {
        json_key(j, "function");
        json_string(j, frame, len);
        json_close(j, '}');
        return;
    }
    const char *file = open + 1, *colon = memrchr(file, ':', inside);
    size_t file_len = colon ? (size_t)(colon - file) : inside;
    bool line = colon && is_decimal(colon + 1, inside - file_len - 1);
    json_key(j, "function");
    json_string(j, frame, (size_t)(open - 1 - frame));
    json_key(j, "file");
    json_string(j, file, line ? file_len : inside);
    if (line) {
        json_key(j, "line");
        json_number(j, strtoull(colon + 1, NULL, 10));
    }
    json_close(j, '}');
}

static void json_stack(struct json *j, const char *stack)
{
    json_open(j, '[');
    while (*stack) {
        size_t len = strcspn(stack, "\n");
        json_frame(j, stack, len);
        stack += len + (stack[len] == '\n');
    }
    json_close(j, ']');
}

static void json_cell(struct json *j, const struct table_cell *c)
{
    switch (c->type) {
    case TABLE_NONE: json_null(j); break;
    case TABLE_TEXT: json_text(j, c->text); break;
    case TABLE_COUNT:
    case TABLE_TIME: json_number(j, c->n); break;
    case TABLE_SHARE: json_ratio(j, share_of(c)); break;
    case TABLE_REAL:
        if (isfinite(c->real))
            json_ratio(j, c->real);
        else
            json_null(j);
        break;
    case TABLE_FLAG: json_bool(j, c->n); break;
    case TABLE_STACK: json_stack(j, c->text); break;
    case TABLE_ROWS:
        json_open(j, '[');
        table_json_rows(c->rows, j);
        json_close(j, ']');
        break;
    }
}

void table_json_rows(const struct table *t, struct json *j)
{
    for (size_t row = 0; row < t->ncells; row += t->ncolumns) {
        json_open(j, '{');
        for (size_t c = 0; c < t->ncolumns; c++) {
            if (!t->columns[c].key)
                continue;
            json_key(j, t->columns[c].key);
            json_cell(j, &t->cells[row + c]);
        }
        json_close(j, '}');
    }
}

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

static void csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, "\",\r\n")]) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* The cell as JSON has it. */
static bool csv_json(FILE *out, const struct table_cell *c)
{
    char *text = NULL;
    size_t size;
    struct json j;
    FILE *f = memory_file(&text, &size);
    if (!f)
        return false;
    json_init(&j, f, 0);
    json_cell(&j, c);
    bool ok = !fclose(f);
    if (ok)
        csv_text(out, text);
    free(text);
    return ok;
}

static bool csv_cell(FILE *out, const struct table_cell *c)
{
    switch (c->type) {
    case TABLE_NONE: return true;
    case TABLE_REAL:
        if (!isfinite(c->real))
            return true;
        return csv_json(out, c);
    case TABLE_TEXT:
    case TABLE_STACK: csv_text(out, c->text); return true;
    default: return csv_json(out, c);
    }
}

static void separate(FILE *out, bool *any)
{
    if (*any)
        putc(',', out);
    *any = true;
}

void table_csv_header(const struct table *t, FILE *out)
{
    bool any = false;
    for (size_t c = 0; c < t->ncolumns; c++) {
        if (!t->columns[c].key)
            continue;
        separate(out, &any);
        csv_text(out, t->columns[c].key);
    }
    putc('\n', out);
}

bool table_csv_rows(const struct table *t, FILE *out)
{
    bool ok = true;
    for (size_t row = 0; ok && row < t->ncells; row += t->ncolumns) {
        bool any = false;
        for (size_t c = 0; ok && c < t->ncolumns; c++) {
            if (!t->columns[c].key)
                continue;
            separate(out, &any);
            ok = csv_cell(out, &t->cells[row + c]);
        }
        putc('\n', out);
    }
    return ok;
}
