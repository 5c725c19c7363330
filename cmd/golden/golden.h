/*
 * Golden tests of trace readers, in Go's format: a txtar archive of "expect", a line that says SUCCESS or FAILURE and a
 * quoted regular expression, and "trace", a trace in the raw text form.
 */
#ifndef THRACE_CMD_GOLDEN_H
#define THRACE_CMD_GOLDEN_H

#include <regex.h>
#include <stdbool.h>

#include "parser/raw_buffer.h"

struct golden {
    bool failure;            /* reading the trace shall fail, with a message that matches */
    struct raw_buffer bytes; /* the trace in the wire format */
    char *pattern;           /* as written, NULL for SUCCESS */
    regex_t matcher;
    char error[320];         /* what is wrong with the test itself */
};

/* Takes a test apart; false, with g->error, when it is malformed. Free g with golden_free either way. */
bool golden_parse(struct golden *g, const void *test, size_t size);

/* Whether reading went as expected; message is the error, NULL for none. g->error says what is wrong otherwise. */
bool golden_check(struct golden *g, const char *message);

void golden_free(struct golden *g);

/*
 * Rewrites a regular expression of Go as a POSIX extended one with its flags for regcomp; size bytes at go. False, with
 * *why, when it has something in it that has no equal there.
 */
bool golden_regex(const char *go, size_t size, struct raw_buffer *posix, int *flags, const char **why);

#endif
