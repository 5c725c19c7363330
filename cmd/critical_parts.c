#include "cmd/critical_parts.h"

#include <stdlib.h>

static int by_ns(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->key > y->key) - (x->key < y->key);
}

static void add_part(struct critical_parts *r, enum section section, struct part part)
{
    if (!part.ns)
        return;
    if (VEC_ROOM(&r->parts[section]))
        r->parts[section].v[r->parts[section].n++] = part;
    else
        r->failed = true;
}

static void add_deeds(struct critical_parts *r)
{
    static const enum section sections[GOTRACE_STATE_IDLE] = {[GOTRACE_STATE_RUNNING] = FUNCTIONS,
                                                              [GOTRACE_STATE_SYSCALL] = CALLS,
                                                              [GOTRACE_STATE_WAITING] = WAITS};
    for (size_t i = 0; i < r->sums.deeds.list.n; i++) {
        const struct stat_group *g = &r->sums.deeds.list.v[i];
        enum section section = sections[path_deed_state(g->key)];
        if (section)
            add_part(r, section, (struct part){PATH_DEED, g->key, g->total, g->count, 0});
    }
}

static void add_all(struct critical_parts *r)
{
    for (unsigned state = 0; state < GOTRACE_STATE_IDLE; state++)
        add_part(r, STATES, (struct part){PATH_STATE, state, r->sums.state[state], 0, 0});
    add_deeds(r);
    for (size_t i = 0; i < r->sums.objects.list.n; i++)
        add_part(r, OBJECTS,
                 (struct part){PATH_OBJECT, r->sums.objects.list.v[i].key, r->sums.objects.list.v[i].total, 0, 0});
    for (size_t i = 0; i < r->sums.names.n; i++) {
        const struct path_name *n = &r->sums.names.v[i];
        add_part(r, NAMES, (struct part){PATH_NAME, n->name, n->ns, n->nthreads, 0});
    }
}

size_t critical_parts_shown(const struct critical_parts *r, enum section section)
{
    return section == STATES || r->parts[section].n < r->report->rows ? r->parts[section].n : r->report->rows;
}

/* What each row that is shown would save. */
static bool find_savings(struct critical_parts *r)
{
    VEC(struct path_saving) all = {NULL, 0, 0};
    bool ok = !r->failed;
    for (int k = 0; k < SECTIONS; k++) {
        if (r->parts[k].n)
            qsort(r->parts[k].v, r->parts[k].n, sizeof *r->parts[k].v, by_ns);
        for (size_t i = 0; ok && i < critical_parts_shown(r, k); i++) {
            const struct part *p = &r->parts[k].v[i];
            ok = VEC_ROOM(&all);
            if (ok)
                all.v[all.n++] = (struct path_saving){p->what, p->key, k == OBJECTS ? r->sums.total : p->ns};
        }
    }
    ok = ok && path_saves(r->c, r->end, all.v, all.n);
    size_t at = 0;
    for (int k = 0; ok && k < SECTIONS; k++)
        for (size_t i = 0; i < critical_parts_shown(r, k); i++)
            r->parts[k].v[i].saves = all.v[at++].ns;
    VEC_FREE(&all);
    return ok;
}

bool critical_parts_make(struct critical_parts *r, size_t longest)
{
    if (!path_sum_up(&r->sums, r->c, r->end, longest))
        return false;
    add_all(r);
    return find_savings(r);
}

void critical_parts_free(struct critical_parts *r)
{
    for (int k = 0; k < SECTIONS; k++)
        VEC_FREE(&r->parts[k]);
    path_sums_free(&r->sums);
}
