#include "cmd/arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verbs.h"
#include "lib/options/spelling.h"

const struct option only_help[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

int show_usage(const struct arguments *a)
{
    fputs(a->usage, stdout);
    return EXIT_OK;
}

int wrong_use(const struct arguments *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "thrace %s: ", a->verb);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n%.*s\nthrace %s -h tells more.\n", (int)strcspn(a->usage, "\n"), a->usage, a->verb);
    return EXIT_USAGE;
}

/* "--name" without what may come behind it. */
static struct piece name_of(const char *argument)
{
    struct piece rest = piece_of(argument + 2);
    return piece_take(&rest, '=');
}

/* An abbreviation of several, or of none. */
static void complain_of_name(const struct arguments *a, const char *argument)
{
    struct piece name = name_of(argument);
    struct spelling s = spelling_of(name);
    char several[256] = "";
    size_t n = 0;
    int matches = 0;
    for (const struct option *o = a->longs; o && o->name; o++) {
        spelling_try(&s, o->name);
        if (strncmp(o->name, name.text, name.len) || n + strlen(o->name) + 8 > sizeof several)
            continue;
        n += (size_t)sprintf(several + n, "%s--%s", matches++ ? ", " : "", o->name);
    }
    if (matches > 1)
        wrong_use(a, "--%.*s may be %s", (int)name.len, name.text, several);
    else if (s.nearest)
        wrong_use(a, "no option --%.*s; did you mean --%s?", (int)name.len, name.text, s.nearest);
    else
        wrong_use(a, "no option --%.*s", (int)name.len, name.text);
}

/* "--name=value" of an option without value: getopt tells it apart from an unknown letter by nothing else. */
static bool is_switch_with_value(const struct arguments *a, const char *argument)
{
    if (strncmp(argument, "--", 2) != 0 || !strchr(argument, '='))
        return false;
    struct piece name = name_of(argument);
    for (const struct option *o = a->longs; o->name; o++)
        if (o->val == optopt && o->has_arg == no_argument && !strncmp(o->name, name.text, name.len))
            return true;
    return false;
}

int next_option(const struct arguments *a, int argc, char **argv)
{
    opterr = 0;
    int c = getopt_long(argc, argv, a->shorts, a->longs, NULL);
    if (c != '?' && c != ':')
        return c;
    const char *argument = argv[optind - 1]; /* of a letter that is not the last in its argument: the one before */
    if (c == ':')
        wrong_use(a, "%s needs a value", argument);
    else if (!optopt)
        complain_of_name(a, argument);
    else if (is_switch_with_value(a, argument))
        wrong_use(a, "--%.*s takes no value", (int)name_of(argument).len, argument + 2);
    else
        wrong_use(a, "no option -%c", optopt);
    return '?';
}

bool has_operands(const struct arguments *a, int argc, int least, int most, const char *wanted)
{
    int n = argc - optind;
    if (n < least)
        wrong_use(a, "%s is missing", wanted);
    else if (n > most)
        wrong_use(a, "too many arguments");
    return n >= least && n <= most;
}

bool only_operands(const struct arguments *a, int argc, char **argv, int least, int most, const char *wanted,
                   int *status)
{
    int c = next_option(a, argc, argv);
    *status = c == 'h' ? show_usage(a) : EXIT_USAGE;
    return c == -1 && has_operands(a, argc, least, most, wanted);
}
