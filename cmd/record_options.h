/* The options of thrace record. */
#ifndef THRACE_CMD_RECORD_OPTIONS_H
#define THRACE_CMD_RECORD_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "lib/options/options.h"

/* The exit status when it cannot record; otherwise the program's own is passed on. */
enum { CANNOT_RECORD = 125 };

/* What to do with a trace once it is there. */
struct afterwards {
    bool check, stat, view;
};

struct record_options {
    struct afterwards then;
    char out[PATH_MAX];     /* absolute path of the trace, a pattern */
    char **command;         /* and its arguments */
    const char *pid_file;   /* NULL: none */
    struct options library; /* as the library will read them from the environment */
};

/* Reads the arguments, and puts those of the library into the environment. False: the command ends with *status. */
bool record_options_read(struct record_options *o, int argc, char **argv, int *status);

#endif
