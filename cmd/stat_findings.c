#include "cmd/stat_findings.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finding_text.h"
#include "cmd/lines.h"
#include "cmd/terminal.h"

enum { SHOWN = 6, FIRST = 2, NEXT = 4 };

static void put_sentence(const char *words, struct report *r)
{
    struct lines l = {.out = r->out, .at = FIRST, .width = r->width, .deeper = NEXT};
    size_t title = strcspn(words, ":");
    fprintf(r->out, "%*s%s%.*s%s", FIRST, "", style_begin(r->color, STYLE_WARNING), (int)title, words,
            style_begin(r->color, STYLE_PLAIN));
    l.at += lines_columns(words, title);
    lines_words(&l, words + title);
    putc('\n', r->out);
}

static void text_cell(const struct stat *s, struct table *t, uint32_t n)
{
    const char *text = stat_text_of(&s->spans.texts, n);
    table_text(t, n && *text ? text : NULL);
}

static bool row(const struct stat *s, struct table *t, const struct finding *it)
{
    char *words = finding_sentence(s, it);
    if (!words)
        return false;
    table_text(t, finding_word(it->kind));
    text_cell(s, t, it->object ? s->blame.objects.v[it->object - 1].is.text : 0);
    text_cell(s, t, it->owner);
    text_cell(s, t, it->site);
    text_cell(s, t, it->doing);
    table_flag(t, it->executes);
    text_cell(s, t, it->waiter);
    text_cell(s, t, it->place);
    table_count(t, it->waits);
    table_time(t, it->cost);
    table_share(t, it->cost, (uint64_t)s->spans.end - (uint64_t)s->spans.begin);
    table_text(t, words);
    free(words);
    return true;
}

static bool data(const struct stat *s, const struct finding_list *list, struct report *r)
{
    static const struct table_column columns[] = {
        {"kind", NULL}, {"object", NULL}, {"culprit", NULL}, {"culprit_place", NULL}, {"culprit_doing", NULL},
        {"executes", NULL}, {"waiter", NULL}, {"waiter_place", NULL}, {"waits", NULL}, {"cost_ns", NULL},
        {"share", NULL}, {"text", NULL}, {NULL, NULL}};
    struct table t;
    table_init(&t, "findings", columns);
    for (size_t i = 0; i < list->n; i++)
        t.failed |= !row(s, &t, &list->v[i]);
    return report_table(r, &t, "");
}

bool stat_findings(const struct stat *s, struct report *r)
{
    struct finding_list *list = calloc(1, sizeof *list);
    bool ok = true;
    if (!list)
        return false;
    if (!s->spans.filter)
        findings_judge(&s->findings, list);
    if (report_is_data(r)) {
        ok = data(s, list, r);
        free(list);
        return ok;
    }
    if (list->n)
        report_title(r, "Findings");
    for (size_t i = 0; ok && i < list->n && i < SHOWN; i++) {
        char *words = finding_sentence(s, &list->v[i]);
        ok = words;
        if (ok)
            put_sentence(words, r);
        free(words);
    }
    free(list);
    return ok;
}
