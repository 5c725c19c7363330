#include "cmd/arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/complain.h"
#include "cmd/verbs.h"
#include "lib/options/spelling.h"

const struct option only_help[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

static bool lists;

void show_usage_as_list(void) { lists = true; }

/* In a usage an option's line begins with its names and values; what it means is behind two blanks. */
static const char *meaning_of(const char *usage, const char *name, size_t *len)
{
    size_t name_len = strlen(name);
    for (const char *line = usage, *next; *line; line = next) {
        size_t whole = strcspn(line, "\n");
        next = line + whole + !!line[whole];
        if (strncmp(line, "  -", 3) != 0)
            continue;
        const char *gap = memmem(line + 2, whole - 2, "  ", 2), *end = gap ? gap : line + whole;
        for (const char *at = line; (at = memmem(at, (size_t)(end - at), "--", 2)); at += 2) {
            if (strncmp(at + 2, name, name_len) != 0 || !strchr("[=, \n", at[2 + name_len]) || !gap)
                continue;
            gap += strspn(gap, " ");
            *len = (size_t)(line + whole - gap);
            return gap;
        }
    }
    *len = 0;
    return "";
}

int show_usage(const struct arguments *a)
{
    if (!lists)
        fputs(a->usage, stdout);
    for (const struct option *o = a->longs; lists && o->name; o++) {
        size_t len;
        const char *meaning = meaning_of(a->usage, o->name, &len);
        if (!strcmp(o->name, "help")) /* which no usage explains */
            len = strlen(meaning = "show how the verb is used");
        printf("--%s%s\t%.*s\n", o->name, o->has_arg == required_argument ? "=" : "", (int)len, meaning);
    }
    return EXIT_OK;
}

bool take_pid(const char *text, pid_t *pid)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    *pid = (pid_t)n;
    return !errno && end != text && !*end && n > 0 && n <= INT_MAX;
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

bool take_number(const char *verb, const char *option, const char *arg, size_t most, size_t *number)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(arg, &end, 10);
    *number = n;
    if (*arg >= '0' && *arg <= '9' && !*end && !errno && n >= 1 && n <= most)
        return true;
    complain(verb, "%s %s: not a number from 1 to %zu", option, arg, most);
    return false;
}
