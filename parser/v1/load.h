/* Reads all of a trace into memory. */
#ifndef THRACE_PARSER_V1_LOAD_H
#define THRACE_PARSER_V1_LOAD_H

#include "parser/raw_buffer.h"

/* Appends what can be read from fd to b. 0, or the errno of what went wrong, ENOMEM included. */
int v1_load(int fd, struct raw_buffer *b);

#endif
