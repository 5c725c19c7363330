/* CPU samples are written when somebody gets to it, and have the time at which they were taken. */
#include <stdlib.h>

#include "parser/gosort.h"
#include "parser/v1/parse.h"

/* Those with the same time stay as they were written, which Go only sees to up to 1.21. */
static int earlier(const void *a, const void *b)
{
    const struct v1_event *l = a, *r = b;
    if (l->time != r->time)
        return l->time < r->time ? -1 : 1;
    return l->at < r->at ? -1 : 1;
}

static bool sort_as_go(struct v1_parse *s)
{
    size_t n = s->samples.n;
    struct keyed *keys = calloc(n + 1, sizeof *keys);
    struct v1_event *sorted = calloc(n + 1, sizeof *sorted);
    bool ok = (keys && sorted) || v1_no_memory(s);
    for (size_t i = 0; ok && i < n; i++)
        keys[i] = (struct keyed){s->samples.v[i].time, i};
    if (ok)
        gosort(keys, n);
    for (size_t i = 0; ok && i < n; i++)
        sorted[i] = s->samples.v[keys[i].value];
    for (size_t i = 0; ok && i < n; i++)
        s->samples.v[i] = sorted[i];
    free(keys);
    free(sorted);
    return ok;
}

bool v1_sort_samples(struct v1_parse *s)
{
    if (s->view != V1_AS_GO_1_21)
        return sort_as_go(s);
    if (s->samples.n)
        qsort(s->samples.v, s->samples.n, sizeof *s->samples.v, earlier);
    return true;
}
