/* thrace stat FILE: where the time of a trace's threads went. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/stat.h"
#include "cmd/stat_report.h"
#include "cmd/verbs.h"
#include "parser/analyze/stat_collect.h"

enum { DEFAULT_ROWS = 10, MAX_ROWS = 100000 };

static const char usage[] = "usage: thrace stat [-n N] [--binary EXE] FILE\n"
                            "\n"
                            "Sums up where the threads (goroutines) of a Go execution trace spent their time: states,\n"
                            "waits and who ended them, system calls, threads. FILE may be -, standard input.\n"
                            "  -n N, --rows N  rows in each table (default: 10); one more is for the rest\n"
                            "  --binary EXE    of a trace of Go 1.5 or 1.6, the program, which names functions\n"
                            "Exit status: 0 all was read, 1 the trace is invalid from some point on, 2 unreadable.\n";
static const struct option options[] = {
    {"rows", required_argument, NULL, 'n'},
    {"binary", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"stat", usage, ":hn:", options};

typedef bool report_fn(const struct stat *s, const char *path, FILE *out);

/* Reads all of r and prints the tables. Returns the exit status. */
static int sum_up(const char *verb, struct gotrace_reader *r, const char *path, size_t rows, report_fn *report,
                  FILE *out)
{
    struct stat s;
    stat_init(&s, rows);
    bool ok = consume_events(r, &stat_consumer, &s);
    const struct gotrace_error *e = gotrace_reader_error(r);
    int status = error_status(e);
    ok = ok && (!s.spans.nevents || report(&s, path, out));
    stat_free(&s);
    if (!ok) {
        complain(verb, "out of memory");
        return EXIT_USAGE;
    }
    if (e) {
        fflush(out);
        fprintf(stderr, "thrace %s: ", verb);
        print_error(stderr, path, e);
    }
    return status;
}

void stat_head(const char *verb, const char *path, FILE *out, int rows)
{
    struct gotrace_reader *r = open_input(verb, path);
    if (r)
        sum_up(verb, r, path, (size_t)rows, stat_report_head, out);
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
    size_t rows = DEFAULT_ROWS;
    const char *exe = NULL;
    for (int c; (c = next_option(&arguments, argc, argv)) != -1;) {
        switch (c) {
        case 'h': return show_usage(&arguments);
        case 'n':
            if (parse_rows(optarg, &rows))
                break;
            complain("stat", "-n %s: not a number from 1 to %d", optarg, MAX_ROWS);
            return EXIT_USAGE;
        case 'b': exe = optarg; break;
        default: return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 1, 1, "a FILE"))
        return EXIT_USAGE;
    struct binary *binary = exe ? binary_open("stat", exe) : NULL;
    struct gotrace_reader *r = exe && !binary ? NULL : open_input("stat", argv[optind]);
    int status = EXIT_USAGE;
    if (r) {
        binary_name_frames(binary, r);
        status = sum_up("stat", r, argv[optind], rows, stat_report, stdout);
    }
    gotrace_reader_free(r);
    binary_free(binary);
    return status;
}
