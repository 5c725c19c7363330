#include "config.h"

#include "cmd/gather.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/apart.h"
#include "cmd/complain.h"
#include "cmd/finish/finish.h"
#include "cmd/finish_report.h"
#include "cmd/input.h"
#include "cmd/stat.h"
#include "cmd/view.h"
#include "gotrace/validate.h"
#include "parser/vec.h"

/*
 * Limits: children whose reports are shown, files named in a line, and how often spools are looked for, as children go
 * on ending while we finish.
 */
enum { CHILDREN_REPORTED = 10, NAMES_REPORTED = 10, ROUNDS = 5 };

struct gathered {
    const char *out, *spools; /* patterns: of the traces, and of the spools without .spool */
    uint32_t launched;
    struct since since;
    struct afterwards then;
    size_t children; /* whose reports were shown */
    bool any, made, at_out; /* a spool was there, a trace was made, one at OUT itself */
    bool told;              /* why one was not */
    char **v; /* spools that were tried, and traces that were reported */
    size_t n, cap;
};

static void print_violation(void *path, const struct gotrace_error *violation) { print_error(stderr, path, violation); }

static bool is_valid(const char *verb, char *path)
{
    struct gotrace_summary sum;
    struct gotrace_reader *r = open_input(verb, path);
    bool ok = r && gotrace_reader_validate(r, print_violation, path, &sum) && !sum.violations;
    gotrace_reader_free(r);
    return ok;
}

static void remember(struct gathered *g, const char *path)
{
    if (VEC_ROOM(g) && (g->v[g->n] = strdup(path)))
        g->n++;
}

static bool was_reported(const struct gathered *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (!strcmp(g->v[i], path))
            return true;
    return false;
}

/* --- a recording that was made apart ------------------------------------------------------------------------------ */

static char spools_apart[2 * PATH_MAX];
static const struct apart *apart;

/* Where the spools of a recording to `out` are looked for. */
static const char *spools_of(const char *out, const struct apart *a)
{
    if (!a)
        return out;
    snprintf(spools_apart, sizeof spools_apart, "%s%s", a->folder.here, strrchr(out, '/'));
    return spools_apart;
}

static const char *shown(const char *path) { return apart ? apart_show(apart, path) : path; }

/*
 * Its trace goes to where the others go. The process has chosen the name, and did not see those that are there: none is
 * written over, but the one that was asked for. False: there is no name for it.
 */
static bool set_apart(const struct gathered *g, const char *spool, struct finish_how *how)
{
    enum { TRIES = 10000, NUMBER = 8 };
    static char out[PATH_MAX];
    const char *folder_end = strrchr(g->out, '/'), *name = strrchr(spool, '/');
    int n = snprintf(out, sizeof out - NUMBER, "%.*s%s", (int)(folder_end - g->out), g->out, name);
    if (n < 0 || (size_t)n >= sizeof out - NUMBER)
        return false;
    char *end = out + n - strlen(".spool");
    *end = 0;
    for (int i = 1; strcmp(out, g->out) != 0 && !faccessat(AT_FDCWD, out, F_OK, AT_SYMLINK_NOFOLLOW); i++) {
        if (i == TRIES)
            return false;
        snprintf(end, NUMBER, ".%d", i);
    }
    how->out = out;
    apart_set(apart, how);
    return true;
}

/* --- finishing ---------------------------------------------------------------------------------------------------- */

/* Losses are reported of every recording. */
static bool is_notable(const struct gathered *g, const struct orphaned_spool *s, const struct finish_summary *sum)
{
    return s->main || g->children < CHILDREN_REPORTED || sum->lost || sum->cut || sum->excess_samples;
}

static void show_trace(const struct gathered *g, char *path)
{
    if (g->then.stat)
        stat_head(g->then.verb, path, stderr);
    if (g->then.view && !view_file(g->then.verb, path, NULL, NULL, 0600))
        fprintf(stderr, "thrace %s: %s.html shows it in a browser\n", g->then.verb, path);
}

static void check_trace(const struct gathered *g, char *path)
{
    if (g->then.check && !is_valid(g->then.verb, path))
        complain(g->then.verb, "%s: the trace breaks the rules above; this is a bug of thrace, please report it", path);
}

static void finish_one(struct gathered *g, const struct orphaned_spool *s, bool quiet)
{
    static struct finish_summary sum;
    struct finish_how how = {.quiet = quiet,
                             .may_be_gone = true,
                             .is_over = s->main && g->then.went_on,
                             .report = complain,
                             .who = g->then.verb,
                             .progress = stderr};
    remember(g, s->path);
    if (apart && !set_apart(g, s->path, &how)) {
        complain(g->then.verb, "%s: there is no name for its trace", shown(s->path));
        g->told = true;
        return;
    }
    const bool failed = finish_spool(s->path, &how, &sum) != FINISH_DONE;
    g->told |= failed;
    if (failed || sum.nothing || sum.elsewhere)
        return;
    g->made = true;
    g->at_out |= !strcmp(sum.path, g->out);
    if (is_notable(g, s, &sum)) {
        finish_report(&sum);
        show_trace(g, sum.path);
        g->children += !s->main;
        remember(g, sum.path);
    }
    check_trace(g, sum.path);
}

/* Who had it made apart knows that the recording is over, and takes whatever was made. */
static bool is_ready(const struct gathered *g, const struct orphaned_spool *s)
{
    bool taken = apart && (s->kind == ORPHAN_UNKNOWN || (s->kind == ORPHAN_FOREIGN && !geteuid()));
    return taken || s->kind == ORPHAN_READY || (s->kind == ORPHAN_IN_USE && s->main && g->then.went_on);
}

/* Advice about debug info is given once, for what the program ran in the end. */
static size_t last_of_main(const struct gathered *g, const struct orphaned_spools *orphans)
{
    size_t last = 0;
    for (size_t i = 0; i < orphans->n; i++)
        if (orphans->v[i].main && is_ready(g, &orphans->v[i]))
            last = i;
    return last;
}

/* False: there was nothing to do. */
static bool finish_ready(struct gathered *g, bool again)
{
    struct orphaned_spools orphans;
    size_t done = 0;
    orphaned_spools_find(&orphans, g->spools, g->launched, g->since);
    size_t last = last_of_main(g, &orphans);
    for (size_t i = 0; i < orphans.n; i++) {
        if (!is_ready(g, &orphans.v[i]) || was_reported(g, orphans.v[i].path))
            continue;
        finish_one(g, &orphans.v[i], again || i != last);
        done++;
    }
    g->any |= orphans.n;
    orphaned_spools_free(&orphans);
    return done;
}

/* --- what there is besides ---------------------------------------------------------------------------------------- */

static void print_names(const struct gathered *g, const struct orphaned_spools *traces, size_t n)
{
    size_t reported = 0;
    fprintf(stderr, "thrace: %zu more trace%s: ", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < traces->n && reported < NAMES_REPORTED; i++)
        if (!was_reported(g, traces->v[i].path))
            fprintf(stderr, "%s%s", reported++ ? ", " : "", traces->v[i].path);
    if (n > reported)
        fprintf(stderr, " and %zu more: %s.*", n - reported, g->out);
    fputc('\n', stderr);
}

/* By the process itself, at its end, or by another command that ended the recording. */
static void report_made_already(struct gathered *g, char *path)
{
    fprintf(stderr, "thrace: the trace is made already: %s\n", path);
    remember(g, path);
    g->made = true;
    show_trace(g, path);
    check_trace(g, path);
}

/*
 * A child that ends while its parent runs makes its trace by itself, and `thrace stop` does for a session, and so does a
 * process that was attached to, at its end.
 */
static bool report_other_traces(struct gathered *g)
{
    struct orphaned_spools traces;
    size_t n = 0;
    finished_traces_find(&traces, g->out, g->since);
    for (size_t i = 0; i < traces.n && !g->made; i++)
        if (!strcmp(traces.v[i].path, g->out))
            report_made_already(g, traces.v[i].path);
    for (size_t i = 0; i < traces.n; i++)
        n += !was_reported(g, traces.v[i].path);
    if (n)
        print_names(g, &traces, n);
    orphaned_spools_free(&traces);
    return n;
}

static void report_orphan(const struct orphaned_spool *s)
{
    switch (s->kind) {
    case ORPHAN_IN_USE:
        fprintf(stderr, "thrace: process %" PRIu32 " goes on and is recorded; it makes its trace when it ends, and if "
                "it is killed, this does: thrace finish %s\n", s->pid, shown(s->path));
        break;
    case ORPHAN_UNKNOWN:
        fprintf(stderr, "thrace: process %" PRIu32 " may still be recording; when it has ended: thrace finish --anyway "
                "%s\n", s->pid, shown(s->path));
        break;
    case ORPHAN_FOREIGN:
        fprintf(stderr, "thrace: the recording of process %" PRIu32 " belongs to another user: thrace "
                "finish --anyway -o FILE %s\n", s->pid, shown(s->path));
        break;
    case ORPHAN_EMPTY:
        fprintf(stderr,
                "thrace: a process was killed, or goes on, before it recorded anything; when it has ended, this "
                "removes its empty recording: thrace finish %s\n",
                shown(s->path));
        break;
    case ORPHAN_READY: fprintf(stderr, "thrace: a recording is kept: thrace finish %s\n", shown(s->path)); break;
    case ORPHAN_FINISHED: break;
    }
}

static void report_rest(struct gathered *g)
{
    struct orphaned_spools orphans;
    size_t n = 0;
    orphaned_spools_find(&orphans, g->spools, g->launched, g->since);
    for (size_t i = 0; i < orphans.n; i++)
        if (!was_reported(g, orphans.v[i].path) && n++ < NAMES_REPORTED)
            report_orphan(&orphans.v[i]);
    g->told |= n || orphans.error;
    if (orphans.error)
        complain(g->then.verb, "%s.spool: not all that may have been recorded could be looked at: %s; thrace finish "
                 "makes the trace of a recording that is left", shown(g->spools), strerror(orphans.error));
    if (n > NAMES_REPORTED)
        fprintf(stderr, "thrace: and %zu more recordings like these: %s.*.spool\n", n - NAMES_REPORTED,
                shown(g->spools));
    orphaned_spools_free(&orphans);
}

/* A flight recorder numbers the snapshots that it was asked for: OUT is for what is left when the program is killed. */
static void report_snapshots(struct gathered *g)
{
    if (!g->then.snapshots_only)
        return;
    g->told |= !g->any;
    if (!g->any)
        complain(g->then.verb, "no snapshot was taken, so there is no trace; --snapshot exit takes one at the end");
    else if (!g->at_out && !strchr(strrchr(g->out, '/'), '%'))
        complain(g->then.verb, "each snapshot is a trace with a number of its own, so there is no %s", g->out);
}

enum gather_result gather_traces(const char *out, uint32_t launched, struct since since, struct afterwards then)
{
    apart = then.apart;
    struct gathered g = {.out = out, .spools = spools_of(out, apart), .launched = launched, .since = since,
                         .then = then};
    for (int i = 0; i < ROUNDS && finish_ready(&g, i > 0); i++)
        ;
    report_rest(&g);
    report_snapshots(&g);
    bool others = report_other_traces(&g); /* last: what ends in between is reported twice, not never */
    for (size_t i = 0; i < g.n; i++)
        free(g.v[i]);
    free(g.v);
    return g.made || others ? GATHER_MADE : g.told ? GATHER_TOLD : GATHER_NOTHING;
}
