/* What the library says: one line on stderr, "thrace: …". */
#ifndef THRACE_PRELOAD_SAY_H
#define THRACE_PRELOAD_SAY_H

#include <stddef.h>

/* By write(2), at once. */
void say(const char *text, const char *detail);

/* From now on what is said last stands in the buffer, as a text without newline; NULL: to stderr again. */
void say_to(char *buffer, size_t size);

/*
 * By the next hook of a thread that has a stderr, or at the end of the process: the library's own threads have none.
 * Only the first one of several is said. text is a literal.
 */
void say_later(const char *text, const char *detail);
void say_pending(void);

#endif
