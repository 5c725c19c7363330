/*
 * Traces with events that change nothing. Golden traces are so short that without some of them behind each batch of a
 * thread, no event is far enough from the end of its batch for the short way (reader_next.c, follow in validate.c).
 * Others come where a batch says that a goroutine runs on a proc: for the short way it is not enough that the thread
 * has both, it must also have been looked up what they are.
 */
#ifndef THRACE_TESTS_PARSER_PADDED_H
#define THRACE_TESTS_PARSER_PADDED_H

#include "parser/raw_buffer.h"

/* False: a batch is none, or one does not end with an event. */
bool pad(const struct raw_buffer *trace, struct raw_buffer *padded);

/* Appends the file's bytes; false: it cannot be read. */
bool read_file(const char *path, struct raw_buffer *content);

#endif
