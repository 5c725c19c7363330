/* thrace raw: the wire format as text and back, event by event, whether the trace makes sense or not. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/verbs.h"
#include "gotrace/raw.h"

static const char usage[] =
    "usage: thrace raw text2bytes|bytes2text <IN >OUT\n\n"
    "  bytes2text  a Go execution trace (of Go 1.22 or later) as text, an event a line\n"
    "  text2bytes  that text as a trace\n\n"
    "Nothing is checked but that each event exists. Exit status: 0 done, 1 the input is wrong, 2 the command\n"
    "line is wrong, or the input or output cannot be used.\n";
static const struct arguments arguments = {"raw", usage, ":h", only_help};

static int convert(enum gotrace_raw_format from, enum gotrace_raw_format to)
{
    struct gotrace_raw_reader *in = gotrace_raw_reader_open_file(from, stdin);
    struct gotrace_raw_writer *out = NULL;
    struct gotrace_raw_event ev;
    int rc = in ? gotrace_raw_reader_version(in) : -1, status = EXIT_OK, written = 0;
    if (rc > 0) {
        out = gotrace_raw_writer_new_file(to, rc, stdout);
        written = out ? 0 : -1;
    }
    while (rc > 0 && !written && (rc = gotrace_raw_reader_next(in, &ev)) > 0)
        written = gotrace_raw_writer_event(out, &ev);
    if (out && !written)
        written = gotrace_raw_writer_finish(out);
    const struct gotrace_error *e = rc < 0 && in ? gotrace_raw_reader_error(in) : NULL;
    if (!in || (written && !out)) {
        complain("raw", "cannot write: %s", strerror(errno));
        status = EXIT_USAGE;
    } else if (written) {
        complain("raw", "%s", gotrace_raw_writer_error(out)->message);
        status = EXIT_USAGE;
    } else if (e) {
        complain("raw", "%s", e->message);
        status = e->sys_errno ? EXIT_USAGE : EXIT_INVALID;
    }
    gotrace_raw_writer_free(out);
    gotrace_raw_reader_free(in);
    return status;
}

int cmd_raw(int argc, char **argv)
{
    int wrong;
    if (!only_operands(&arguments, argc, argv, 1, 1, "text2bytes or bytes2text", &wrong))
        return wrong;
    if (!strcmp(argv[optind], "bytes2text"))
        return convert(GOTRACE_RAW_BYTES, GOTRACE_RAW_TEXT);
    if (!strcmp(argv[optind], "text2bytes"))
        return convert(GOTRACE_RAW_TEXT, GOTRACE_RAW_BYTES);
    return wrong_use(&arguments, "%s: neither text2bytes nor bytes2text; input comes from stdin", argv[optind]);
}
