/* The options of thrace record, and of thrace attach, which does the same to a program that runs. */
#ifndef THRACE_CMD_RECORD_OPTIONS_H
#define THRACE_CMD_RECORD_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/options/options.h"

/* The exit status when it cannot record; otherwise the program's own is passed on. */
enum { CANNOT_RECORD = 125 };

struct apart;

/* What to do with a trace once it is there, and which verb made it. */
struct afterwards {
    const char *verb;
    bool check, stat, view;
    bool snapshots_only; /* it was a flight recorder, which writes nothing at the end unless it is killed */
    const struct apart *apart; /* where the recording was made, if it is not where the trace is to be; or NULL */
    bool went_on; /* the process lives, and executes another program: its recording is over */
};

struct record_options {
    struct afterwards then;
    char out[PATH_MAX];     /* absolute path of the trace, a pattern */
    char **command;         /* and its arguments; NULL: to be attached to … */
    pid_t pid;              /* … is this process */
    uint64_t for_ns;        /* for so long, 0: until it ends */
    bool with_filter;       /* also if it has a filter of system calls */
    const char *pid_file;   /* NULL: none */
    struct options library; /* as the library will read them from the environment */
};

/* Reads the arguments, and puts those of the library into the environment. False: the command ends with *status. */
bool record_options_read(struct record_options *o, int argc, char **argv, int *status);

/* The same for thrace attach; of the trace, if it was given no name, `out` is "". */
bool attach_options_read(struct record_options *o, int argc, char **argv, int *status);

/*
 * Reads the environment for a process that is attached to while somebody looks: a flight recorder, of the size that it
 * says. False after a complaint.
 */
bool visit_environment_read(const char *verb);

/* Gives the trace a name, NULL: that of the command with a number. False after a complaint. */
bool record_options_choose_out(struct record_options *o, const char *given, const char *command, pid_t pid);

#endif
