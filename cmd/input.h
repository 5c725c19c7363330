/* The trace that an argument of a verb names. */
#ifndef THRACE_CMD_INPUT_H
#define THRACE_CMD_INPUT_H

#include "gotrace/gotrace.h"

/* Opens path, or stdin for "-"; NULL, and a complaint, when memory is short. */
struct gotrace_reader *open_input(const char *verb, const char *path);

/* Prints "PATH: generation 2, thread 101, byte 1234, GoStart: message", without the parts that are not known. */
void print_error(FILE *out, const char *path, const struct gotrace_error *e);

/* The verb's exit status after the error; EXIT_OK if e is NULL. */
int error_status(const struct gotrace_error *e);

#endif
