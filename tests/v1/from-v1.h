/* v1 traces made by hand, written as v2 and read again. */
#ifndef THRACE_TESTS_V1_FROM_V1_H
#define THRACE_TESTS_V1_FROM_V1_H

#include "parser/from_v1/from_v1.h"
#include "tests/v1/as-v2.h" /* after the parser: cmocka has a macro named fail */

/* What made_running says. */
#define RUNNING                                                                                                        \
    "StateTransition 2 M=7 P=-1 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"                                     \
    "StateTransition 3 M=7 P=0 G=-1 GoID=1 Undetermined->Running Reason=\"\"\n"

/* Writes the trace as 1.nn to out, and frees it. */
void convert_made(struct made *m, int nn, struct raw_buffer *out, struct converted *done);

/*
 * Wants this of the trace as 1.nn: a line for each event but the Sync ones, as show_event has it, and "dropped N NAME".
 * What was written has to be valid.
 */
void becomes(struct made *m, int nn, const char *wanted);

#endif
