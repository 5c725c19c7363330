/* A report: facts and tables, as text for people or as JSON or CSV for programs. docs/stat-json.md has the latter. */
#ifndef THRACE_CMD_REPORT_H
#define THRACE_CMD_REPORT_H

#include "cmd/export/json.h"
#include "cmd/table.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/* All rows. */
#define REPORT_ALL ((size_t)UINT32_MAX)

struct report {
    FILE *out;
    enum report_format format;
    size_t rows;      /* of a table, at most */
    bool brief, few;  /* a first screen; each table has as many rows as fit there */
    size_t width;     /* of lines of text */
    bool color;       /* text has */
    const char *sort; /* the title of a column, or NULL */
    bool sorted;      /* a table had it */
    size_t limit;     /* how many rows of a sorted table are shown */
    bool one_table;   /* in CSV nothing tells it from others */
    struct json json;
    const char *open; /* the table whose rows came last */
};

void report_init(struct report *r, enum report_format format, FILE *out, size_t rows);

/*
 * How many rows to give report_table() of a table that has `few` of them on a screen: all, when that sorts and limits
 * them.
 */
static inline size_t report_rows(struct report *r, size_t few)
{
    r->limit = r->brief && r->few ? few : r->rows;
    return r->sort ? REPORT_ALL : r->limit;
}

/* For programs: all that there is, and not what fits a screen. */
static inline bool report_is_data(const struct report *r) { return r->format != REPORT_TEXT; }

/* Of JSON: the document, which holds tables and what is written between begin and the first of them. */
void report_begin(struct report *r, const char *schema, unsigned version);
void report_end(struct report *r);

/*
 * Writes the table's rows, and frees it. In text it has the title, and stands there only if it has rows; otherwise one
 * with the name of the last goes on with that, and has the same columns. False: memory was short.
 */
bool report_table(struct report *r, struct table *t, const char *title);

/* What follows is shown page by page, if it is text for a terminal. */
void report_pages(const struct report *r);

/* A heading, above a table or sentences. Only text has it. */
void report_title(struct report *r, const char *title);

/* What comes next is no row of the last table. */
void report_end_table(struct report *r);

/* Something that only text says. */
__attribute__((format(printf, 2, 3))) void report_note(struct report *r, const char *fmt, ...);

#endif
