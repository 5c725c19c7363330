/* Verbs that make a file of a file. */
#ifndef THRACE_CMD_FILTER_H
#define THRACE_CMD_FILTER_H

#include <stdio.h>

struct filter {
    const char *verb;
    const char *in, *out;           /* paths; "-" is standard input or output */
    const char *in_name, *out_name; /* as the usage has them */
};

/* Reads in and writes out. An exit status; of what went wrong it has complained. */
typedef int filter_fn(void *arg, FILE *in, FILE *out);

/*
 * Runs it on the two files. What is read is never written to, and of an output that failed nothing is left. An exit
 * status; of what went wrong it has complained.
 */
int filter_run(const struct filter *f, filter_fn *run, void *arg);

#endif
