/* From the ticks at which events were written to those at which they happened. */
#include <stdlib.h>

#include "parser/v1/parse.h"

static int earlier(const void *a, const void *b)
{
    const struct v1_exit *l = a, *r = b;
    if (l->ticks != r->ticks)
        return l->ticks < r->ticks ? -1 : 1;
    return l->number < r->number ? -1 : 1;
}

bool v1_clock(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    if (t->exits.n)
        qsort(t->exits.v, t->exits.n, sizeof *t->exits.v, earlier);
    v1_rewind(t);
    v1_next(t);
    t->first = (uint64_t)t->cursor.ticks; /* no exit comes first: the event with which its call blocked is before it */
    t->ns_per_tick = 1e9 / (double)t->ticks_per_second;
    return true;
}
