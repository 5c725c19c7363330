/* thrace print FILE: the events of a trace as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/flush.h"
#include "cmd/input.h"
#include "cmd/print_v1.h"
#include "cmd/verbs.h"
#include "parser/analyze/consumer.h"
#include "parser/event_print.h"

static const char usage[] = "usage: thrace print [--v1] [--binary EXE] FILE\n"
                            "\n"
                            "Prints the events of a Go execution trace in order, as Go's own tools do.\n"
                            "FILE may be -, standard input.\n"
                            "  --v1          of a trace of Go 1.5 to 1.21, its events as Go 1.21 prints them\n"
                            "  --binary EXE  of a trace of Go 1.5 or 1.6, the program, which names functions\n"
                            "Exit status: 0 all was read, 1 the trace is invalid from some point on, 2 unreadable.\n";
static const struct option options[] = {
    {"v1", no_argument, NULL, '1'},
    {"binary", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"print", usage, ":h", options};

struct printed {
    struct raw_buffer out;
    struct stack_texts stacks;
};

static bool print(void *state, const struct gotrace_event *ev)
{
    struct printed *p = state;
    event_print(&p->out, ev, &p->stacks);
    return flush_when_full(&p->out);
}

static bool end(void *state) { return flush_all(&((struct printed *)state)->out); }

static const struct event_consumer printer = {.event = print, .end = end};

static int print_file(const char *path, struct binary *binary)
{
    int status;
    struct gotrace_reader *r = open_input("print", path);
    if (!r)
        return EXIT_USAGE;
    binary_name_frames(binary, r);
    struct printed p = {0};
    if (!consume_events(r, &printer, &p)) {
        complain("print", "cannot write the events: %s", strerror(errno));
        status = EXIT_USAGE;
    } else {
        const struct gotrace_error *e = gotrace_reader_error(r);
        status = error_status(e);
        if (e) {
            fputs("thrace print: ", stderr);
            print_error(stderr, path, e);
        }
    }
    raw_buffer_free(&p.out);
    stack_texts_free(&p.stacks);
    gotrace_reader_free(r);
    return status;
}

int cmd_print(int argc, char **argv)
{
    bool v1 = false;
    const char *exe = NULL;
    for (int o; (o = next_option(&arguments, argc, argv)) != -1;) {
        switch (o) {
        case 'h': return show_usage(&arguments);
        case '1': v1 = true; break;
        case 'b': exe = optarg; break;
        default: return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 1, 1, "a FILE"))
        return EXIT_USAGE;
    struct binary *binary = exe ? binary_open("print", exe) : NULL;
    if (exe && !binary)
        return EXIT_USAGE;
    int status = v1 ? print_v1(argv[optind], binary) : print_file(argv[optind], binary);
    binary_free(binary);
    return status;
}
