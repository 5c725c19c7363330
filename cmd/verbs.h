/* The verbs of the thrace command, and their exit statuses. */
#ifndef THRACE_CMD_VERBS_H
#define THRACE_CMD_VERBS_H

/* Exit statuses of every verb that does not pass on another program's. */
enum {
    EXIT_OK = 0,
    EXIT_INVALID = 1, /* the input was read and is wrong */
    EXIT_USAGE = 2,   /* the command line is wrong, or an input cannot be read */
};

#define THRACE_VERB(name, summary) int cmd_##name(int argc, char **argv);
#include "cmd/verbs.def"
#undef THRACE_VERB

#endif
