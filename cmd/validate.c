/* thrace validate FILE…: checks traces. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/verbs.h"

static const char usage[] = "usage: thrace validate FILE…\n"
                            "\n"
                            "Checks Go execution traces and prints a line for each rule that one breaks.\n"
                            "FILE may be -, standard input.\n"
                            "Exit status: 0 all are valid, 1 one is not, 2 one cannot be read.\n";
static const struct arguments arguments = {"validate", usage, ":h", only_help};

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
    show_progress(r, "validate", path);
    if (!gotrace_reader_validate(r, report, path, &sum)) {
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
    int worst = EXIT_OK, wrong;
    if (!only_operands(&arguments, argc, argv, 1, INT_MAX, "a FILE", &wrong))
        return wrong;
    for (int i = optind; i < argc; i++) {
        int status = validate(argv[i]);
        if (status > worst)
            worst = status;
    }
    return worst;
}
