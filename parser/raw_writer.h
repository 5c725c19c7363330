/* How an event looks in either format. */
#ifndef THRACE_PARSER_RAW_WRITER_H
#define THRACE_PARSER_RAW_WRITER_H

#include "gotrace/raw.h"
#include "parser/raw_buffer.h"

/* Appends the event, which must be one that raw_event_writable accepts. */
void bytes_put_event(struct raw_buffer *out, const struct gotrace_raw_event *ev);
void text_put_event(struct raw_buffer *out, const struct gotrace_raw_event *ev);

/* Appends an integer, in `width` bytes if it does not need more. */
void bytes_put_integer(struct raw_buffer *out, uint64_t v, int width);

/* Appends name=v behind the separator. */
void text_put_arg(struct raw_buffer *out, const char *separator, const char *name, uint64_t v);

/* Appends the header of a trace of version 1.NN. */
void bytes_put_header(struct raw_buffer *out, int version);
void text_put_header(struct raw_buffer *out, int version);

/* Whether a trace of the version can contain ev, and ev is complete. */
bool raw_event_writable(int version, const struct gotrace_raw_event *ev);

#endif
