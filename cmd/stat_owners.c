#include "cmd/stat_owners.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/stat_parts.h"

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

/* NULL: it is no thread of the trace. */
static const char *thread_name(const struct stat *s, uint32_t n) { return *text(s, n) ? text(s, n) : NULL; }

const char *stat_owner_role(const struct blame_object *o)
{
    switch (wait_class_of(o->is.kind)) {
    case WAIT_CLASS_LOCK: return o->is.kind == WAIT_FUTEX ? "woken by" : "held by";
    case WAIT_CLASS_SIGNAL: return o->is.kind == WAIT_SEM ? "posted by" : "signalled by";
    case WAIT_CLASS_MEETING: return "completed by";
    case WAIT_CLASS_DATA: return o->full ? "read by" : "written by";
    default: return "ended by";
    }
}

static const struct table_column chain_columns[] = {
    {"waiting_for", NULL}, {"role", NULL}, {"thread", NULL}, {NULL, NULL}};
static const struct table_column deed_columns[] = {
    {"total_ns", NULL}, {"share", NULL}, {"state", NULL}, {"sampled", NULL}, {"what", NULL}, {"chain", NULL},
    {NULL, NULL}};
static const struct table_column owner_columns[] = {
    {"thread", NULL}, {"threads", NULL}, {"total_ns", NULL}, {"share", NULL}, {"deeds", NULL}, {NULL, NULL}};

static void chain_rows(const struct stat *s, uint32_t chain, struct table *t)
{
    if (!chain)
        return;
    const struct blame_chain *c = &s->blame.sums.chains.v[chain - 1];
    const struct blame_object *o = c->object ? &s->blame.objects.v[c->object - 1] : NULL;
    chain_rows(s, c->before, t); /* no longer than what was followed */
    table_text(t, o ? text(s, o->is.name) : NULL);
    table_text(t, o ? stat_owner_role(o) : "made by");
    table_text(t, thread_name(s, c->name));
}

static bool deed_row(const struct stat *s, const struct stat_group *g, uint64_t all, struct table *t)
{
    struct blame_deed d = blame_deed_of(g->key);
    const char *what = text(s, d.what);
    bool known = d.state != GOTRACE_STATE_UNDETERMINED, runs = d.state == GOTRACE_STATE_RUNNING;
    table_time(t, g->total);
    table_share(t, g->total, all);
    table_text(t, known ? stat_state_name(d.state) : NULL);
    if (runs && *what)
        table_flag(t, d.sampled);
    else
        table_none(t, "");
    if (known && *what)
        table_cell(t, "%.*s", (int)strcspn(what, "\n"), what);
    else
        table_none(t, "");
    struct table *chain = table_rows(t, chain_columns);
    if (chain)
        chain_rows(s, d.chain, chain);
    return chain;
}

static bool owner_row(const struct stat *s, const struct stat_group *g, uint64_t all, struct table *t)
{
    const char *name = thread_name(s, blame_owner_name(g->key));
    struct ranking r;
    table_text(t, name);
    if (name && g->number < s->blame.sums.nthreads.n)
        table_count(t, s->blame.sums.nthreads.v[g->number]);
    else
        table_none(t, "-");
    table_time(t, g->total);
    table_share(t, g->total, all);
    struct table *deeds = table_rows(t, deed_columns);
    if (!deeds || !stat_rank(&r, &s->blame.sums.deeds, BLAME_OWNER_MASK, g->key, SIZE_MAX))
        return false;
    bool ok = true;
    for (size_t i = 0; name && ok && i < r.shown; i++)
        ok = deed_row(s, &r.groups[i], g->total, deeds);
    free(r.groups);
    return ok;
}

bool stat_owners(const struct stat *s, uint32_t object, struct table *t)
{
    struct ranking r;
    uint64_t all = 0;
    struct table *rows = table_rows(t, owner_columns);
    if (!rows ||
        !stat_rank(&r, &s->blame.sums.owners, BLAME_OBJECT_MASK, blame_object_key(object), SIZE_MAX))
        return false;
    for (size_t i = 0; i < r.shown; i++)
        all += r.groups[i].total;
    bool ok = true;
    for (size_t i = 0; ok && i < r.shown; i++)
        ok = owner_row(s, &r.groups[i], all, rows);
    free(r.groups);
    return ok;
}
