/* thrace finish SPOOL…: makes the traces that recordings left behind. */
#include "config.h"

#include <limits.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/finish/finish.h"
#include "cmd/finish/process_root.h"
#include "cmd/finish_report.h"
#include "cmd/verbs.h"

_Static_assert((int)FINISH_INVALID == EXIT_INVALID && (int)FINISH_FAILED == EXIT_USAGE, "a result is an exit status");

static const char usage[] =
    "usage: thrace finish [-iq] [--anyway] [-o FILE] SPOOL…\n"
    "Makes a trace of each spool that a recording left behind, and removes the spool. The trace of\n"
    "X.spool is X.\n"
    "  -o FILE, --output FILE  write the trace there; for one spool\n"
    "  -i, --ignore-missing    pass over a spool that is not there: somebody else has finished it\n"
    "  -q, --quiet             no summary, and no word about missing debug info\n"
    "  --anyway                also when nobody can tell whether its process has ended; as root also the\n"
    "                          spool of another user, which is kept; that needs -o\n"
    "Exit status: 0 done, 1 a spool is none, 2 one cannot be read, or its trace not be written.\n";
static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"ignore-missing", no_argument, NULL, 'i'},
                                        {"anyway", no_argument, NULL, 'a'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"finish", usage, ":hio:q", options};

int cmd_finish(int argc, char **argv)
{
    struct finish_how how = {.report = complain, .who = "finish", .progress = stderr};
    for (int c; (c = next_option(&arguments, argc, argv)) != -1;) {
        switch (c) {
        case 'h': return show_usage(&arguments);
        case 'a': how.anyway = true; break;
        case 'i': how.may_be_gone = true; break;
        case 'o': how.out = optarg; break;
        case 'q': how.quiet = true; break;
        default: return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 1, INT_MAX, "a SPOOL"))
        return EXIT_USAGE;
    if (how.out && optind + 1 != argc)
        return wrong_use(&arguments, "-o FILE is for one SPOOL");
    char root[PROCESS_ROOT_OWN];
    int worst = EXIT_OK;
    for (int i = optind; i < argc; i++) {
        static struct finish_summary sum;
        process_root_of_path(&how.root, root, argv[i]);
        int status = (int)finish_spool(argv[i], &how, &sum);
        if (!status && !how.quiet && !sum.nothing && !sum.elsewhere)
            finish_report(&sum);
        if (status > worst)
            worst = status;
    }
    return worst;
}
