/*
 * What the library says: one line on stderr, "thrace: …". Where it was attached, that is no file to write to: what was
 * said is told to who asks.
 */
#ifndef THRACE_PRELOAD_SAY_H
#define THRACE_PRELOAD_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* From now on all is kept for who asks, but for what say_to takes: the last few lines, numbered from 1. */
void say_nothing_aloud(void);
bool says_nothing_aloud(void);

/* The number of the last line; 0: there is none. */
uint32_t say_last(void);

/*
 * The line behind number `after`, or the oldest one that is left of those: a text without newline. Returns its number;
 * 0: there is none.
 */
uint32_t say_to_who_asks(uint32_t after, char *to, size_t size);

#endif
