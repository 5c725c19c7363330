/* thrace stat FILE: where the time of a trace's threads went. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/stat.h"
#include "cmd/stat_locks.h"
#include "cmd/stat_report.h"
#include "cmd/stat_tasks.h"
#include "cmd/verbs.h"
#include "parser/analyze/stat_collect.h"

enum { DEFAULT_ROWS = 10, MAX_ROWS = 100000 };

static const char usage[] = "usage: thrace stat [-n N] [--locks | --tasks] [--json | --csv] [--binary EXE] FILE\n"
                            "\n"
                            "Sums up where the threads (goroutines) of a Go execution trace spent their time: states,\n"
                            "waits and who ended them, system calls, threads. FILE may be -, standard input.\n"
                            "  -n N, --rows N  rows in each table (default: 10); one more is for the rest\n"
                            "  --locks         all that was waited for instead, and who is to blame, as far as FILE says\n"
                            "  --tasks         what tasks and regions took instead, and what the slowest waited for\n"
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
static int sum_up(const char *verb, struct gotrace_reader *r, const char *path, struct report *report, report_fn *fn)
{
    struct stat s;
    stat_init(&s, report->rows);
    bool ok = consume_events(r, &stat_consumer, &s);
    struct stat_input in = {path, !gotrace_reader_error(r)};
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
    struct stat_input in = {path, !gotrace_reader_error(r)};
    if (ok && is_reported(&t.spans, &in, report))
        ok = stat_tasks(&t, &in, report);
    report_end(report);
    tasks_free(&t);
    return outcome("stat", r, path, ok, stdout);
}

void stat_head(const char *verb, const char *path, FILE *out, int rows)
{
    struct report report;
    struct gotrace_reader *r = open_input(verb, path);
    report_init(&report, REPORT_TEXT, out, (size_t)rows);
    if (r)
        sum_up(verb, r, path, &report, stat_report_head);
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

int cmd_stat(int argc, char **argv)
{
    size_t rows = 0;
    const char *exe = NULL;
    bool tasks = false, locks = false, json = false, csv = false;
    for (int c; (c = next_option(&arguments, argc, argv)) != -1;) {
        switch (c) {
        case 'h': return show_usage(&arguments);
        case 'n':
            if (parse_rows(optarg, &rows))
                break;
            complain("stat", "-n %s: not a number from 1 to %d", optarg, MAX_ROWS);
            return EXIT_USAGE;
        case 'l': locks = true; break;
        case 't': tasks = true; break;
        case 'j': json = true; break;
        case 'c': csv = true; break;
        case 'b': exe = optarg; break;
        default: return EXIT_USAGE;
        }
    }
    if (locks && tasks) {
        complain("stat", "--locks and --tasks are two reports");
        return EXIT_USAGE;
    }
    if (json && csv) {
        complain("stat", "--json and --csv are two formats");
        return EXIT_USAGE;
    }
    rows = rows ? rows : json || csv ? REPORT_ALL : locks ? MAX_ROWS : DEFAULT_ROWS;
    if (!has_operands(&arguments, argc, 1, 1, "a FILE"))
        return EXIT_USAGE;
    struct binary *binary = exe ? binary_open("stat", exe) : NULL;
    struct gotrace_reader *r = exe && !binary ? NULL : open_input("stat", argv[optind]);
    int status = EXIT_USAGE;
    struct report report;
    report_init(&report, json ? REPORT_JSON : csv ? REPORT_CSV : REPORT_TEXT, stdout, rows);
    if (r) {
        binary_name_frames(binary, r);
        status = tasks ? sum_up_tasks(r, argv[optind], &report)
                       : sum_up("stat", r, argv[optind], &report, locks ? stat_report_locks : stat_report);
    }
    gotrace_reader_free(r);
    binary_free(binary);
    return status;
}
