/* Verbs that make a file of a file. */
#ifndef THRACE_CMD_FILTER_H
#define THRACE_CMD_FILTER_H

#include <stdbool.h>
#include <stdio.h>

struct filter {
    const char *verb;
    const char *in, *out;           /* paths; "-" is standard input or output */
    const char *in_name, *out_name; /* as the usage has them */
    bool complete;                  /* set by who runs: the output stays, whatever the exit status */
};

/* Reads in and writes out. Returns an exit status, after a complaint about anything that went wrong. */
typedef int filter_fn(void *arg, FILE *in, FILE *out);

/*
 * Runs it on the two files. The input is never written to, and an output that failed leaves nothing. Returns an exit
 * status, after a complaint about anything that went wrong.
 */
int filter_run(const struct filter *f, filter_fn *run, void *arg);

#endif
