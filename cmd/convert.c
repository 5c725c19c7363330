/* thrace convert --trace-version=1.NN IN OUT: a trace in another version of the format. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/filter.h"
#include "cmd/input.h"
#include "cmd/verbs.h"
#include "parser/batch.h"
#include "parser/convert.h"

static const char usage[] = "usage: thrace convert --trace-version=1.NN IN OUT\n"
                            "\n"
                            "Writes the Go execution trace IN as version 1.22, 1.23, 1.25 or 1.26 to OUT. What that\n"
                            "version cannot express is dropped and counted on standard error.\n"
                            "IN and OUT may be -, standard input and output.\n"
                            "  --trace-version 1.NN  the version to write\n"
                            "Exit status: 0 done, 1 IN is invalid, 2 it cannot be read, or OUT not be written.\n";
static const struct option options[] = {
    {"trace-version", required_argument, NULL, 'v'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"convert", usage, ":h", options};

struct conversion {
    struct filter files;
    int to; /* 1.NN */
};

static ssize_t read_fd(void *arg, void *buf, size_t size)
{
    return read(*(int *)arg, buf, size);
}

static bool write_file(void *arg, const void *data, size_t size)
{
    return fwrite(data, 1, size, arg) == size;
}

static int parse_version(const char *s)
{
    static const int known[] = {22, 23, 25, 26};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char name[8];
        snprintf(name, sizeof name, "1.%d", known[i]);
        if (!strcmp(s, name))
            return known[i];
    }
    return 0;
}

static void report(const struct converted *done)
{
    for (unsigned id = 0; id < 256; id++)
        if (done->dropped[id])
            complain("convert", "dropped %llu %s", (unsigned long long)done->dropped[id], event_name(id));
    if (done->status_stacks)
        complain("convert", "dropped the stacks of %llu GoStatusStack", (unsigned long long)done->status_stacks);
    if (done->made_clocks)
        complain("convert", "made up %llu ClockSnapshot", (unsigned long long)done->made_clocks);
}

static int convert(void *arg, FILE *in, FILE *out)
{
    const struct conversion *c = arg;
    int fd = fileno(in), status = EXIT_OK;
    struct source s = {.read = read_fd, .arg = &fd};
    struct failure f = {0};
    struct converted done;
    int from = read_header(&s, &f);
    if (from && convert_trace(&s, from, c->to, write_file, out, &done, &f)) {
        report(&done);
    } else if (f.error.status) {
        fputs("thrace convert: ", stderr);
        print_error(stderr, c->files.in, &f.error);
        status = error_status(&f.error);
    } else {
        complain("convert", "cannot write: %s", strerror(errno));
        status = EXIT_USAGE;
    }
    source_free(&s);
    return status;
}

int cmd_convert(int argc, char **argv)
{
    struct conversion c = {{"convert", NULL, NULL, "IN", "OUT"}, 0};
    for (int o; (o = next_option(&arguments, argc, argv)) != -1;) {
        switch (o) {
        case 'h': return show_usage(&arguments);
        case 'v':
            if ((c.to = parse_version(optarg)))
                break;
            complain("convert", "unknown version \"%s\"; known are 1.22, 1.23, 1.25 and 1.26", optarg);
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
