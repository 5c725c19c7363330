/* Text in lines that are no longer than they may be. */
#ifndef THRACE_CMD_LINES_H
#define THRACE_CMD_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Of what stands below the row of a table, of the frames of a stack there, and of where a line of these goes on. */
enum { LINES_INDENT = 6, LINES_STACK = 8, LINES_DEEPER = 10 };

struct lines {
    FILE *out;
    size_t at, width;
    size_t deeper; /* where a line goes on; 0: LINES_DEEPER */
};

/* How many columns the bytes take: characters of UTF-8, each taken to be one wide. */
size_t lines_columns(const char *text, size_t len);

/* Begins another line. */
void lines_begin(struct lines *l, size_t indent);

/*
 * Puts `before` and the item, with a blank between them if there is a `before`. What is too long for the rest of the
 * line begins a new one, and is broken between words, or in a word, if a line is not enough for it. False: memory is
 * short.
 */
__attribute__((format(printf, 3, 4))) bool lines_put(struct lines *l, const char *before, const char *fmt, ...);

/* Word by word: each goes where there is room for it, and is broken if it is wider than a line. */
void lines_words(struct lines *l, const char *text);

/* Each line of the text, a frame of a stack for one, as one of its own. */
void lines_stack(struct lines *l, const char *text);

/* How wide lines may be: as COLUMNS says or the terminal is, else 120 columns. */
size_t lines_width(FILE *out);

#endif
