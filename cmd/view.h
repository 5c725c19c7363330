/* The page of a trace, for verbs that make one. */
#ifndef THRACE_CMD_VIEW_H
#define THRACE_CMD_VIEW_H

#include <sys/types.h>

/*
 * Makes the page of the trace at path; "-" are standard input and output. page NULL: path with .html behind it. exe, of
 * a trace that does not name functions, is the program's file, or NULL. Complains of what went wrong. Returns the exit
 * status.
 */
int view_file(const char *verb, const char *path, const char *exe, const char *page, mode_t mode);

#endif
