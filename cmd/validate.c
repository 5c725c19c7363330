/* thrace validate FILE…: whether traces are what they should be. */
#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/input.h"

static const char usage[] = "usage: thrace validate FILE…\n"
                            "\n"
                            "Checks Go execution traces and prints a line for each rule that one breaks.\n"
                            "FILE may be -, standard input.\n"
                            "Exit status: 0 all are valid, 1 one is not, 2 one cannot be read.\n";

static void report(void *path, const struct gotrace_error *violation)
{
    print_error(stdout, path, violation);
}

static int validate(char *path)
{
    struct gotrace_reader *r = open_input("validate", path);
    if (!r)
        return EXIT_USAGE;
    struct gotrace_summary sum;
    int status = EXIT_OK;
    if (!gotrace_validate(r, report, path, &sum)) {
        const struct gotrace_error *e = gotrace_reader_error(r);
        complain("validate", "%s: %s", path, e ? e->message : "out of memory");
        status = EXIT_USAGE;
    } else if (sum.violations) {
        status = EXIT_INVALID;
    } else {
        printf("%s: valid: go 1.%d, %" PRIu64 " generation%s, %" PRIu64 " events\n", path, gotrace_reader_version(r),
               sum.generations, sum.generations == 1 ? "" : "s", sum.events);
    }
    gotrace_reader_free(r);
    return status;
}

int cmd_validate(int argc, char **argv)
{
    int worst = EXIT_OK;
    if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
        fputs(usage, stdout);
        return EXIT_OK;
    }
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            argc = 0;
    if (argc < 2) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        int status = validate(argv[i]);
        if (status > worst)
            worst = status;
    }
    if (fflush(stdout)) {
        complain("validate", "cannot write the report");
        return EXIT_USAGE;
    }
    return worst;
}
