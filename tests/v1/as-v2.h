/* v1 traces made by hand, read through the public API. */
#ifndef THRACE_TESTS_V1_AS_V2_H
#define THRACE_TESTS_V1_AS_V2_H

#include <stdio.h>

#include "gotrace/gotrace.h"
#include "tests/v1/made.h"

/*
 * An event as text: "KIND TIME M= P= G= …" on one line, its stacks included. What it says behind that is as Go prints
 * it, with blanks for the ends of lines and what follows them.
 */
void show_event(struct raw_buffer *o, const struct gotrace_event *ev);

/* Wants this of the trace, a line for each event. Frees the trace. */
void shows(struct made *m, const char *wanted);

/* Likewise "NAME: MESSAGE", and no event. */
void refuses(struct made *m, const char *wanted);

#endif
