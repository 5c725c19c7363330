/* Lines of a raw text form, and the words of a line. */
#ifndef THRACE_PARSER_TEXT_LINE_H
#define THRACE_PARSER_TEXT_LINE_H

#include "parser/raw_reader.h"

/* Some of a line; it is there until the next line is read. */
struct span {
    const uint8_t *p, *end;
};

/* The next line that is neither empty nor a comment, without its end: 1, 0 at the end of the input, or -1: failed. */
int text_next_line(struct gotrace_raw_reader *r, struct span *line);

/* A further line that belongs to the event: 1, or -1 having failed. */
int text_more_line(struct gotrace_raw_reader *r, struct span *line, const char *what);

/* Takes the next word of the line, which is empty at its end. */
struct span text_word(struct span *line);

/* Whether nothing but white space and a comment is left of the line. */
bool text_at_end(struct span *line);

bool text_is(struct span s, const char *text);

/* Whether all of s is an unsigned decimal number of 64 bits. */
bool text_decimal(struct span s, uint64_t *v);

/* Takes the next word of the line, which shall be name=VALUE: 1, or -1 having failed. */
int text_arg(struct gotrace_raw_reader *r, struct span *line, const char *name, struct span *value);

/* Reads a further line data="…" into r->data, and what stands behind it: 1, or -1 having failed. */
int text_data(struct gotrace_raw_reader *r, const char *name, struct span *rest);

/* Fails with a message about some of the input, quoted and shortened. */
int text_fail_at(struct gotrace_raw_reader *r, enum gotrace_status status, const char *what, struct span s);

#endif
