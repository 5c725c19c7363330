/* CPU samples are written when somebody gets to it, and have the time at which they were taken. */
#include <stdlib.h>

#include "parser/gosort.h"
#include "parser/v1/parse.h"

/* Those with the same time stay as they were written, which Go only sees to up to 1.21. */
static int earlier(const void *a, const void *b)
{
    const struct v1_kept *l = a, *r = b;
    if (l->ticks != r->ticks)
        return l->ticks < r->ticks ? -1 : 1;
    return l->at < r->at ? -1 : 1;
}

static bool sort_as_go(struct v1_parse *s)
{
    struct v1_kept *samples = s->t->kept.v;
    size_t n = s->t->kept.n;
    struct keyed *keys = calloc(n + 1, sizeof *keys);
    struct v1_kept *sorted = calloc(n + 1, sizeof *sorted);
    bool ok = (keys && sorted) || v1_no_memory(s);
    for (size_t i = 0; ok && i < n; i++)
        keys[i] = (struct keyed){samples[i].ticks, i};
    if (ok)
        gosort(keys, n);
    for (size_t i = 0; ok && i < n; i++)
        sorted[i] = samples[keys[i].value];
    for (size_t i = 0; ok && i < n; i++)
        samples[i] = sorted[i];
    free(keys);
    free(sorted);
    return ok;
}

bool v1_sort_samples(struct v1_parse *s)
{
    if (s->t->view != V1_AS_GO_1_21)
        return sort_as_go(s);
    if (s->t->kept.n)
        qsort(s->t->kept.v, s->t->kept.n, sizeof *s->t->kept.v, earlier);
    return true;
}
