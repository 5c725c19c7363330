/* thrace stat FILE: where the time of a trace's threads went. */
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/span_options.h"
#include "cmd/stat.h"
#include "cmd/stat_report.h"
#include "cmd/stat_tasks.h"
#include "cmd/terminal.h"
#include "cmd/verbs.h"
#include "parser/analyze/span_learn.h"
#include "parser/analyze/stat_collect.h"

enum { DEFAULT_ROWS = 10, MAX_ROWS = 100000, MAX_HZ = 1000000 };

static const char usage[] =
    "usage: thrace stat [OPTION]... [--locks] [--lock-stats] [--waits] [--syscalls] [--cpu] [--run-queue]\n"
    "                   [--threads] [--heap] [--tasks] [--all] [--json | --csv] FILE\n"
    "\n"
    "Sums up where the threads (goroutines) of a Go execution trace spent their time: a screen of\n"
    "states, locks and who held them, waits that held work up, system calls, threads; or what is\n"
    "asked for. FILE may be -, standard input.\n"
    "  -n N, --rows N  rows in each table\n"
    "  --locks         all that was waited for, and who is to blame, as far as FILE says\n"
    "  --lock-stats    how often each lock was taken, and how long it was held, if that was recorded\n"
    "  --waits         all waits: where, what for, and who ended them\n"
    "  --syscalls      all system calls, by function and place\n"
    "  --cpu           functions by samples of the CPU\n"
    "  --run-queue     for how long threads could run and had no processor, as far as FILE says\n"
    "  --threads       threads one by one\n"
    "  --heap          memory in use\n"
    "  --tasks         what tasks and regions took, and what the slowest waited for\n"
    "  --all           all of these\n"
    "  --sort COLUMN   sort the tables that have such a column by it\n"
    "  --depth N       tell waits and system calls apart by N frames, and show all of these\n"
    "  --cpu-hz N      CPU samples in a second, whatever FILE says\n"
    SPAN_USAGE
    COLOR_USAGE
    "  --json, --csv   the same for programs, all rows and exact; the man page has the keys\n"
    "  --binary EXE    of a trace of Go 1.5 or 1.6, the program, which names functions\n"
    "Exit status: 0 all was read, 1 the trace is invalid from some point on, 2 unreadable.\n";

enum { SECTION = 0x1000 }; /* and its bits */
_Static_assert((int)SPAN_OPTION_LAST <= (int)SECTION, "no option is two");
static const struct option options[] = {
    {"rows", required_argument, NULL, 'n'},
    {"locks", no_argument, NULL, SECTION | STAT_LOCKS},
    {"lock-stats", no_argument, NULL, SECTION | STAT_LOCK_STATS},
    {"waits", no_argument, NULL, SECTION | STAT_WAITS},
    {"syscalls", no_argument, NULL, SECTION | STAT_SYSCALLS},
    {"cpu", no_argument, NULL, SECTION | STAT_CPU},
    {"run-queue", no_argument, NULL, SECTION | STAT_RUN_QUEUE},
    {"threads", no_argument, NULL, SECTION | STAT_THREADS},
    {"heap", no_argument, NULL, SECTION | STAT_HEAP},
    {"tasks", no_argument, NULL, SECTION | STAT_TASKS},
    {"all", no_argument, NULL, SECTION | STAT_ALL},
    {"sort", required_argument, NULL, 's'},
    {"depth", required_argument, NULL, 'd'},
    {"cpu-hz", required_argument, NULL, 'z'},
    {"json", no_argument, NULL, 'j'},
    {"csv", no_argument, NULL, 'c'},
    {"binary", required_argument, NULL, 'b'},
    SPAN_OPTIONS,
    COLOR_OPTION,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"stat", usage, ":hn:", options};

/* What was asked for. */
struct choice {
    size_t rows; /* 0: the usual numbers */
    unsigned sections;
    bool tasks; /* asked for as such */
    const char *sort;
    size_t depth, hz;
    bool json, csv;
    const char *exe;
    struct span_options only;
};

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

/* What is read has something to say; for programs also that it is empty, if it is no more than that. */
static bool is_reported(const struct spans *s, const struct stat_input *in, const struct report *r)
{
    return s->nevents || (report_is_data(r) && in->complete);
}

/* What is made of the events: one of them, or both. */
struct sums {
    struct stat *stat;
    struct tasks *tasks;
};

static bool sums_begin(void *state, const struct gotrace_reader *r)
{
    struct sums *s = state;
    return (!s->stat || stat_consumer.begin(s->stat, r)) && (!s->tasks || tasks_consumer.begin(s->tasks, r));
}

static bool sums_event(void *state, const struct gotrace_event *ev)
{
    struct sums *s = state;
    return (!s->stat || stat_consumer.event(s->stat, ev)) && (!s->tasks || tasks_consumer.event(s->tasks, ev));
}

static bool sums_end(void *state)
{
    struct sums *s = state;
    return (!s->stat || stat_consumer.end(s->stat)) && (!s->tasks || tasks_consumer.end(s->tasks));
}

static bool read_all(struct gotrace_reader *r, struct sums *sums)
{
    static const struct event_consumer both = {sums_begin, sums_event, sums_end};
    if (sums->stat && !sums->tasks)
        return consume_events(r, &stat_consumer, sums->stat);
    return consume_events(r, &both, sums);
}

static void set_up(struct stat *s, const struct choice *c, const struct report *report)
{
    stat_init(s, report->brief && !c->rows ? DEFAULT_ROWS : c->sort ? REPORT_ALL : report->rows);
    s->spans.filter = c->only.filter;
    s->hz = c->hz;
    s->spans.texts.depth = (unsigned)c->depth;
    s->waker_stacks = c->depth || report_is_data(report);
}

/* Reads all of r and reports it. Returns the exit status. */
static int sum_up(struct gotrace_reader *r, const char *path, const struct choice *c, struct report *report)
{
    struct stat s;
    struct tasks t;
    bool tasks = c->sections & STAT_TASKS, stat = c->sections != STAT_TASKS, ok;
    struct sums sums = {stat ? &s : NULL, tasks ? &t : NULL};
    set_up(&s, c, report);
    tasks_init(&t, c->rows ? c->rows : DEFAULT_ROWS);
    ok = read_all(r, &sums);
    struct stat_input in = {path, !gotrace_reader_error(r), c->only.filter ? &c->only : NULL};
    if (ok && is_reported(stat ? &s.spans : &t.spans, &in, report)) {
        report_pages(report);
        ok = !stat || stat_report(&s, c->sections, &in, report);
        ok = ok && (!tasks || stat_tasks(&t, stat ? NULL : &in, report));
    }
    report_end(report);
    bool unsorted = ok && report->sort && !report->sorted && s.spans.nevents + t.spans.nevents;
    stat_free(&s);
    tasks_free(&t);
    if (!unsorted)
        return outcome("stat", r, path, ok, stdout);
    complain("stat", "--sort %s: no table has such a column", report->sort);
    return EXIT_USAGE;
}

void stat_head(const char *verb, const char *path, FILE *out)
{
    struct report report;
    struct stat s;
    struct gotrace_reader *r = open_input(verb, path);
    if (!r)
        return;
    report_init(&report, REPORT_TEXT, out, DEFAULT_ROWS);
    report.brief = report.few = true;
    stat_init(&s, DEFAULT_ROWS);
    bool ok = consume_events(r, &stat_consumer, &s);
    struct stat_input in = {path, !gotrace_reader_error(r), NULL};
    if (ok && s.spans.nevents)
        ok = stat_report_head(&s, &in, &report);
    stat_free(&s);
    outcome(verb, r, path, ok, out);
    gotrace_reader_free(r);
}

/* False, and a complaint: it is wrong. */
static bool take_option(struct choice *choice, int c)
{
    switch (c) {
    case 'n': return take_number("stat", "-n", optarg, MAX_ROWS, &choice->rows);
    case 'd': return take_number("stat", "--depth", optarg, STAT_DEEPEST, &choice->depth);
    case 'z': return take_number("stat", "--cpu-hz", optarg, MAX_HZ, &choice->hz);
    case 's': choice->sort = optarg; return true;
    case 'j': choice->json = true; return true;
    case 'c': choice->csv = true; return true;
    case 'b': choice->exe = optarg; return true;
    case OPTION_COLOR: return take_color("stat", optarg);
    case '?': return false;
    default:
        if (c < SECTION)
            return span_options_take(&choice->only, "stat", c, optarg);
        choice->sections |= (unsigned)c & STAT_ALL;
        choice->tasks |= ((unsigned)c & STAT_ALL) == STAT_TASKS;
        return true;
    }
}

static bool is_sound(struct choice *c)
{
    if (c->only.filter && !c->tasks)
        c->sections &= ~(unsigned)STAT_TASKS;
    const char *wrong = c->json && c->csv ? "--json and --csv are two formats"
                        : c->sections & STAT_TASKS && c->only.filter
                            ? "--tasks sums up whole tasks: it takes no filters"
                            : NULL;
    if (wrong)
        complain("stat", "%s", wrong);
    return !wrong && span_options_check(&c->only, "stat");
}

static int report_on(const struct choice *c, struct gotrace_reader *r, const char *path)
{
    struct report report;
    bool data = c->json || c->csv;
    report_init(&report, c->json ? REPORT_JSON : c->csv ? REPORT_CSV : REPORT_TEXT, stdout,
                c->rows ? c->rows : REPORT_ALL);
    report.brief = !data && !c->sections;
    report.few = !c->rows;
    report.sort = c->sort;
    return sum_up(r, path, c, &report);
}

/* Reads the trace for what the filter has to know first. */
static bool learn(const struct choice *c, struct twice *input, struct binary *binary)
{
    struct gotrace_reader *r = twice_read(input, "stat");
    if (!r)
        return false;
    binary_name_frames(binary, r);
    show_progress(r, "stat", input->path);
    bool ok = span_filter_learn(c->only.filter, r);
    if (!ok)
        complain("stat", "out of memory");
    gotrace_reader_free(r);
    return ok && span_options_check(&c->only, "stat");
}

static int read_and_report(const struct choice *c, const char *path, struct binary *binary)
{
    struct twice input = {.path = path, .fd = -1, .copy = -1};
    bool first = c->only.filter && span_filter_must_learn(c->only.filter);
    bool ok = !first || (twice_open(&input, "stat", path) && learn(c, &input, binary));
    struct gotrace_reader *r = ok ? twice_read(&input, "stat") : NULL;
    int status = EXIT_USAGE;
    if (r) {
        binary_name_frames(binary, r);
        show_progress(r, "stat", path);
        status = report_on(c, r, path);
    }
    gotrace_reader_free(r);
    twice_close(&input);
    return status;
}

int cmd_stat(int argc, char **argv)
{
    struct choice choice = {.rows = 0};
    int status = EXIT_USAGE, c;
    bool ok = true;
    while (ok && (c = next_option(&arguments, argc, argv)) != -1 && c != 'h')
        ok = take_option(&choice, c);
    if (ok && c == 'h') {
        status = show_usage(&arguments);
    } else if (ok && is_sound(&choice) && has_operands(&arguments, argc, 1, 1, "a FILE")) {
        struct binary *binary = choice.exe ? binary_open("stat", choice.exe) : NULL;
        if (binary || !choice.exe)
            status = read_and_report(&choice, argv[optind], binary);
        binary_free(binary);
    }
    span_options_free(&choice.only);
    return status;
}
