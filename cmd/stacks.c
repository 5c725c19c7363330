/* thrace stacks: what the threads of a process do right now, or did when it ended. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/finish/process_life.h"
#include "cmd/span_options.h"
#include "cmd/stacks/core.h"
#include "cmd/stacks/report.h"
#include "cmd/verbs.h"

static const char usage[] =
    "usage: thrace stacks [OPTION…] PID|CORE-FILE\n"
    "\n"
    "Prints the stacks of all threads of a process, equal ones once, what they wait for and who holds it. Nothing is\n"
    "loaded into the process. Threads are only stopped if they run, or have frames that are not found otherwise, for\n"
    "as long as it takes to copy these: well below a millisecond where there is a processor to be had.\n"
    "Of a core file it prints the same, as things were in the end. One whose name is a number needs a path: ./4711\n"
    "\n"
    "  --every TIME    again and again, until the process ends: 1s, 500ms\n"
    "  --times N       so many times at most\n"
    "  --depth N       frames of each stack\n"
    "  --stop WHICH    threads that may be stopped: safe, all but those whose system call would then fail or end\n"
    "                  early, such as epoll_wait and write (default), none, or all\n"
    "  -h, --help      print this\n"
    "\n"
    "Exit status: 0 told, 2 the process or the core file cannot be looked at.\n";

enum { OPTION_EVERY = 256, OPTION_TIMES, OPTION_DEPTH, OPTION_STOP };

static const struct option longs[] = {
    {"every", required_argument, NULL, OPTION_EVERY},
    {"times", required_argument, NULL, OPTION_TIMES},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"stop", required_argument, NULL, OPTION_STOP},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const struct arguments arguments = {"stacks", usage, ":h", longs};

struct wanted {
    uint64_t every_ns; /* 0: once */
    size_t times, depth;
    enum stops stops;
    pid_t pid;
    const char *core; /* NULL: it is a process */
};

static bool is_number(const char *text) { return *text && !text[strspn(text, "0123456789")]; }

static bool take_stops(const char *text, enum stops *stops)
{
    static const char *const names[] = {[STOP_SAFE] = "safe", [STOP_NONE] = "none", [STOP_ALL] = "all"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            *stops = (enum stops)i;
            return true;
        }
    return false;
}

/* What keeps names from being found, once. */
static void say_what_is_missing(const struct look *l)
{
    const struct symbolize_message *m;
    for (size_t i = 0; (m = symbolize_message(l->symbolizer, i)); i++)
        if (m->advice != SYMBOLIZE_NO_DEBUG_INFO || m->module == l->program)
            complain("stacks", "%s", m->text);
}

/* What goes on from look to look. */
struct looks {
    uint64_t started; /* when the process began, 0 at the first look */
    int failed;       /* how many in a row could not be done: a process that calls exec has nothing for a moment */
};

enum { FAILED_MAX = 10 };

/*
 * EXIT_OK, or the exit status after a complaint. That the process has ended since the first look is nothing to complain
 * of.
 */
static int look_and_report(const struct wanted *w, struct looks *looks, bool *ended)
{
    struct look look;
    int status = EXIT_OK;
    const char *wrong = look_at(&look, w->pid, w->stops);
    bool first = !looks->started;
    *ended = !first && !process_goes_on(w->pid, looks->started);
    if (!wrong && !*ended) {
        looks->started = look.process.started;
        if (first)
            say_what_is_missing(&look);
        else
            putchar('\n');
        wrong = report_stacks(&look, w->depth, stdout) ? NULL : no_memory;
    }
    looks->failed = wrong ? looks->failed + 1 : 0;
    if (wrong && !*ended && (first || looks->failed == FAILED_MAX)) {
        complain("stacks", "%ld: %s", (long)w->pid, wrong);
        status = EXIT_USAGE;
    }
    look_free(&look);
    return status;
}

static int look_at_end(const struct wanted *w)
{
    struct look look;
    const char *wrong = look_at_core(&look, w->core);
    if (!wrong) {
        if (look.process.core->is_cut_off)
            complain("stacks", "%s: it is cut off: stacks end where their memory is missing", w->core);
        if (!look.process.core->has_files)
            complain("stacks", "%s: it does not say which files were mapped: nothing has a name", w->core);
        else
            say_what_is_missing(&look);
        wrong = report_stacks(&look, w->depth, stdout) ? NULL : no_memory;
    }
    if (wrong)
        complain("stacks", "%s: %s", w->core, wrong);
    look_free(&look);
    return wrong ? EXIT_USAGE : EXIT_OK;
}

static int repeat(const struct wanted *w)
{
    struct timespec next;
    struct looks looks = {0};
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (size_t i = 0; i < w->times; i++) {
        bool ended;
        if (i) {
            next.tv_sec += (time_t)(w->every_ns / 1000000000u);
            next.tv_nsec += (long)(w->every_ns % 1000000000u);
            if (next.tv_nsec >= 1000000000) {
                next.tv_nsec -= 1000000000;
                next.tv_sec++;
            }
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        }
        int status = look_and_report(w, &looks, &ended);
        if (status != EXIT_OK || ended)
            return status;
        fflush(stdout);
        if (ferror(stdout))
            return EXIT_OK; /* main() says so */
    }
    return EXIT_OK;
}

int cmd_stacks(int argc, char **argv)
{
    struct wanted w = {.times = 1, .depth = SIZE_MAX};
    bool times_given = false, stops_given = false;
    for (int option; (option = next_option(&arguments, argc, argv)) != -1;) {
        switch (option) {
        case OPTION_EVERY:
            if (!span_options_time(optarg, &w.every_ns) || !w.every_ns)
                return wrong_use(&arguments, "--every %s is no time: 1s, 500ms", optarg);
            break;
        case OPTION_TIMES:
            if (!take_number("stacks", "--times", optarg, SIZE_MAX, &w.times))
                return EXIT_USAGE;
            times_given = true;
            break;
        case OPTION_DEPTH:
            if (!take_number("stacks", "--depth", optarg, SIZE_MAX, &w.depth))
                return EXIT_USAGE;
            break;
        case OPTION_STOP:
            if (!take_stops(optarg, &w.stops))
                return wrong_use(&arguments, "--stop %s: it is safe, none or all", optarg);
            stops_given = true;
            break;
        case 'h':
            return show_usage(&arguments);
        default:
            return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 1, 1, "a PID, or a core file"))
        return EXIT_USAGE;
    if (!is_number(argv[optind])) {
        w.core = argv[optind];
        if (w.every_ns || times_given || stops_given)
            return wrong_use(&arguments, "%s is no process ID: --every, --times and --stop are for what runs", w.core);
        return look_at_end(&w);
    }
    if (!take_pid(argv[optind], &w.pid))
        return wrong_use(&arguments, "\"%s\" is no process ID", argv[optind]);
    if (w.every_ns && !times_given)
        w.times = SIZE_MAX;
    else if (times_given && !w.every_ns)
        return wrong_use(&arguments, "--times needs --every");
    return repeat(&w);
}
