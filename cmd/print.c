/* thrace print FILE: the events of a trace as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/verbs.h"
#include "parser/analyze/consumer.h"
#include "parser/event_print.h"

static const char usage[] = "usage: thrace print FILE\n"
                            "\n"
                            "Prints the events of a Go execution trace in order, as Go's own tools do.\n"
                            "FILE may be -, standard input.\n"
                            "Exit status: 0 all was read, 1 the trace is invalid from some point on, 2 unreadable.\n";
static const struct arguments arguments = {"print", usage, ":h", only_help};

enum { FLUSH_AT = 64 << 10 };

static bool flush(struct raw_buffer *o)
{
    bool ok = !o->failed && (!o->size || fwrite(o->at, 1, o->size, stdout) == o->size);
    o->size = 0;
    return ok;
}

static bool print(void *o, const struct gotrace_event *ev)
{
    event_print(o, ev);
    return ((struct raw_buffer *)o)->size < FLUSH_AT || flush(o);
}

static bool end(void *o) { return flush(o) && !fflush(stdout); }

static const struct event_consumer printer = {.event = print, .end = end};

int cmd_print(int argc, char **argv)
{
    int status;
    if (!only_operands(&arguments, argc, argv, 1, 1, "a FILE", &status))
        return status;
    const char *path = argv[optind];
    struct gotrace_reader *r = open_input("print", path);
    if (!r)
        return EXIT_USAGE;
    struct raw_buffer o = {0};
    if (!consume_events(r, &printer, &o)) {
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
    raw_buffer_free(&o);
    gotrace_reader_free(r);
    return status;
}
