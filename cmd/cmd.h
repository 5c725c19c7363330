/* What the verbs of the thrace command share. */
#ifndef THRACE_CMD_CMD_H
#define THRACE_CMD_CMD_H

/* Exit statuses of every verb that does not pass on another program's. */
enum {
    EXIT_OK = 0,
    EXIT_INVALID = 1, /* the input was read and is wrong */
    EXIT_USAGE = 2,   /* the command line is wrong, or an input cannot be read */
};

#define THRACE_VERB(name, summary) int cmd_##name(int argc, char **argv);
#include "cmd/verbs.def"
#undef THRACE_VERB

/* One line on stderr, "thrace VERB: …". */
__attribute__((format(printf, 2, 3))) void complain(const char *verb, const char *fmt, ...);

#endif
