/* Prints the objects that threads waited for, the one with the most time first, and below each who is to blame. */
#include "cmd/stat_locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/lines.h"
#include "cmd/stat_owners.h"

/* On a first screen, and else. */
enum { FEW = 3, BRIEF_OWNERS = 2, OWNERS = 3, BRIEF_DEEDS = 3, DEEDS = 4 };

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

static const struct blame_object *object_of(const struct stat *s, uint32_t number)
{
    return &s->blame.objects.v[number];
}

static const char *owner_name(const char *name) { return *name ? name : "no thread of the trace"; }

/* ---- what an owner did ------------------------------------------------------------------------------------------ */

static void print_link(const struct stat *s, const struct blame_chain *c, FILE *out)
{
    const char *name = text(s, c->name);
    if (!c->object) {
        fprintf(out, "made by %s: ", name);
        return;
    }
    const struct blame_object *o = object_of(s, c->object - 1);
    fprintf(out, "waiting for %s", text(s, o->is.name));
    if (!*name)
        fputs(" in ", out);
    else if (wait_class_of(o->is.kind) == WAIT_CLASS_END)
        fputs(": ", out);
    else
        fprintf(out, ", %s %s: ", stat_owner_role(o), name);
}

static void print_chain(const struct stat *s, uint32_t chain, FILE *out)
{
    if (!chain)
        return;
    const struct blame_chain *c = &s->blame.sums.chains.v[chain - 1];
    print_chain(s, c->before, out); /* no longer than what was followed */
    print_link(s, c, out);
}

static void print_deed(const struct stat *s, uint64_t key, FILE *out)
{
    struct blame_deed d = blame_deed_of(key);
    const char *what = text(s, d.what);
    print_chain(s, d.chain, out);
    switch (d.state) {
    case GOTRACE_STATE_UNDETERMINED: fputs("(not known)", out); break;
    case GOTRACE_STATE_RUNNABLE: fputs("runnable", out); break;
    case GOTRACE_STATE_RUNNING:
        fprintf(out, !*what ? "running" : d.sampled ? "running %s" : "running until %s", what);
        break;
    default: fprintf(out, "%.*s", (int)strcspn(what, "\n"), what);
    }
}

/* Rounded, it is no percent. */
static bool is_small(uint64_t part, uint64_t all) { return part < all / 200 + !!(all % 200); }

/* Whole percents that add up to a hundred: the largest rests are rounded up. */
static void percents(const uint64_t *parts, size_t n, uint64_t all, unsigned *percent)
{
    double rest[DEEDS + 1];
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        double exact = 100.0 * (double)parts[i] / (double)all;
        percent[i] = (unsigned)exact;
        rest[i] = exact - percent[i];
        sum += percent[i];
    }
    for (; sum < 100; sum++) {
        size_t most = 0;
        for (size_t i = 1; i < n; i++)
            if (rest[i] > rest[most])
                most = i;
        percent[most]++;
        rest[most] = -1;
    }
}

static bool put_deed(const struct stat *s, struct lines *l, const char *before, unsigned percent, uint64_t key)
{
    char *deed = NULL;
    size_t size;
    FILE *f = memory_file(&deed, &size);
    if (f)
        print_deed(s, key, f);
    bool ok = f && !fclose(f) && lines_put(l, before, "%u %% %s", percent, deed);
    free(deed);
    return ok;
}

/* The largest, and one for all others; what has less than half a percent is among these. */
static bool put_deeds(const struct stat *s, struct lines *l, const struct stat_group *owner, bool brief)
{
    struct ranking r;
    uint64_t parts[DEEDS + 1], rest = owner->total;
    unsigned percent[DEEDS + 1];
    size_t n = 0;
    if (!owner->total)
        return true;
    if (!stat_rank(&r, &s->blame.sums.deeds, BLAME_OWNER_MASK, owner->key, brief ? BRIEF_DEEDS : DEEDS))
        return false;
    for (; n < r.shown && !is_small(r.groups[n].total, owner->total); n++) {
        parts[n] = r.groups[n].total;
        rest -= parts[n];
    }
    parts[n] = rest;
    percents(parts, n + 1, owner->total, percent);
    bool ok = true, any = r.n; /* what is no goroutine does nothing in the trace */
    for (size_t i = 0; ok && i < n && percent[i]; i++)
        ok = put_deed(s, l, i ? "," : ":", percent[i], r.groups[i].key);
    if (ok && any && percent[n])
        ok = lines_put(l, n ? "," : ":", "%u %% other", percent[n]);
    free(r.groups);
    return ok;
}

static bool put_owner(const struct stat *s, struct lines *l, const struct blame_object *o, const struct stat_group *g,
                      uint64_t all, bool brief)
{
    const char *name = text(s, blame_owner_name(g->key));
    uint32_t nthreads = g->number < s->blame.sums.nthreads.n ? s->blame.sums.nthreads.v[g->number] : 0;
    lines_begin(l, LINES_INDENT);
    bool end = *name && wait_class_of(o->is.kind) == WAIT_CLASS_END;
    bool ok = end ? lines_put(l, "", "joined thread did")
                  : lines_put(l, "", "%s %s", stat_owner_role(o), owner_name(name));
    if (ok && *name && nthreads > 1)
        ok = lines_put(l, "", " ×%" PRIu32, nthreads);
    if (ok && !is_small(all - g->total, all))
        ok = lines_put(l, "", " (%.0f %%)", 100.0 * (double)g->total / (double)all);
    return ok && (!*name || put_deeds(s, l, g, brief));
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static bool put_owners(const struct stat *s, uint32_t number, bool brief, struct lines *l)
{
    const struct blame_object *o = object_of(s, number);
    struct ranking r;
    if (!stat_rank(&r, &s->blame.sums.owners, BLAME_OBJECT_MASK, blame_object_key(number),
                   brief ? BRIEF_OWNERS : OWNERS))
        return false;
    uint64_t all = r.rest.total, rest = 0;
    size_t shown = 0;
    for (size_t i = 0; i < r.shown; i++)
        all += r.groups[i].total;
    rest = all;
    bool ok = true;
    for (; ok && shown < r.shown && !is_small(r.groups[shown].total, all); shown++) {
        ok = put_owner(s, l, o, &r.groups[shown], all, brief);
        rest -= r.groups[shown].total;
    }
    if (ok && all && !is_small(rest, all))
        fprintf(l->out, "\n%*sand %zu more (%.0f %%)", LINES_INDENT, "", r.n - shown,
                100.0 * (double)rest / (double)all);
    free(r.groups);
    return ok;
}

/* The object and, below it, who is to blame. */
static bool object_lines(const struct stat *s, uint32_t number, struct table *t, const struct report *r)
{
    const struct blame_object *o = object_of(s, number);
    char *lines = NULL;
    size_t size;
    struct lines l = {.out = memory_file(&lines, &size), .width = r->width};
    if (l.out)
        fprintf(l.out, "%s%s", text(s, o->is.text), o->full ? ", full" : "");
    bool ok = l.out && put_owners(s, number, r->brief, &l);
    ok = l.out && !fclose(l.out) && ok;
    if (ok) {
        table_text(t, lines);
        table_end_row(t);
    }
    free(lines);
    return ok;
}

static const struct table_column object_columns[] = {
    {"count", "waits"}, {"total_ns", "total"}, {"p50_ns", "p50"}, {"p99_ns", "p99"}, {"max_ns", "max"},
    {"runnable_ns", NULL}, {"runnable_p99_ns", NULL}, {NULL, "<object"}, {"object", NULL}, {"name", NULL}, {"kind", NULL}, {"class", NULL}, {"full", NULL},
    {"role", NULL}, {"owners", NULL}, {NULL, NULL}};
enum { RUNNABLE_COLUMN = 5, OBJECT_COLUMNS = sizeof object_columns / sizeof *object_columns };

/* Where the kernel says when threads run: for how long those that were woken could and did not. */
static void put_runnable(const struct stat *s, struct table *t, uint32_t number)
{
    const struct stat_group *g = run_queue_of(&s->run_queue, number);
    table_time(t, g ? g->total : 0);
    table_time(t, g ? stat_group_percentile(g, 99) : 0);
}

static bool object_row(const struct stat *s, struct table *t, const struct stat_group *g, const struct report *r)
{
    uint32_t number = (uint32_t)g->key;
    const struct blame_object *o = object_of(s, number);
    const char *name = text(s, o->is.name);
    table_count(t, g->count);
    table_time(t, g->total);
    table_time(t, stat_group_percentile(g, 50));
    table_time(t, stat_group_percentile(g, 99));
    table_time(t, g->max);
    put_runnable(s, t, number);
    if (!report_is_data(r))
        return object_lines(s, number, t, r);
    table_none(t, "");
    table_text(t, text(s, o->is.text));
    table_text(t, name);
    table_cell(t, "%.*s", (int)strcspn(name, " "), name); /* it begins with that */
    table_text(t, wait_class_name(wait_class_of(o->is.kind)));
    table_flag(t, o->full);
    table_text(t, stat_owner_role(o));
    return stat_owners(s, number, t);
}

/*
 * Waits for a lock are somebody's fault; other waits are, when a thread of the trace has ended any of them. Programs
 * can tell that themselves.
 */
static bool is_of(const struct blame_object *o, bool locks, const struct report *r)
{
    bool lock = wait_class_of(o->is.kind) == WAIT_CLASS_LOCK;
    return locks ? lock : !lock && (o->was_ended || report_is_data(r));
}

/*
 * On a first screen only what held work up; of the rest one for which a thread waited because another one was busy most
 * of the time, since nobody in the trace may have needed it, but somebody outside.
 */
struct choice {
    const struct stat *s;
    bool brief;
    unsigned busy; /* how many such there were */
};

static bool is_chosen(struct choice *c, const struct stat_group *g)
{
    const struct blame_object *o = object_of(c->s, (uint32_t)g->key);
    struct need_sum need = needs_of(&c->s->needs.objects, (uint32_t)g->key);
    bool lock = wait_class_of(o->is.kind) == WAIT_CLASS_LOCK && o->is.kind != WAIT_FUTEX;
    return !c->brief || lock || need.ns > g->total / STAT_NOTEWORTHY || (need.busy >= g->total / 2 && !c->busy++);
}

static bool objects(const struct stat *s, bool locks, size_t rows, struct report *report)
{
    struct table t;
    struct ranking r;
    struct choice choice = {s, report->brief, 0};
    struct table_column columns[OBJECT_COLUMNS];
    uint64_t left_out = 0, ns = 0;
    if (!stat_rank(&r, &s->blame.waits, 0, 0, SIZE_MAX))
        return false;
    memcpy(columns, object_columns, sizeof columns);
    if (s->migrations.by_kernel)
        columns[RUNNABLE_COLUMN].title = "runnable";
    table_init(&t, "locks", columns);
    for (size_t i = 0, shown = 0; i < r.shown && !t.failed; i++) {
        const struct stat_group *g = &r.groups[i];
        if (!is_of(object_of(s, (uint32_t)g->key), locks, report) || !is_chosen(&choice, g))
            continue;
        if (shown++ < rows) {
            t.failed |= !object_row(s, &t, g, report);
            continue;
        }
        left_out++;
        ns += g->total;
    }
    free(r.groups);
    bool ok = report_table(report, &t, locks ? "Locks" : "Conditions, threads and descriptors that were waited for");
    char time[TABLE_TIME_SIZE];
    if (ok && left_out)
        report_note(report, "  and %" PRIu64 " more, %s\n", left_out, table_format_time(time, ns));
    return ok;
}

bool stat_locks(const struct stat *s, struct report *r)
{
    return objects(s, true, report_rows(r, FEW), r) && objects(s, false, report_rows(r, FEW), r);
}

bool stat_locks_only(const struct stat *s, struct report *r)
{
    if (!s->spans.has_objects)
        report_note(r, "\nThe trace does not say what threads waited for\n");
    return stat_locks(s, r);
}
