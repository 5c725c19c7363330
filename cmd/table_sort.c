/* The order of a table's rows. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/table.h"

struct key {
    const struct table_cell *cell;
    size_t row;
};

static int compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    const struct table_cell *p = x->cell, *q = y->cell;
    int order = 0;
    if (p->type != q->type)
        order = (p->type == TABLE_NONE) - (q->type == TABLE_NONE); /* what is not known comes last */
    else if (p->type == TABLE_TEXT || p->type == TABLE_STACK)
        order = strcmp(p->text, q->text);
    else if (p->type == TABLE_SHARE)
        order = (p->share.part < q->share.part) - (p->share.part > q->share.part);
    else if (p->type != TABLE_NONE && p->type != TABLE_ROWS)
        order = (p->n < q->n) - (p->n > q->n);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static size_t column_of(const struct table *t, const char *title)
{
    size_t c = 0;
    for (; c < t->ncolumns; c++) {
        const char *is = t->columns[c].title;
        if (is && !strcasecmp(is + (*is == '<'), title))
            break;
    }
    return c;
}

bool table_sort(struct table *t, const char *title)
{
    size_t column = column_of(t, title), n = t->ncells / t->ncolumns, wide = t->ncolumns;
    if (column == wide)
        return false;
    if (!n)
        return true;
    struct key *keys = calloc(n + 1, sizeof *keys);
    struct table_cell *cells = calloc(t->ncells + 1, sizeof *cells);
    if (keys && cells) {
        for (size_t row = 0; row < n; row++)
            keys[row] = (struct key){&t->cells[row * wide + column], row};
        qsort(keys, n, sizeof *keys, compare);
        for (size_t row = 0; row < n; row++)
            memcpy(&cells[row * wide], &t->cells[keys[row].row * wide], wide * sizeof *cells);
        memcpy(t->cells, cells, t->ncells * sizeof *cells);
    }
    t->failed |= !keys || !cells;
    free(keys);
    free(cells);
    return !t->failed;
}
