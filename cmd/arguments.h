/* The arguments of a verb: getopt_long, with complaints about what it does not understand. */
#ifndef THRACE_CMD_ARGUMENTS_H
#define THRACE_CMD_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arguments {
    const char *verb;
    const char *usage; /* what -h prints; the first line says how to call the verb */
    const char *shorts; /* as getopt's optstring, with ":" in front; "+:" ends the options at the first operand */
    const struct option *longs;
};

/* The next option as getopt_long has it, -1 after the last one; '?' after a complaint. */
int next_option(const struct arguments *a, int argc, char **argv);

/* Whether there are `least` to `most` operands; complains if not. wanted: "a FILE". */
bool has_operands(const struct arguments *a, int argc, int least, int most, const char *wanted);

/* For verbs without options: -h and the operands. False: the verb ends with *status. */
bool only_operands(const struct arguments *a, int argc, char **argv, int least, int most, const char *wanted,
                   int *status);

extern const struct option only_help[];

/* Takes an option's number from 1 to most. False, and a complaint: it is none. */
bool take_number(const char *verb, const char *option, const char *arg, size_t most, size_t *number);

/* Takes a process ID. False: it is none. */
bool take_pid(const char *text, pid_t *pid);

/* Complains, and shows how the verb is called. EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int wrong_use(const struct arguments *a, const char *fmt, ...);

/* What -h asks for. EXIT_OK; main() sees whether it could be written. */
int show_usage(const struct arguments *a);

/* From now on show_usage() lists the long options for the completion of shells: "--rows=<tab>rows in each table". */
void show_usage_as_list(void);

#endif
