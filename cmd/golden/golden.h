/*
 * Golden tests of trace readers, in Go's format: a txtar archive of "expect", a line that says SUCCESS or FAILURE and
 * a quoted regular expression, and "trace", a trace in the raw text form. Besides Go, two more files may follow: "events",
 * which thrace print shall show, and "v1", which thrace print --v1 shall show; or it has a line as "expect" has, when
 * the outcome is another one there.
 */
#ifndef THRACE_CMD_GOLDEN_H
#define THRACE_CMD_GOLDEN_H

#include <regex.h>
#include <stdbool.h>

#include "parser/raw_buffer.h"

struct expectation {
    bool failure;  /* reading the trace shall fail, with a message that matches */
    char *pattern; /* as written, NULL for SUCCESS */
    regex_t matcher;
};

/* Lines of the test. */
struct golden_text {
    const char *p; /* NULL: the file is not there */
    size_t size;
};

struct golden {
    struct expectation expect;
    struct expectation v1; /* of a trace of v1, as Go 1.21 reads it: the same, unless the test has a line of its own */
    bool is_v1, v1_differs;
    struct raw_buffer bytes; /* the trace in the wire format */
    struct golden_text events, v1_events;
    char error[320]; /* what is wrong with the test itself */
};

/*
 * Takes a test apart; false, with g->error, when it is malformed. Free g with golden_free either way, and the test
 * after that.
 */
bool golden_parse(struct golden *g, const void *test, size_t size);

/* Whether reading went as expected; message is the error, NULL for none. g->error says what is wrong otherwise. */
bool golden_check(struct golden *g, const struct expectation *x, const char *message);

/* Whether the lines are those of the file of that name, if there is one. g->error says what is wrong otherwise. */
bool golden_check_lines(struct golden *g, const char *name, const struct golden_text *wanted,
                        const struct raw_buffer *got);

void golden_free(struct golden *g);

/*
 * Rewrites a regular expression of Go as a POSIX extended one with its flags for regcomp; size bytes at go. False, with
 * *why, when it has something in it that has no equal there.
 */
bool golden_regex(const char *go, size_t size, struct raw_buffer *posix, int *flags, const char **why);

#endif
