/* thrace VERB …: finds the verb and runs it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/input.h"
#include "cmd/terminal.h"
#include "cmd/verbs.h"
#include "lib/options/spelling.h"

static const struct verb {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {
#define THRACE_VERB(name, summary) {#name, summary, cmd_##name},
#include "cmd/verbs.def"
#undef THRACE_VERB
};

enum { NVERBS = sizeof verbs / sizeof verbs[0] };

static void usage(FILE *out)
{
    fputs("usage: thrace VERB [OPTION…] …\n\n", out);
    for (int i = 0; i < NVERBS; i++)
        fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
    fputs("\nthrace help VERB, or thrace VERB -h, tells more; so does the man page thrace-VERB(1).\n"
          "  -h, --help     print this\n"
          "  -V, --version  print the version\n",
          out);
}

/*
 * No file that a verb opens may become one of the three. A placeholder fails as a closed descriptor does, and is closed
 * again in the program that thrace record executes.
 */
static void hold_standard_descriptors(void)
{
    static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", useless[fd] | O_CLOEXEC) != fd)
            return;
}

/* A verb does not succeed when its output could not be written. */
static int after_output(const char *name, int status)
{
    hide_progress();
    if (!end_pages(name))
        return EXIT_USAGE;
    bool failed = ferror(stdout);
    errno = 0;
    failed |= fflush(stdout) != 0;
    if (!failed || status > EXIT_INVALID)
        return status;
    complain(name, "cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return EXIT_USAGE;
}

static const struct verb *find(const char *name)
{
    struct spelling s = spelling_of(piece_of(name));
    for (int i = 0; i < NVERBS; i++) {
        if (!strcmp(name, verbs[i].name))
            return &verbs[i];
        spelling_try(&s, verbs[i].name);
    }
    spelling_try(&s, "help");
    if (*name == '-')
        fprintf(stderr, "thrace: no option %s before a verb; thrace -h lists both\n", name);
    else if (s.nearest)
        fprintf(stderr, "thrace: no verb \"%s\"; did you mean \"%s\"? thrace -h lists them\n", name, s.nearest);
    else
        fprintf(stderr, "thrace: no verb \"%s\"; thrace -h lists them\n", name);
    return NULL;
}

static int run(const struct verb *v, int argc, char **argv)
{
    static char full[32]; /* what getopt's messages begin with */
    snprintf(full, sizeof full, "thrace %s", v->name);
    argv[0] = full;
    return after_output(v->name, v->run(argc, argv));
}

static bool asks_for_help(const char *argument) { return !strcmp(argument, "-h") || !strcmp(argument, "--help"); }

static int list_verbs(void)
{
    for (int i = 0; i < NVERBS; i++)
        printf("%s\t%s\n", verbs[i].name, verbs[i].summary);
    puts("help\ttell more of a verb");
    return after_output("help", EXIT_OK);
}

static int help(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list")) { /* for the completion of shells */
        if (argc == 2)
            return list_verbs();
        show_usage_as_list();
        argc--;
        argv++;
    }
    if (argc < 2 || asks_for_help(argv[1])) {
        usage(stdout);
        return after_output("help", EXIT_OK);
    }
    char *ask[] = {argv[1], "-h", NULL};
    const struct verb *v = find(argv[1]);
    return v ? run(v, 2, ask) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    hold_standard_descriptors();
    if (!name) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(name, "help"))
        return help(argc - 1, argv + 1);
    if (asks_for_help(name))
        return help(1, argv);
    if (!strcmp(name, "-V") || !strcmp(name, "--version")) {
        puts("thrace " PACKAGE_VERSION);
        return after_output("version", EXIT_OK);
    }
    const struct verb *v = find(name);
    return v ? run(v, argc - 1, argv + 1) : EXIT_USAGE;
}
