/* thrace critical FILE: which stretch of which thread decided when a program, a thread or a task ended. */
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/critical_report.h"
#include "cmd/input.h"
#include "cmd/span_options.h"
#include "cmd/terminal.h"
#include "cmd/verbs.h"

enum { DEFAULT_ROWS = 10, MAX_ROWS = 100000 };

static const char usage[] =
    "usage: thrace critical [OPTION]... [--thread T | --task ID] [--json | --csv] FILE\n"
    "\n"
    "Prints the critical path of a Go execution trace: backwards from the end of the program along its threads, and\n"
    "from each wait to who ended it, what decided how long it took, and what could be saved. FILE may be -, standard\n"
    "input.\n"
    "  -n N, --rows N  rows in each table, and how many of the longest stretches (default: 10)\n"
    "  --thread T      to the end of a thread: its number, or a regular expression for its name\n"
    "  --task ID       of a task, from its begin to its end\n"
    "  --from T        no further back than that: 1.5s, 20ms or 10%, from FILE's begin\n"
    "  --to T          to that time instead of the end\n"
    COLOR_USAGE
    "  --json, --csv   the same for programs, all rows and exact; docs/critical-path.md has the keys\n"
    "  --binary EXE    of a trace of Go 1.5 or 1.6, the program, which names functions\n"
    "Exit status: 0 all was read, 1 the trace is invalid from some point on, 2 unreadable.\n";
static const struct option options[] = {
    {"rows", required_argument, NULL, 'n'},
    {"thread", required_argument, NULL, 'T'},
    {"task", required_argument, NULL, 't'},
    {"from", required_argument, NULL, SPAN_OPTION_FROM},
    {"to", required_argument, NULL, SPAN_OPTION_TO},
    COLOR_OPTION,
    {"json", no_argument, NULL, 'j'},
    {"csv", no_argument, NULL, 'c'},
    {"binary", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"critical", usage, ":hn:", options};

struct wanted {
    size_t rows; /* 0: as many as the report wants */
    bool json, csv;
    const char *thread, *task, *exe;
    uint64_t thread_id, task_id; /* or GOTRACE_NONE */
    regex_t name;
    bool has_name;
    struct span_options span; /* --from and --to */
};

/* ---- arguments -------------------------------------------------------------------------------------------------- */

/* Of a thread or task: any but GOTRACE_NONE. */
static bool parse_id(const char *arg, uint64_t *id)
{
    char *end;
    errno = 0;
    *id = strtoull(arg, &end, 10);
    return *arg >= '0' && *arg <= '9' && !*end && !errno && *id != GOTRACE_NONE;
}

static bool parse_thread(struct wanted *w)
{
    char message[128];
    if (parse_id(w->thread, &w->thread_id))
        return true;
    w->thread_id = GOTRACE_NONE;
    if (!*w->thread) {
        complain("critical", "--thread: the expression is empty");
        return false;
    }
    int error = regcomp(&w->name, w->thread, REG_EXTENDED | REG_NOSUB);
    w->has_name = !error;
    if (!error)
        return true;
    regerror(error, &w->name, message, sizeof message);
    complain("critical", "--thread %s: %s", w->thread, message);
    return false;
}

static bool parse_option(struct wanted *w, int c)
{
    switch (c) {
    case 'n': return take_number("critical", "-n", optarg, MAX_ROWS, &w->rows);
    case 'T': w->thread = optarg; return true;
    case 't':
        w->task = optarg;
        if (parse_id(optarg, &w->task_id))
            return true;
        complain("critical", "--task %s: not the number of a task", optarg);
        return false;
    case 'j': w->json = true; return true;
    case 'c': w->csv = true; return true;
    case 'b': w->exe = optarg; return true;
    case OPTION_COLOR: return take_color("critical", optarg);
    case '?': return false;
    default: return span_options_take(&w->span, "critical", c, optarg);
    }
}

/* ---- what is wanted, in the trace ------------------------------------------------------------------------------- */

static bool matches(void *arg, uint64_t id, const char *name)
{
    const struct wanted *w = arg;
    return w->has_name ? !regexec(&w->name, name, 0, NULL, 0) : id == w->thread_id;
}

static bool complain_of(const char *what, const char *arg, const char *why)
{
    complain("critical", "%s %s: %s", what, arg, why);
    return false;
}

static bool find_span(struct path_collect *c, const struct wanted *w, struct path_query *q)
{
    struct span_filter *f = w->span.filter;
    uint64_t length = (uint64_t)c->spans.end - (uint64_t)c->spans.begin;
    *q = (struct path_query){.from = c->spans.begin, .to = c->spans.end, .thread = PATH_NOBODY, .arg = (void *)w};
    if (w->task) {
        if (!c->task.began)
            return complain_of("--task", w->task, "the trace has no begin of such a task");
        if (!c->task.ended)
            return complain_of("--task", w->task, "the task does not end in the trace");
        q->from = c->task.begin;
        q->to = c->task.end;
        q->thread = c->task.ender;
        return true;
    }
    if (w->thread)
        q->matches = matches;
    if (!f)
        return true;
    f->length = length;
    uint64_t from = f->from.kind ? span_moment_ns(f, &f->from) : 0, to = span_moment_ns(f, &f->to);
    to = to < length ? to : length;
    if (from >= to) {
        complain("critical", "there is nothing between --from and --to");
        return false;
    }
    q->from = (int64_t)((uint64_t)c->spans.begin + from);
    q->to = (int64_t)((uint64_t)c->spans.begin + to);
    return true;
}

static void complain_of_memory(const struct path_collect *c)
{
    if (c->log.error)
        complain("critical", "cannot use a temporary file: %s", strerror(c->log.error));
    else
        complain("critical", "out of memory");
}

/* False, and a complaint: there is no such thing, or memory or the file is at an end. */
static bool report(struct path_collect *c, const struct wanted *w, const struct stat_input *in)
{
    struct path_query q;
    struct path_end end = {.lasts = NULL};
    struct report report;
    if (!find_span(c, w, &q))
        return false;
    bool ok = path_find(c, &q, &end), there = true;
    if (ok && w->thread) {
        end.to = end.end;
        if (end.thread == PATH_NOBODY || end.from >= end.to)
            there = complain_of("--thread", w->thread, "there was no such thread then");
    }
    report_init(&report, w->json ? REPORT_JSON : w->csv ? REPORT_CSV : REPORT_TEXT, stdout,
                w->rows ? w->rows : w->json || w->csv ? REPORT_ALL : DEFAULT_ROWS);
    if (ok && there)
        report_pages(&report);
    ok = ok && there && critical_report(c, &end, w->task, in, &report);
    report_end(&report);
    if (!ok && there)
        complain_of_memory(c);
    free(end.lasts);
    return ok;
}

static int find_path(const struct wanted *w, const char *path, struct gotrace_reader *r)
{
    struct path_collect c;
    path_collect_init(&c);
    if (w->task)
        c.task.id = w->task_id;
    show_progress(r, "critical", path);
    bool ok = consume_events(r, &path_collector, &c);
    const struct gotrace_error *e = gotrace_reader_error(r);
    struct stat_input in = {.path = path, .complete = !e};
    if (!ok)
        complain_of_memory(&c);
    else if (c.spans.nevents || ((w->json || w->csv) && in.complete))
        ok = report(&c, w, &in);
    path_collect_free(&c);
    if (!ok)
        return EXIT_USAGE;
    if (e) {
        fflush(stdout);
        fputs("thrace critical: ", stderr);
        print_error(stderr, path, e);
    }
    return error_status(e);
}

static int run(struct wanted *w, const char *path)
{
    if (w->thread && !parse_thread(w))
        return EXIT_USAGE;
    struct binary *binary = w->exe ? binary_open("critical", w->exe) : NULL;
    struct gotrace_reader *r = w->exe && !binary ? NULL : open_input("critical", path);
    int status = EXIT_USAGE;
    if (r) {
        binary_name_frames(binary, r);
        status = find_path(w, path, r);
    }
    gotrace_reader_free(r);
    binary_free(binary);
    if (w->has_name)
        regfree(&w->name);
    return status;
}

static bool is_sound(const struct wanted *w)
{
    const char *wrong = w->task && (w->thread || w->span.filter) ? "--task says from when to when, and to whose end"
                        : w->json && w->csv                      ? "--json and --csv are two formats"
                                                                 : NULL;
    if (wrong)
        complain("critical", "%s", wrong);
    return !wrong && span_options_check(&w->span, "critical");
}

int cmd_critical(int argc, char **argv)
{
    struct wanted w = {.thread_id = GOTRACE_NONE, .task_id = GOTRACE_NONE};
    int status = EXIT_USAGE, c;
    bool ok = true;
    while (ok && (c = next_option(&arguments, argc, argv)) != -1 && c != 'h')
        ok = parse_option(&w, c);
    if (ok && c == 'h')
        status = show_usage(&arguments);
    else if (ok && is_sound(&w) && has_operands(&arguments, argc, 1, 1, "a FILE"))
        status = run(&w, argv[optind]);
    span_options_free(&w.span);
    return status;
}
