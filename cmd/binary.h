/* The program that left a trace of Go 1.5 or 1.6: in such a trace functions have no names, but PCs. */
#ifndef THRACE_CMD_BINARY_H
#define THRACE_CMD_BINARY_H

#include <stdbool.h>

#include "parser/v1/trace.h"

struct binary;
struct gotrace_reader;

/*
 * NULL, and a complaint, when path is no program. What is wrong with it otherwise is said when it is asked for names.
 * The arguments have to stay as long as it is used.
 */
struct binary *binary_open(const char *verb, const char *path);
void binary_free(struct binary *);

/* Has the reader name frames without names; of one binary, one reader. NULL: nothing does. It must outlive the reader. */
void binary_name_frames(struct binary *, struct gotrace_reader *);

/* Whether the trace at that path has names or can be of the binary, NULL: any; else, complains. */
bool binary_fits(struct binary *, const char *trace, struct v1_trace *);

#endif
