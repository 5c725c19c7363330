/* thrace VERB …: finds the verb and leaves the rest to it. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct verb {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {
#define THRACE_VERB(name, summary) {#name, summary, cmd_##name},
#include "cmd/verbs.def"
#undef THRACE_VERB
};

enum { NVERBS = sizeof verbs / sizeof verbs[0] };

void complain(const char *verb, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "thrace %s: ", verb);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

static void usage(FILE *out)
{
    fputs("usage: thrace VERB [OPTION…] …\n\n", out);
    for (int i = 0; i < NVERBS; i++)
        fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
    fputs("\nthrace VERB -h tells more; so does the man page thrace-VERB(1).\n", out);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(name, "-h") || !strcmp(name, "--help")) {
        usage(stdout);
        return EXIT_OK;
    }
    if (!strcmp(name, "--version")) {
        puts("thrace " PACKAGE_VERSION);
        return EXIT_OK;
    }
    for (int i = 0; i < NVERBS; i++) {
        if (strcmp(name, verbs[i].name))
            continue;
        static char full[32]; /* what getopt's messages begin with */
        snprintf(full, sizeof full, "thrace %s", name);
        argv[1] = full;
        return verbs[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "thrace: no verb \"%s\"; thrace -h lists them\n", name);
    return EXIT_USAGE;
}
