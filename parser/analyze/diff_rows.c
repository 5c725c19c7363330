#include "parser/analyze/diff_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 }; /* texts are shorter */

const char *const diff_metric_names[DIFF_METRICS] = {
    [DIFF_CPU] = "cpu",         [DIFF_LOCK] = "lock",         [DIFF_WAIT] = "wait",
    [DIFF_SYSCALL] = "syscall", [DIFF_RUNNABLE] = "runnable", [DIFF_THREAD] = "thread"};

/* ---- folding ---------------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t hex_digits(const char *s) { return strspn(s, "0123456789abcdefABCDEF"); }

static bool is_of_a_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

/* Whether the number at p is folded. */
static bool folds(enum diff_metric metric, const char *name, const char *p, size_t digits)
{
    if (metric == DIFF_THREAD)
        return !(p - name >= 4 && !memcmp(p - 4, "func", 4));
    return metric == DIFF_LOCK && (p == name || !is_of_a_word(p[-1])) && !is_of_a_word(p[digits]);
}

void diff_fold(enum diff_metric metric, const char *name, char *to, size_t size)
{
    char *end = to + size - 1;
    const char *p = name;
    while (*p && to < end) {
        size_t digits = strspn(p, "0123456789");
        if (*p == '0' && p[1] == 'x' && hex_digits(p + 2) && (p == name || !is_of_a_word(p[-1]))) {
            for (const char *q = "0x#"; *q && to < end; q++)
                *to++ = *q;
            p += 2 + hex_digits(p + 2);
        } else if (digits && (p == name || !is_digit(p[-1])) && folds(metric, name, p, digits)) {
            *to++ = '#';
            p += digits;
        } else {
            *to++ = *p++;
        }
    }
    *to = 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static uint64_t hash(enum diff_metric metric, const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) + (uint64_t)metric;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

bool diff_row_matches(const struct diff_row *row, enum diff_metric metric, const regex_t *name)
{
    return row->metric == metric && (!name || !regexec(name, row->name, 0, NULL, 0));
}

static bool add(struct diff_rows *r, enum diff_metric metric, const char *name)
{
    char *copy = strdup(name);
    if (!copy || !VEC_ROOM(&r->list)) {
        free(copy);
        r->failed = true;
        return false;
    }
    struct diff_row *row = &r->list.v[r->list.n++];
    *row = (struct diff_row){.metric = metric, .name = copy};
    for (size_t w = 0; w < r->watches.n; w++)
        if (diff_row_matches(row, r->watches.v[w].metric, r->watches.v[w].name))
            row->watched |= UINT32_C(1) << w;
    return true;
}

bool diff_rows_init(struct diff_rows *r)
{
    *r = (struct diff_rows){.failed = false};
    for (int m = 0; m < DIFF_METRICS; m++)
        if (!add(r, (enum diff_metric)m, "others"))
            return false;
    return true;
}

void diff_rows_free(struct diff_rows *r)
{
    for (size_t i = 0; i < r->list.n; i++)
        free(r->list.v[i].name);
    VEC_FREE(&r->list);
    VEC_FREE(&r->watches);
    idmap_free(&r->index);
}

unsigned diff_rows_watch(struct diff_rows *r, enum diff_metric metric, const regex_t *name)
{
    if (r->watches.n == DIFF_WATCHES || !VEC_ROOM(&r->watches))
        return DIFF_WATCHES;
    unsigned w = (unsigned)r->watches.n++;
    r->watches.v[w] = (struct diff_watch){metric, name};
    if (!name)
        r->list.v[metric].watched |= UINT32_C(1) << w;
    return w;
}

uint32_t diff_rows_find(struct diff_rows *r, enum diff_metric metric, const char *name)
{
    char folded[NAME_SIZE];
    diff_fold(metric, name, folded, sizeof folded);
    uint64_t h = hash(metric, folded);
    uint32_t found;
    for (; (found = idmap_get(&r->index, h)); h++)
        if (r->list.v[found - 1].metric == metric && !strcmp(r->list.v[found - 1].name, folded))
            return found - 1;
    uint32_t n = (uint32_t)r->list.n;
    if (n == DIFF_ROWS || !add(r, metric, folded))
        return metric;
    if (!idmap_add(&r->index, h, n + 1))
        r->failed = true;
    return n;
}
