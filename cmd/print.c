/* thrace print FILE: the events of a trace as text. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/input.h"
#include "parser/event_print.h"

static const char usage[] = "usage: thrace print FILE\n"
                            "\n"
                            "Prints the events of a Go execution trace in order, as Go's own tools do.\n"
                            "FILE may be -, standard input.\n";

enum { FLUSH_AT = 64 << 10 };

static bool flush(struct raw_buffer *o)
{
    bool ok = !o->failed && (!o->size || fwrite(o->at, 1, o->size, stdout) == o->size);
    o->size = 0;
    return ok;
}

static bool print_all(struct gotrace_reader *r)
{
    struct raw_buffer o = {0};
    const struct gotrace_event *ev;
    bool ok = true;
    while (ok && (ev = gotrace_reader_next(r))) {
        event_print(&o, ev);
        ok = o.size < FLUSH_AT || flush(&o);
    }
    ok = ok && flush(&o) && !fflush(stdout);
    raw_buffer_free(&o);
    return ok;
}

int cmd_print(int argc, char **argv)
{
    if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
        fputs(usage, stdout);
        return EXIT_OK;
    }
    if (argc != 2 || (argv[1][0] == '-' && argv[1][1])) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    struct gotrace_reader *r = open_input("print", argv[1]);
    if (!r)
        return EXIT_USAGE;
    int status;
    if (!print_all(r)) {
        complain("print", "cannot write the events");
        status = EXIT_USAGE;
    } else {
        const struct gotrace_error *e = gotrace_reader_error(r);
        status = error_status(e);
        if (e) {
            fputs("thrace print: ", stderr);
            print_error(stderr, argv[1], e);
        }
    }
    gotrace_reader_free(r);
    return status;
}
