/* Each golden test once more, with events that change nothing: the short way has to come to the same result. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"
#include "cmd/golden/golden.h"
#include "tests/parser/padded.h"

static void die(const char *what, const char *why)
{
    fprintf(stderr, "test-golden-padded: %s: %s\n", what, why);
    exit(99);
}

/* The first violation, but for those of the padding, which is of 1.23. */
static void keep_first(void *arg, const struct gotrace_error *violation)
{
    char **message = arg;
    if (!*message && !strstr(violation->message, "the event is of go 1.23"))
        *message = strdup(violation->message);
}

static char *judge(const struct raw_buffer *trace)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(trace->at, trace->size);
    struct gotrace_summary sum;
    char *message = NULL;
    if (!r || !gotrace_reader_validate(r, keep_first, &message, &sum))
        die("validate", "out of memory");
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e) {
        free(message);
        message = strdup(e->message);
    }
    gotrace_reader_free(r);
    return message;
}

/* 1: as expected, 0: not, -1: cannot be padded. */
static int run(const char *path, struct golden *g)
{
    struct raw_buffer content = {0}, padded = {0};
    int result = -1;
    if (!read_file(path, &content))
        die(path, "cannot read");
    if (!golden_parse(g, content.at, content.size))
        die(path, g->error);
    if (pad(&g->bytes, &padded)) {
        char *message = judge(&padded);
        result = golden_check(g, &g->expect, message);
        free(message);
    }
    raw_buffer_free(&content);
    raw_buffer_free(&padded);
    return result;
}

int main(void)
{
    const char *top = getenv("top_srcdir");
    char folder[4096], path[4400];
    struct dirent **entries;
    int tests = 0, unpadded = 0;
    snprintf(folder, sizeof folder, "%s/tests/golden", top ? top : ".");
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *end = strrchr(name, '.');
        if (name[0] == 'v' && end && !strcmp(end, ".test")) {
            struct golden g;
            snprintf(path, sizeof path, "%s/%s", folder, name);
            int result = run(path, &g);
            unpadded += result < 0;
            if (result >= 0)
                printf("%sok %d - %s, padded\n", result ? "" : "not ", ++tests, name);
            if (!result)
                printf("# %s\n", g.error);
            golden_free(&g);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    /* Those whose very structure is broken. */
    printf("%sok %d - most golden tests can be padded: all but %d\n", tests > 10 * unpadded ? "" : "not ", tests + 1,
           unpadded);
    printf("1..%d\n", tests + 1);
    return 0;
}
