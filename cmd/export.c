/* thrace export TRACE FILE: the heap profile that a trace has, as a file for pprof. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/heap_in_trace.h"

static const char usage[] = "usage: thrace export TRACE FILE\n"
                            "\n"
                            "Writes the heap profile in TRACE, which was recorded with --heap-sample, to FILE, such\n"
                            "as heap.pb.gz, for pprof and \"go tool pprof\": blocks and bytes, allocated and in use.\n"
                            "TRACE and FILE may be -, standard input and output.\n";

static int write_to(const char *path, const void *data, size_t size)
{
    bool to_file = strcmp(path, "-") != 0;
    FILE *out = to_file ? fopen(path, "we") : stdout;
    bool ok = out && fwrite(data, 1, size, out) == size;
    int err = errno;
    if (out && (to_file ? fclose(out) : fflush(out)) && ok) {
        ok = false;
        err = errno;
    }
    if (ok)
        return EXIT_OK;
    complain("export", "%s: %s", path, strerror(err));
    struct stat st;
    if (out && to_file && !stat(path, &st) && S_ISREG(st.st_mode))
        unlink(path); /* half a profile helps nobody */
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
    if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
        fputs(usage, stdout);
        return EXIT_OK;
    }
    if (argc != 3 || (argv[1][0] == '-' && argv[1][1]) || (argv[2][0] == '-' && argv[2][1])) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    FILE *in = strcmp(argv[1], "-") ? fopen(argv[1], "re") : stdin;
    if (!in) {
        complain("export", "%s: %s", argv[1], strerror(errno));
        return EXIT_USAGE;
    }
    size_t size;
    const char *error;
    int invalid, status = EXIT_USAGE;
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
