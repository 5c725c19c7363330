#include "cmd/stat_rows.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/stat_parts.h"
#include "parser/analyze/spread.h"

static void add(struct stat_row *row, const struct stat_group *g, struct need_sum need)
{
    row->sum.count += g->count;
    row->sum.total += g->total;
    row->sum.max = g->max > row->sum.max ? g->max : row->sum.max;
    row->need.count += need.count;
    row->need.ns += need.ns;
    if (row->sum.spread && g->spread)
        spread_add_all(row->sum.spread, g->spread, SPREAD_COARSE);
}

static struct need_sum need_of(const struct need_sums *needs, uint32_t number)
{
    return needs ? needs_of(needs, number) : (struct need_sum){0};
}

static bool add_group(struct stat_rows *rows, struct idmap *index, const struct stat_group *g, uint64_t key,
                      struct need_sum need)
{
    uint32_t known = idmap_get(index, key);
    struct stat_row *row = &rows->v[known ? known - 1 : rows->n];
    if (!known) {
        uint32_t *spread = g->spread ? spread_new(SPREAD_COARSE) : NULL;
        *row = (struct stat_row){.sum = {.key = key, .number = (uint32_t)rows->n, .spread = spread}};
        rows->n++;
        if ((g->spread && !spread) || !idmap_add(index, key, (uint32_t)rows->n))
            return false;
    }
    add(row, g, need);
    rows->row_of[g->number] = row->sum.number;
    rows->next[g->number] = row->first;
    row->first = g->number + 1;
    return true;
}

bool stat_rows_make(struct stat_rows *rows, const struct stat_groups *groups, const struct need_sums *needs,
                    stat_row_key_fn *key, const void *arg)
{
    struct idmap index = {0};
    size_t n = groups->list.n;
    *rows = (struct stat_rows){.groups = groups};
    rows->v = calloc(n + 1, sizeof *rows->v);
    rows->next = calloc(n + 1, sizeof *rows->next);
    rows->row_of = calloc(n + 1, sizeof *rows->row_of);
    bool ok = rows->v && rows->next && rows->row_of;
    for (size_t i = 0; ok && i < n; i++) {
        const struct stat_group *g = &groups->list.v[i];
        ok = add_group(rows, &index, g, key(arg, g), need_of(needs, g->number));
    }
    idmap_free(&index);
    if (ok && groups->others.count)
        rows->v[rows->n++] = (struct stat_row){.sum = groups->others, .need = need_of(needs, groups->others.number)};
    return ok;
}

void stat_rows_free(struct stat_rows *rows)
{
    for (size_t i = 0; rows->v && i < rows->n; i++)
        free(rows->v[i].sum.spread);
    free(rows->v);
    free(rows->next);
    free(rows->row_of);
}

static int by_total(const void *a, const void *b)
{
    const struct stat_row *x = a, *y = b;
    if (!x->first != !y->first) /* what shares a row comes last */
        return !x->first - !y->first;
    return stat_by_total(&x->sum, &y->sum);
}

static int by_need(const void *a, const void *b)
{
    const struct stat_row *x = a, *y = b;
    if (!x->first != !y->first || x->need.ns == y->need.ns)
        return by_total(a, b);
    return x->need.ns < y->need.ns ? 1 : -1;
}

void stat_rows_sort(struct stat_rows *rows, bool need)
{
    if (rows->n)
        qsort(rows->v, rows->n, sizeof *rows->v, need ? by_need : by_total);
}

struct stat_row stat_rows_rest(const struct stat_rows *rows, size_t n)
{
    struct stat_row rest = {.first = 0};
    for (; n < rows->n; n++)
        add(&rest, &rows->v[n].sum, rows->v[n].need);
    return rest;
}

const struct stat_group *stat_row_main(const struct stat_rows *rows, const struct stat_row *row)
{
    const struct stat_group *best = NULL;
    for (uint32_t i = row->first; i; i = rows->next[i - 1]) {
        const struct stat_group *g = &rows->groups->list.v[i - 1];
        if (!best || stat_by_total(g, best) < 0)
            best = g;
    }
    return best;
}

void stat_row_times(const struct stat_row *row, const struct report *r, struct table *t)
{
    table_time(t, row->sum.total);
    table_count(t, row->sum.count);
    for (unsigned percent = r->brief ? 99 : 50; percent < 100; percent += 49) {
        if (row->sum.spread)
            table_time(t, stat_group_percentile(&row->sum, percent));
        else
            table_none(t, "-");
    }
    table_time(t, row->sum.max);
}
