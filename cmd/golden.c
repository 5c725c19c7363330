/* thrace golden: runs golden tests through the reader and the validator, and says which of them hold. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/golden/golden.h"
#include "cmd/verbs.h"
#include "gotrace/gotrace.h"
#include "parser/event_print.h"
#include "parser/v1/print.h"

enum { READ_SIZE = 64 << 10 };

static const char usage[] =
    "usage: thrace golden FILE.test…\n\n"
    "Runs golden tests of trace readers: each FILE is a txtar archive of \"expect\", which is SUCCESS or\n"
    "FAILURE \"regexp\", and \"trace\", a trace as text (see thrace-raw(1)), and perhaps the \"events\" that\n"
    "print shall show, and those that print --v1 shall (\"v1\"). Prints TAP, a line a test.\n"
    "Exit status: 0 all went as expected, 1 not all, 2 a test is malformed or cannot be read.\n";
static const struct arguments arguments = {"golden", usage, ":h", only_help};

/* Keeps the first violation's message. */
static void keep_first(void *arg, const struct gotrace_error *violation)
{
    char **message = arg;
    if (!*message)
        *message = strdup(violation->message);
}

/* *message: the error that ended the reading, or else the first violation, or NULL. False: memory is short. */
static bool judge(const struct golden *g, char **message)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(g->bytes.at, g->bytes.size);
    struct gotrace_summary sum;
    *message = NULL;
    bool ok = r && gotrace_reader_validate(r, keep_first, message, &sum) && (*message || !sum.violations);
    const struct gotrace_error *e = r ? gotrace_reader_error(r) : NULL;
    if (e && e->status != GOTRACE_ENOMEM) {
        free(*message);
        *message = strdup(e->message);
        ok = *message != NULL;
    }
    gotrace_reader_free(r);
    return ok;
}

/* Adds what thrace print shows. False: memory is short. */
static bool print_events(const struct golden *g, struct raw_buffer *lines)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(g->bytes.at, g->bytes.size);
    const struct gotrace_event *ev;
    while (r && (ev = gotrace_reader_next(r)))
        event_print(lines, ev, NULL);
    const struct gotrace_error *e = r ? gotrace_reader_error(r) : NULL;
    bool ok = r && !lines->failed && (!e || e->status != GOTRACE_ENOMEM);
    gotrace_reader_free(r);
    return ok;
}

/* Adds what thrace print --v1 shows, or *e says why not. False: memory is short. */
static bool print_v1_events(const struct golden *g, struct raw_buffer *lines, struct v1_error *e)
{
    struct v1_trace t;
    if (!v1_parse(&t, g->bytes.at, g->bytes.size, V1_AS_GO_1_21, e))
        return e->status != V1_NO_MEMORY;
    for (const struct v1_event *ev; (ev = v1_next(&t));)
        v1_print(lines, &t, ev);
    v1_free(&t);
    return !lines->failed;
}

/* Checks the events that the test has: EXIT_OK, EXIT_INVALID, or EXIT_USAGE when memory is short. */
static int check_events(struct golden *g)
{
    struct raw_buffer lines = {0};
    int status = EXIT_USAGE;
    if (!g->events.p)
        status = EXIT_OK;
    else if (print_events(g, &lines))
        status = golden_check_lines(g, "events", &g->events, &lines) ? EXIT_OK : EXIT_INVALID;
    raw_buffer_free(&lines);
    return status;
}

/* Likewise as Go 1.21 reads it. */
static int check_v1(struct golden *g)
{
    struct raw_buffer lines = {0};
    struct v1_error e = {0};
    int status = EXIT_USAGE;
    if (!g->is_v1)
        status = EXIT_OK;
    else if (print_v1_events(g, &lines, &e))
        status = golden_check(g, g->v1_differs ? &g->v1 : &g->expect, e.status ? e.message : NULL) &&
                         (e.status || golden_check_lines(g, "v1", &g->v1_events, &lines))
                     ? EXIT_OK
                     : EXIT_INVALID;
    raw_buffer_free(&lines);
    return status;
}

static bool read_file(const char *path, struct raw_buffer *content)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    for (;;) {
        uint8_t *room = raw_buffer_reserve(content, READ_SIZE);
        size_t n = room ? fread(room, 1, READ_SIZE, file) : 0;
        if (!n)
            break;
        content->size += n;
    }
    bool ok = !ferror(file) && !content->failed;
    int error = content->failed ? ENOMEM : errno;
    fclose(file);
    errno = error;
    return ok;
}

/* Runs one test; *why says what is wrong with it, to be freed. */
static int run(const char *path, char **why)
{
    struct raw_buffer content = {0};
    struct golden g = {0};
    char *message = NULL;
    int status = EXIT_USAGE;
    if (!read_file(path, &content))
        *why = strdup(strerror(errno));
    else if (!golden_parse(&g, content.at, content.size))
        *why = strdup(g.error);
    else if (!judge(&g, &message))
        *why = strdup(strerror(ENOMEM));
    else if (!golden_check(&g, &g.expect, message))
        status = EXIT_INVALID;
    else
        status = (status = check_events(&g)) == EXIT_OK ? check_v1(&g) : status;
    if (status == EXIT_INVALID)
        *why = strdup(g.error);
    free(message);
    golden_free(&g);
    raw_buffer_free(&content);
    return status;
}

int cmd_golden(int argc, char **argv)
{
    int worst = EXIT_OK, wrong;
    if (!only_operands(&arguments, argc, argv, 1, INT_MAX, "a FILE", &wrong))
        return wrong;
    argc -= optind - 1;
    argv += optind - 1;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        char *why = NULL;
        int status = run(argv[i], &why);
        printf("%s %d - %s\n", status == EXIT_OK ? "ok" : "not ok", i, slash ? slash + 1 : argv[i]);
        if (status != EXIT_OK)
            printf("# %s\n", why ? why : strerror(ENOMEM));
        if (status == EXIT_USAGE)
            complain("golden", "%s: %s", argv[i], why ? why : strerror(ENOMEM));
        free(why);
        if (status > worst)
            worst = status;
    }
    return worst;
}
