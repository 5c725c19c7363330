/* thrace export TRACE FILE: makes a file for another tool of what a trace has. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/export/formats.h"
#include "cmd/filter.h"
#include "cmd/verbs.h"

static const char usage[] = "usage: thrace export [-f FORMAT] TRACE FILE\n"
                            "\n"
                            "Writes the heap profile in TRACE, which was recorded with --heap-sample, to FILE, such\n"
                            "as heap.pb.gz, for pprof and \"go tool pprof\": blocks and bytes, allocated and in use.\n"
                            "TRACE and FILE may be -, standard input and output.\n"
                            "  -f FORMAT, --format FORMAT  the format, instead of the one that FILE's suffix says:\n"
#define THRACE_EXPORT(name, suffix, summary) "      " #name " (" suffix ")  " summary "\n"
#include "cmd/export/formats.def"
#undef THRACE_EXPORT
                            "Exit status: 0 done, 1 TRACE has no profile or is invalid, 2 it cannot be read, or FILE\n"
                            "not be written.\n";
static const struct option options[] = {
    {"format", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"export", usage, ":f:h", options};

struct export {
    struct filter files;
    const struct export_format *format;
};

static int export(void *arg, FILE *in, FILE *out)
{
    const struct export *e = arg;
    const char *why = NULL;
    enum export_result result = e->format->function(in, out, &why);
    if (result == EXPORT_UNWRITTEN)
        complain("export", "%s: %s", e->files.out, strerror(errno));
    else if (result != EXPORT_DONE)
        complain("export", "%s: %s", e->files.in, why);
    return result == EXPORT_DONE ? EXIT_OK : result == EXPORT_INVALID ? EXIT_INVALID : EXIT_USAGE;
}

int cmd_export(int argc, char **argv)
{
    struct export e = {{"export", NULL, NULL, "TRACE", "FILE"}, NULL};
    for (int c; (c = next_option(&arguments, argc, argv)) != -1;) {
        switch (c) {
        case 'h': return show_usage(&arguments);
        case 'f':
            if ((e.format = export_format_named(optarg)))
                break;
            return wrong_use(&arguments, "unknown format \"%s\"", optarg);
        default: return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 2, 2, "TRACE or FILE"))
        return EXIT_USAGE;
    e.files.in = argv[optind];
    e.files.out = argv[optind + 1];
    if (!e.format)
        e.format = export_format_for(e.files.out);
    return filter_run(&e.files, export, &e);
}
