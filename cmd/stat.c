/* thrace stat FILE: where the time of a trace's threads went. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/span_options.h"
#include "cmd/stat.h"
#include "cmd/stat_locks.h"
#include "cmd/stat_report.h"
#include "cmd/stat_tasks.h"
#include "cmd/verbs.h"
#include "parser/analyze/span_learn.h"
#include "parser/analyze/stat_collect.h"

enum { DEFAULT_ROWS = 10, MAX_ROWS = 100000 };

static const char usage[] = "usage: thrace stat [OPTION]... [--locks | --tasks] [--json | --csv] FILE\n"
                            "\n"
                            "Sums up where the threads (goroutines) of a Go execution trace spent their time: states,\n"
                            "waits and who ended them, system calls, threads. FILE may be -, standard input.\n"
                            "  -n N, --rows N  rows in each table (default: 10); one more is for the rest\n"
                            "  --locks         all that was waited for instead, and who is to blame, as far as FILE says\n"
                            "  --tasks         what tasks and regions took instead, and what the slowest waited for\n"
                            SPAN_USAGE
                            "  --json, --csv   the same for programs, all rows and exact; the man page has the keys\n"
                            "  --binary EXE    of a trace of Go 1.5 or 1.6, the program, which names functions\n"
                            "Exit status: 0 all was read, 1 the trace is invalid from some point on, 2 unreadable.\n";
static const struct option options[] = {
    {"rows", required_argument, NULL, 'n'},
    {"locks", no_argument, NULL, 'l'},
    {"tasks", no_argument, NULL, 't'},
    {"json", no_argument, NULL, 'j'},
    {"csv", no_argument, NULL, 'c'},
    {"binary", required_argument, NULL, 'b'},
    SPAN_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"stat", usage, ":hn:", options};

/* Complains of what went wrong, in reading or without memory. Returns the exit status. */
static int outcome(const char *verb, const struct gotrace_reader *r, const char *path, bool ok, FILE *out)
{
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (!ok) {
        complain(verb, "out of memory");
        return EXIT_USAGE;
    }
    if (e) {
        fflush(out);
        fprintf(stderr, "thrace %s: ", verb);
        print_error(stderr, path, e);
    }
    return error_status(e);
}

typedef bool report_fn(const struct stat *s, const struct stat_input *in, struct report *r);

/* What is read has something to say; for programs also that it is empty, if it is no more than that. */
static bool is_reported(const struct spans *s, const struct stat_input *in, const struct report *r)
{
    return s->nevents || (report_is_data(r) && in->complete);
}

/* Reads all of r and reports it. Returns the exit status. */
static int sum_up(const char *verb, struct gotrace_reader *r, const char *path, const struct span_options *only,
                  struct report *report, report_fn *fn)
{
    struct stat s;
    stat_init(&s, report->rows);
    s.spans.filter = only->filter;
    bool ok = consume_events(r, &stat_consumer, &s);
    struct stat_input in = {path, !gotrace_reader_error(r), only->filter ? only : NULL};
    if (ok && is_reported(&s.spans, &in, report))
        ok = fn(&s, &in, report);
    report_end(report);
    stat_free(&s);
    return outcome(verb, r, path, ok, report->out);
}

static int sum_up_tasks(struct gotrace_reader *r, const char *path, struct report *report)
{
    struct tasks t;
    tasks_init(&t, report->rows == REPORT_ALL ? DEFAULT_ROWS : report->rows);
    bool ok = consume_events(r, &tasks_consumer, &t);
    struct stat_input in = {path, !gotrace_reader_error(r), NULL};
    if (ok && is_reported(&t.spans, &in, report))
        ok = stat_tasks(&t, &in, report);
    report_end(report);
    tasks_free(&t);
    return outcome("stat", r, path, ok, stdout);
}

void stat_head(const char *verb, const char *path, FILE *out, int rows)
{
    static const struct span_options all;
    struct report report;
    struct gotrace_reader *r = open_input(verb, path);
    report_init(&report, REPORT_TEXT, out, (size_t)rows);
    if (r)
        sum_up(verb, r, path, &all, &report, stat_report_head);
    gotrace_reader_free(r);
}

static bool parse_rows(const char *arg, size_t *rows)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(arg, &end, 10);
    *rows = n;
    return *arg >= '0' && *arg <= '9' && !*end && !errno && n >= 1 && n <= MAX_ROWS;
}

/* What the command line says. */
struct request {
    size_t rows; /* 0: as many as the report wants */
    const char *exe;
    bool tasks, locks, json, csv;
    struct span_options only;
};

/* False, and a complaint: it is wrong. */
static bool take_option(struct request *q, int c)
{
    switch (c) {
    case 'n':
        if (parse_rows(optarg, &q->rows))
            return true;
        complain("stat", "-n %s: not a number from 1 to %d", optarg, MAX_ROWS);
        return false;
    case 'l': q->locks = true; return true;
    case 't': q->tasks = true; return true;
    case 'j': q->json = true; return true;
    case 'c': q->csv = true; return true;
    case 'b': q->exe = optarg; return true;
    case '?': return false;
    default: return span_options_take(&q->only, "stat", c, optarg);
    }
}

static bool is_sound(const struct request *q)
{
    const char *wrong = q->locks && q->tasks          ? "--locks and --tasks are two reports"
                        : q->json && q->csv           ? "--json and --csv are two formats"
                        : q->tasks && q->only.filter ? "--tasks sums up whole tasks: it takes no filters"
                                                      : NULL;
    if (wrong)
        complain("stat", "%s", wrong);
    return !wrong && span_options_check(&q->only, "stat");
}

static int report_on(const struct request *q, struct gotrace_reader *r, const char *path)
{
    struct report report;
    size_t rows = q->rows ? q->rows : q->json || q->csv ? REPORT_ALL : q->locks ? MAX_ROWS : DEFAULT_ROWS;
    report_init(&report, q->json ? REPORT_JSON : q->csv ? REPORT_CSV : REPORT_TEXT, stdout, rows);
    if (q->tasks)
        return sum_up_tasks(r, path, &report);
    return sum_up("stat", r, path, &q->only, &report, q->locks ? stat_report_locks : stat_report);
}

/* Reads the trace for what the filter has to know first. */
static bool learn(const struct request *q, struct twice *input, struct binary *binary)
{
    struct gotrace_reader *r = twice_read(input, "stat");
    if (!r)
        return false;
    binary_name_frames(binary, r);
    bool ok = span_filter_learn(q->only.filter, r);
    if (!ok)
        complain("stat", "out of memory");
    gotrace_reader_free(r);
    return ok && span_options_check(&q->only, "stat");
}

static int read_and_report(const struct request *q, const char *path, struct binary *binary)
{
    struct twice input = {.path = path, .fd = -1, .copy = -1};
    bool first = q->only.filter && span_filter_must_learn(q->only.filter);
    bool ok = !first || (twice_open(&input, "stat", path) && learn(q, &input, binary));
    struct gotrace_reader *r = ok ? twice_read(&input, "stat") : NULL;
    int status = EXIT_USAGE;
    if (r) {
        binary_name_frames(binary, r);
        status = report_on(q, r, path);
    }
    gotrace_reader_free(r);
    twice_close(&input);
    return status;
}

int cmd_stat(int argc, char **argv)
{
    struct request q = {.rows = 0};
    int status = EXIT_USAGE, c;
    bool ok = true;
    while (ok && (c = next_option(&arguments, argc, argv)) != -1 && c != 'h')
        ok = take_option(&q, c);
    if (ok && c == 'h') {
        status = show_usage(&arguments);
    } else if (ok && is_sound(&q) && has_operands(&arguments, argc, 1, 1, "a FILE")) {
        struct binary *binary = q.exe ? binary_open("stat", q.exe) : NULL;
        if (binary || !q.exe)
            status = read_and_report(&q, argv[optind], binary);
        binary_free(binary);
    }
    span_options_free(&q.only);
    return status;
}
