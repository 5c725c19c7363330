/* thrace convert --trace-version=1.NN IN OUT: a trace in another version of the format. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/filter.h"
#include "cmd/input.h"
#include "cmd/v1_losses.h"
#include "cmd/verbs.h"
#include "lib/wire/version.h"
#include "parser/batch.h"
#include "parser/convert.h"
#include "parser/from_v1/from_v1.h"

static const char usage[] = "usage: thrace convert --trace-version=1.NN IN OUT\n"
                            "\n"
                            "Writes the Go execution trace IN in another version of the format to OUT. What that\n"
                            "version cannot express is dropped and counted on standard error.\n"
                            "IN and OUT may be -, standard input and output.\n"
                            "  --trace-version 1.NN  the version to write, one of"
#define WIRE_VERSION(nn, ...) " 1." #nn
#include "lib/wire/versions.def"
#undef WIRE_VERSION
                            "\n"
                            "Exit status: 0 done, 1 IN is invalid, 2 it cannot be read, or OUT not be written.\n";
static const struct option options[] = {
    {"trace-version", required_argument, NULL, 'v'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"convert", usage, ":h", options};

struct conversion {
    struct filter files;
    const struct wire_version *to;
};

static ssize_t read_fd(void *arg, void *buf, size_t size)
{
    return read(*(int *)arg, buf, size);
}

static bool write_file(void *arg, const void *data, size_t size)
{
    return fwrite(data, 1, size, arg) == size;
}

static void report(const struct converted *done)
{
    hide_progress();
    for (unsigned id = 0; id < 256; id++)
        if (done->dropped[id])
            complain("convert", "dropped %llu %s", (unsigned long long)done->dropped[id], event_name(id));
    if (done->status_stacks)
        complain("convert", "dropped the stacks of %llu GoStatusStack", (unsigned long long)done->status_stacks);
    if (done->create_stacks)
        complain("convert", "dropped the stacks of %llu GoCreate", (unsigned long long)done->create_stacks);
    if (done->short_strings)
        complain("convert", "shortened %llu strings", (unsigned long long)done->short_strings);
    if (done->short_stacks)
        complain("convert", "shortened %llu stacks", (unsigned long long)done->short_stacks);
    if (done->made_clocks)
        complain("convert", "made up %llu ClockSnapshot", (unsigned long long)done->made_clocks);
}

static int say_failure(const struct conversion *c, const struct failure *f)
{
    hide_progress();
    if (!f->error.status) {
        complain("convert", "cannot write: %s", strerror(errno));
        return EXIT_USAGE;
    }
    fputs("thrace convert: ", stderr);
    print_error(stderr, c->files.in, &f->error);
    return error_status(&f->error);
}

static int convert_to_v1(const struct conversion *c, FILE *in, FILE *out)
{
    struct failure f = {0};
    struct as_v1_losses losses = {0};
    struct gotrace_reader *r = gotrace_reader_open_fd(fileno(in));
    if (r)
        show_progress(r, "convert", c->files.in);
    bool done = r && as_v1_convert(r, c->to->nn, write_file, out, &losses, &f);
    if (!r)
        fail(&f, GOTRACE_ENOMEM, (struct place){.thread = GOTRACE_NONE}, "out of memory");
    hide_progress();
    int status = done ? EXIT_OK : say_failure(c, &f);
    if (done)
        report_v1_losses("convert", &losses);
    gotrace_reader_free(r);
    return status;
}

static int convert(void *arg, FILE *in, FILE *out)
{
    const struct conversion *c = arg;
    int fd = fileno(in), status = EXIT_OK;
    struct source s = {.read = read_fd, .arg = &fd};
    struct failure f = {0};
    struct converted done;
    if (c->to->old)
        return convert_to_v1(c, in, out);
    s.tell = begin_progress("convert", c->files.in);
    const struct wire_version *from = read_any_header(&s, &f);
    if (from && (from->old ? convert_v1(&s, c->to, write_file, out, &done, &f)
                           : convert_trace(&s, from, c->to, write_file, out, &done, &f)))
        report(&done);
    else
        status = say_failure(c, &f);
    hide_progress();
    source_free(&s);
    return status;
}

int cmd_convert(int argc, char **argv)
{
    struct conversion c = {{.verb = "convert", .in_name = "IN", .out_name = "OUT"}, NULL};
    for (int o; (o = next_option(&arguments, argc, argv)) != -1;) {
        switch (o) {
        case 'h': return show_usage(&arguments);
        case 'v':
            if ((c.to = wire_version_named(optarg)))
                break;
            complain("convert", "unknown version \"%s\"; known are %s", optarg, WIRE_VERSION_NAMES);
            return EXIT_USAGE;
        default: return EXIT_USAGE;
        }
    }
    if (!c.to)
        return wrong_use(&arguments, "--trace-version is missing");
    if (!has_operands(&arguments, argc, 2, 2, "IN or OUT"))
        return EXIT_USAGE;
    c.files.in = argv[optind];
    c.files.out = argv[optind + 1];
    return filter_run(&c.files, convert, &c);
}
