/* thrace raw: the wire format as text and back, event by event, whether the trace makes sense or not. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/flush.h"
#include "cmd/verbs.h"
#include "parser/v1/raw.h"

static const char usage[] =
    "usage: thrace raw text2bytes|bytes2text <IN >OUT\n\n"
    "  bytes2text  a Go execution trace as text, an event a line\n"
    "  text2bytes  that text as a trace\n\n"
    "Nothing is checked but that each event exists. Exit status: 0 done, 1 the input is wrong, 2 the command\n"
    "line is wrong, or the input or output cannot be used.\n";
static const struct arguments arguments = {"raw", usage, ":h", only_help};

/* Says what is wrong with the input, NULL if nothing is, and returns the exit status. */
static int input_status(const struct gotrace_error *e)
{
    if (!e)
        return EXIT_OK;
    complain("raw", "%s", e->message);
    return e->sys_errno ? EXIT_USAGE : EXIT_INVALID;
}

static int cannot_write(int error)
{
    complain("raw", "cannot write: %s", strerror(error));
    return EXIT_USAGE;
}

/* A trace of v1. */
static int convert_v1(struct gotrace_raw_reader *in, enum gotrace_raw_format to)
{
    struct v1_raw raw = v1_raw_of(in);
    struct raw_buffer out = {0};
    bool written = true;
    v1_raw_header(&raw, to, &out);
    while (written && v1_raw_next(&raw, to, &out) > 0)
        written = flush_when_full(&out);
    written = written && flush_all(&out);
    int error = out.failed ? ENOMEM : errno;
    raw_buffer_free(&out);
    return written ? input_status(gotrace_raw_reader_error(in)) : cannot_write(error);
}

/* A trace of v2. */
static int convert_v2(struct gotrace_raw_reader *in, int version, enum gotrace_raw_format to)
{
    struct gotrace_raw_writer *out = gotrace_raw_writer_new_file(to, version, stdout);
    struct gotrace_raw_event ev;
    if (!out)
        return cannot_write(errno);
    int written = 0, status;
    while (!written && gotrace_raw_reader_next(in, &ev) > 0)
        written = gotrace_raw_writer_event(out, &ev);
    if (!written)
        written = gotrace_raw_writer_finish(out);
    if (written) {
        complain("raw", "%s", gotrace_raw_writer_error(out)->message);
        status = EXIT_USAGE;
    } else {
        status = input_status(gotrace_raw_reader_error(in));
    }
    gotrace_raw_writer_free(out);
    return status;
}

static int convert(enum gotrace_raw_format from, enum gotrace_raw_format to)
{
    struct gotrace_raw_reader *in = gotrace_raw_reader_open_file(from, stdin);
    if (!in)
        return cannot_write(errno);
    in->takes_v1 = true;
    int version = gotrace_raw_reader_version(in), status;
    if (version < 0)
        status = input_status(gotrace_raw_reader_error(in));
    else if (wire_version_is_old((uint64_t)version))
        status = convert_v1(in, to);
    else
        status = convert_v2(in, version, to);
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
