/*
 * What the library says: one line on stderr, "thrace: …". Where it was attached, that is no file to write to: what was
 * said is told to who asks.
 */
#ifndef THRACE_PRELOAD_SAY_H
#define THRACE_PRELOAD_SAY_H

#include <stdbool.h>
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

/* From now on all is kept until somebody asks, but for what say_to takes. */
void say_nothing_aloud(void);
bool says_nothing_aloud(void);

/* What is kept, and is so no more; a text without newline. False: there is nothing. By one thread. */
bool say_to_who_asks(char *buffer, size_t size);

#endif
