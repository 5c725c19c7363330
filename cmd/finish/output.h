/*
 * Files that the verbs write. A file appears under its name only when it is complete, and is its owner's only where the
 * caller says so. What is there already is looked at first: a FIFO, a link or a device that somebody else put there
 * must neither keep us waiting nor get the trace.
 */
#ifndef THRACE_CMD_FINISH_OUTPUT_H
#define THRACE_CMD_FINISH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct output;

/*
 * Opens path for writing; "-" and names of open descriptors such as /dev/stdout are these descriptors. NULL with *why
 * set to the reason.
 */
struct output *output_open(const char *path, mode_t mode, const char **why);

FILE *output_file(const struct output *o);

/* Where what was written can be read already, or NULL: it went straight to a pipe or a device. */
const char *output_temporary(const struct output *o);

/* Writes all again, from the start; for what is not written straight. Returns 0, or -1 with errno. */
int output_restart(struct output *o);

/* Ends it. NULL: everything is there, under its name. Else the reason; then, and without keep, nothing is left. */
const char *output_close(struct output *o, bool keep);

/* All of it: a file of size bytes at data. NULL, or the reason; then nothing is left. */
const char *output_write(const char *path, mode_t mode, const void *data, size_t size);

/* Why `thrace record` cannot make a file of that name, or NULL. */
const char *output_obstacle(const char *path);

/* The file behind path is written straight, so nothing can lie beside it. */
bool output_is_straight(const char *path);

#endif
