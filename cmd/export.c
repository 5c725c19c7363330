/* thrace export TRACE FILE: the heap profile that a trace has, as a file for pprof. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/export/heap_in_trace.h"
#include "cmd/finish/output.h"
#include "cmd/verbs.h"

static const char usage[] = "usage: thrace export TRACE FILE\n"
                            "\n"
                            "Writes the heap profile in TRACE, which was recorded with --heap-sample, to FILE, such\n"
                            "as heap.pb.gz, for pprof and \"go tool pprof\": blocks and bytes, allocated and in use.\n"
                            "TRACE and FILE may be -, standard input and output.\n"
                            "Exit status: 0 done, 1 TRACE has no profile or is invalid, 2 it cannot be read, or FILE\n"
                            "not be written.\n";
static const struct arguments arguments = {"export", usage, ":h", only_help};

static int write_to(const char *path, const void *data, size_t size)
{
    const char *err = output_write(path, 0666, data, size);
    if (!err)
        return EXIT_OK;
    complain("export", "%s: %s", path, err);
    return EXIT_USAGE;
}

static bool same_file(FILE *in, const char *path)
{
    struct stat a, b;
    return strcmp(path, "-") && !fstat(fileno(in), &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

int cmd_export(int argc, char **argv)
{
    int status;
    if (!only_operands(&arguments, argc, argv, 2, 2, "TRACE or FILE", &status))
        return status;
    argv += optind - 1;
    FILE *in = strcmp(argv[1], "-") ? fopen(argv[1], "re") : stdin;
    if (!in) {
        complain("export", "%s: %s", argv[1], strerror(errno));
        return EXIT_USAGE;
    }
    size_t size;
    const char *error;
    int invalid;
    status = EXIT_USAGE;
    void *profile = heap_in_trace_read(in, &size, &error, &invalid);
    if (error) {
        complain("export", "%s: %s", argv[1], error);
        status = invalid ? EXIT_INVALID : EXIT_USAGE;
    } else if (!profile) {
        complain("export", "%s: no heap profile in it; record with --heap-sample=512K", argv[1]);
        status = EXIT_INVALID;
    } else if (same_file(in, argv[2])) {
        complain("export", "%s: TRACE and FILE are the same file", argv[2]);
    } else {
        status = write_to(argv[2], profile, size);
    }
    free(profile);
    if (in != stdin)
        fclose(in);
    return status;
}
