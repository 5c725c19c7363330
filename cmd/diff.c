/* thrace diff A B: what changed between two traces, or two sets of them. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/diff_conditions.h"
#include "cmd/diff_html.h"
#include "cmd/diff_report.h"
#include "cmd/finish/output.h"
#include "cmd/input.h"
#include "cmd/span_options.h"
#include "cmd/terminal.h"
#include "cmd/verbs.h"
#include "parser/analyze/diff.h"
#include "parser/analyze/span_learn.h"

enum { DEFAULT_ROWS = 5, MAX_ROWS = 100000, MAX_RUNS = 100, MAX_CONDITIONS = 100, MAX_FILTERS = 16 };

static const char usage[] =
    "usage: thrace diff [OPTION]... [--json] A B\n"
    "       thrace diff [OPTION]... [--json] A... -- B...\n"
    "\n"
    "Tells what changed from one run of a program to another one, or from several to several: CPU samples by\n"
    "function, waits by what they are for and why, system calls, threads; and what of it is not by chance.\n"
    "  -n N, --rows N   rows in each table (default: 5)\n"
    "  --per RE         not per second, but for each task, region, message or system call of such a name\n"
    "  --fail-if COND   exit status 1 when it holds beyond chance: METRIC(what).STAT > +N%, such as\n"
    "                   'wait(sync).p99 > +10%'; may be given more than once\n"
    SPAN_USAGE
    COLOR_USAGE
    "  --html FILE      differential flame graphs, a page for any browser\n"
    "  --json           the same for programs, all rows; docs/diff.md has the keys\n"
    "Exit status: 0 compared, 1 a condition holds, or a trace is invalid from some point on, 2 unreadable.\n";
static const struct option options[] = {
    {"rows", required_argument, NULL, 'n'},
    {"per", required_argument, NULL, 'p'},
    {"fail-if", required_argument, NULL, 'f'},
    SPAN_OPTIONS,
    COLOR_OPTION,
    {"html", required_argument, NULL, 'm'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"diff", usage, ":hn:", options};

struct wanted {
    size_t rows; /* 0: the usual number */
    bool json;
    const char *per, *html;
    regex_t per_name; /* if it is given */
    bool has_per;
    struct diff_condition *conditions;
    size_t nconditions;
    /* A filter knows texts of its trace, so each trace has one of its own. */
    struct {
        int option;
        const char *value;
    } filters[MAX_FILTERS];
    size_t nfilters;
    struct span_options only; /* the first */
    char **paths[2];
    size_t npaths[2];
};

/* What belongs to a trace while traces are compared. */
struct reading {
    struct diff_run run;
    struct span_options only;
    struct twice input;
};

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static bool take_per(struct wanted *w, const char *arg)
{
    char why[128];
    if (w->has_per || !*arg) {
        complain("diff", *arg ? "--per is given twice; a|b means either" : "--per: the expression is empty");
        return false;
    }
    int error = regcomp(&w->per_name, arg, REG_EXTENDED | REG_NOSUB);
    w->has_per = !error;
    w->per = arg;
    if (!error)
        return true;
    regerror(error, &w->per_name, why, sizeof why);
    complain("diff", "--per %s: %s", arg, why);
    return false;
}

static bool take_condition(struct wanted *w, const char *arg)
{
    if (w->nconditions == MAX_CONDITIONS) {
        complain("diff", "--fail-if %s: there are more than %d", arg, MAX_CONDITIONS);
        return false;
    }
    if (!w->conditions && !(w->conditions = calloc(MAX_CONDITIONS, sizeof *w->conditions))) {
        complain("diff", "out of memory");
        return false;
    }
    return diff_condition_parse(&w->conditions[w->nconditions++], "diff", arg);
}

/* False, and a complaint: it is wrong. */
static bool take_option(struct wanted *w, int c)
{
    switch (c) {
    case 'n': return take_number("diff", "-n", optarg, MAX_ROWS, &w->rows);
    case 'p': return take_per(w, optarg);
    case 'f': return take_condition(w, optarg);
    case 'j': w->json = true; return true;
    case 'm': w->html = optarg; return true;
    case OPTION_COLOR: return take_color("diff", optarg);
    case '?': return false;
    default:
        if (w->nfilters < MAX_FILTERS) {
            w->filters[w->nfilters].option = c;
            w->filters[w->nfilters++].value = optarg;
        }
        return span_options_take(&w->only, "diff", c, optarg);
    }
}

/* How many operands stand behind "--"; 0: there is none. getopt_long does not tell. */
static int behind_dashes(int argc, char **argv)
{
    for (int i = argc - 1; i > 0; i--)
        if (!strcmp(argv[i], "--"))
            return argc - 1 - i;
    return 0;
}

static bool take_paths(struct wanted *w, int argc, char **argv, int behind)
{
    int n = argc - optind, b = behind > 0 && behind < n ? behind : 1;
    if (b == 1 && n > 2 && behind != 1) {
        wrong_use(&arguments, "of several traces, \"--\" stands before those of the second side");
        return false;
    }
    if (!has_operands(&arguments, argc, 2, 2 * MAX_RUNS, "two traces"))
        return false;
    w->paths[0] = argv + optind;
    w->npaths[0] = (size_t)(n - b);
    w->paths[1] = argv + optind + n - b;
    w->npaths[1] = (size_t)b;
    return true;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* A reader of the trace, when its filter has learned what it must. */
static struct gotrace_reader *open_trace(struct reading *t)
{
    if (t->only.filter && span_filter_must_learn(t->only.filter)) {
        struct gotrace_reader *r = twice_read(&t->input, "diff");
        bool ok = r && span_filter_learn(t->only.filter, r);
        if (r && !ok)
            complain("diff", "out of memory");
        gotrace_reader_free(r);
        if (!ok || !span_options_check(&t->only, "diff"))
            return NULL;
    }
    struct gotrace_reader *r = twice_read(&t->input, "diff");
    if (r)
        show_progress(r, "diff", t->input.path);
    return r;
}

/* The filter of a trace that is read. */
static bool take_filter(struct span_options *only, const struct wanted *w)
{
    bool ok = true;
    *only = (struct span_options){.filter = NULL};
    for (size_t i = 0; ok && i < w->nfilters; i++)
        ok = span_options_take(only, "diff", w->filters[i].option, w->filters[i].value);
    return ok;
}

static bool set_up(struct reading *t, const struct wanted *w, const char *path, struct diff_rows *rows)
{
    t->input = (struct twice){.path = path, .fd = -1, .copy = -1};
    bool ok = take_filter(&t->only, w);
    if (ok && (w->html || (t->only.filter && span_filter_must_learn(t->only.filter))))
        ok = twice_open(&t->input, "diff", path);
    if (!diff_run_init(&t->run, rows, t->only.filter, w->has_per ? &w->per_name : NULL)) {
        complain("diff", "out of memory");
        ok = false;
    }
    return ok;
}

/* Returns the exit status; EXIT_USAGE: it is of no use. */
static int read_trace(struct reading *t, const struct wanted *w, const char *path, struct diff_rows *rows)
{
    struct gotrace_reader *r = set_up(t, w, path, rows) ? open_trace(t) : NULL;
    if (!r)
        return EXIT_USAGE;
    int status = EXIT_USAGE;
    if (consume_events(r, &diff_consumer, &t->run)) {
        const struct gotrace_error *e = gotrace_reader_error(r);
        status = error_status(e);
        if (e) {
            fputs("thrace diff: ", stderr);
            print_error(stderr, path, e);
        }
        if (e && !t->run.spans.nevents)
            status = EXIT_USAGE;
    } else {
        complain("diff", "out of memory");
    }
    gotrace_reader_free(r);
    return status;
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

/* Reads it again. */
static bool read_profile(struct reading *t, const struct wanted *w, struct profile *p)
{
    span_options_free(&t->only);
    struct gotrace_reader *r = take_filter(&t->only, w) ? open_trace(t) : NULL;
    p->spans.filter = t->only.filter;
    bool ok = r && consume_events(r, &profile_consumer, p);
    if (r && !ok)
        complain("diff", "out of memory");
    gotrace_reader_free(r);
    return ok;
}

static bool put_page(struct diff_profile *profiles, size_t n, const struct wanted *w, const struct diff *d, FILE *to)
{
    const double units[] = {diff_units(d, 0), diff_units(d, 1)};
    const char *const names[] = {w->paths[0][0], w->paths[1][0]};
    if (diff_html_put(profiles, n, units, w->per, names, to))
        return true;
    complain("diff", "out of memory");
    return false;
}

static bool write_page(struct reading *t, const struct wanted *w, const struct diff *d)
{
    size_t n = w->npaths[0] + w->npaths[1];
    struct diff_profile *profiles = calloc(n, sizeof *profiles);
    struct stack_store *stacks = stack_store_new();
    const char *why = "out of memory";
    struct output *out = profiles && stacks ? output_open(w->html, 0666, &why) : NULL;
    bool ok = out;
    size_t have = 0;
    for (; ok && have < n; have++) {
        profiles[have].before = have < w->npaths[0];
        profile_init_with(&profiles[have].profile, NULL, stacks);
        ok = read_profile(&t[have], w, &profiles[have].profile);
    }
    ok = ok && put_page(profiles, n, w, d, output_file(out));
    if (out)
        why = output_close(out, ok);
    if (!out || (ok && why)) {
        complain("diff", "%s: %s", w->html, why);
        ok = false;
    }
    for (size_t i = 0; i < have; i++) {
        profiles[i].profile.stacks = NULL;
        profile_free(&profiles[i].profile);
    }
    stack_store_free(stacks);
    free(profiles);
    return ok;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

static bool has_units(const struct diff *d, const struct wanted *w)
{
    for (int side = 0; side < 2; side++) {
        if (diff_units(d, side) > 0)
            continue;
        if (w->per)
            complain("diff", "%s: no task, region, message or system call matches --per %s", w->paths[side][0], w->per);
        else
            complain("diff", "%s: no time passes in it", w->paths[side][0]);
        return false;
    }
    return true;
}

static int conclude(const struct wanted *w, int status)
{
    size_t held = 0;
    for (size_t i = 0; i < w->nconditions; i++) {
        const struct diff_condition *c = &w->conditions[i];
        held += c->holds;
        if (!c->matches)
            complain("diff", "--fail-if %s: neither side has anything like that", c->text);
    }
    if (held)
        complain("diff", "%zu of %zu condition%s hold%s", held, w->nconditions, w->nconditions == 1 ? "" : "s",
                 held == 1 ? "s" : "");
    return held ? EXIT_INVALID : status;
}

static int compare(struct diff *d, struct diff_input *in, const struct wanted *w, int status)
{
    struct report report;
    bool ok = diff_compare(d);
    if (ok && !has_units(d, w))
        return EXIT_USAGE;
    for (size_t i = 0; ok && i < w->nconditions; i++)
        ok = diff_condition_judge(&w->conditions[i], d, w->nconditions);
    if (ok) {
        report_init(&report, w->json ? REPORT_JSON : REPORT_TEXT, stdout,
                    w->rows ? w->rows : w->json ? REPORT_ALL : DEFAULT_ROWS);
        report_pages(&report);
        ok = diff_report(d, in, &report);
        report_end(&report);
        fflush(stdout);
    }
    if (!ok)
        complain("diff", "out of memory");
    return ok ? conclude(w, status) : EXIT_USAGE;
}

static int run(const struct wanted *w)
{
    size_t n = w->npaths[0] + w->npaths[1];
    struct reading *t = calloc(n, sizeof *t);
    struct diff_run **runs = calloc(n, sizeof *runs);
    struct diff_rows rows;
    struct diff d = {.rows = &rows, .per = w->has_per};
    struct diff_input in = {.paths = {w->paths[0], w->paths[1]}, .complete = {true, true}, .per = w->per,
                            .only = w->only.filter ? &w->only : NULL, .conditions = w->conditions,
                            .nconditions = w->nconditions};
    int status = EXIT_OK;
    bool ok = diff_rows_init(&rows) && t && runs;
    if (!ok)
        complain("diff", "out of memory");
    for (size_t i = 0; ok && i < w->nconditions; i++)
        ok = diff_condition_watch(&w->conditions[i], "diff", &rows);
    size_t have = 0;
    for (; ok && have < n; have++) {
        int side = have >= w->npaths[0];
        int read = read_trace(&t[have], w, side ? w->paths[1][have - w->npaths[0]] : w->paths[0][have], &rows);
        runs[have] = &t[have].run;
        in.complete[side] &= read == EXIT_OK;
        status = read > status ? read : status;
        ok = read != EXIT_USAGE;
    }
    if (ok) {
        d.sides[0] = (struct diff_side){.runs = runs, .nruns = w->npaths[0]};
        d.sides[1] = (struct diff_side){.runs = runs + w->npaths[0], .nruns = w->npaths[1]};
        status = compare(&d, &in, w, status);
        if (status != EXIT_USAGE && w->html && !write_page(t, w, &d))
            status = EXIT_USAGE;
    } else {
        status = EXIT_USAGE;
    }
    hide_progress();
    for (size_t i = 0; t && i < have; i++) {
        diff_run_free(&t[i].run);
        span_options_free(&t[i].only);
        twice_close(&t[i].input);
    }
    diff_free(&d);
    diff_rows_free(&rows);
    free(runs);
    free(t);
    return status;
}

int cmd_diff(int argc, char **argv)
{
    struct wanted w = {.rows = 0};
    int status = EXIT_USAGE, c, behind = behind_dashes(argc, argv);
    bool ok = true;
    while (ok && (c = next_option(&arguments, argc, argv)) != -1 && c != 'h')
        ok = take_option(&w, c);
    if (ok && c == 'h')
        status = show_usage(&arguments);
    else if (ok && span_options_check(&w.only, "diff") && take_paths(&w, argc, argv, behind) &&
             diff_html_has_place(w.html, w.paths[0], w.npaths[0] + w.npaths[1]))
        status = run(&w);
    for (size_t i = 0; i < w.nconditions; i++)
        diff_condition_free(&w.conditions[i]);
    free(w.conditions);
    if (w.has_per)
        regfree(&w.per_name);
    span_options_free(&w.only);
    return status;
}
