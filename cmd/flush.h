/* Text that gathers in memory on its way to standard output. */
#ifndef THRACE_CMD_FLUSH_H
#define THRACE_CMD_FLUSH_H

#include "parser/raw_buffer.h"

/* Writes what has gathered once it is much. False: it cannot be written, and errno says why. */
bool flush_when_full(struct raw_buffer *o);

/* Writes all of it. */
bool flush_all(struct raw_buffer *o);

#endif
