/*
 * Files that the verbs write. A file appears under its name only when it is complete, and is its owner's only where the
 * caller says so. Whatever is there already is looked at first: a FIFO, a link or a device that somebody else put there
 * must neither block us nor get the trace.
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

/* Where the output can be read already, or NULL: it went straight to a pipe or a device. */
const char *output_temporary(const struct output *o);

/* Starts again from nothing; not for what is written straight. Returns 0, or -1 with errno. */
int output_restart(struct output *o);

/*
 * Starts again in another file, and returns a descriptor that reads what was written; it is the caller's. Not for what is
 * written straight. -1 with errno.
 */
int output_replace(struct output *o);

/* Ends it. NULL: all is there, under its name. Else the reason, and nothing is left; nor is it without keep. */
const char *output_close(struct output *o, bool keep);

/* Writes a whole file of size bytes. NULL, or the reason; then nothing is left. */
const char *output_write(const char *path, mode_t mode, const void *data, size_t size);

/* Why `thrace record` cannot make a file of that name, or NULL. */
const char *output_obstacle(const char *path);

/* The file behind path is written straight, so nothing can lie beside it. */
bool output_is_straight(const char *path);

#endif
