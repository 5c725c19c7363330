/* Writes JSON as it comes: no document is held in memory. Strings become valid UTF-8, whatever they are. */
#ifndef THRACE_CMD_EXPORT_JSON_H
#define THRACE_CMD_EXPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/export/out.h"

/* The stream has all of it when nothing is open, and maybe not before. */
struct json {
    struct out out;
    unsigned depth;  /* of the objects and arrays that are open */
    unsigned lines;  /* what is inside so many of them, or fewer, begins a line */
    bool follows;    /* something stands before in the same object or array */
    bool has_key;    /* the value belongs behind a key */
};

static inline void json_init(struct json *j, FILE *out, unsigned lines)
{
    out_init(&j->out, out);
    j->depth = 0;
    j->lines = lines;
    j->follows = j->has_key = false;
}

/* '{' or '[', and '}' or ']'. */
void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);

/* In an object, before each value: a key of ours, which needs no escapes. */
void json_key(struct json *j, const char *key);

/*
 * Of a string without its quotes: copies what needs no escape, or one character that does. Returns how many bytes were
 * put, JSON_PIECE at most, and moves *text on.
 */
enum { JSON_PIECE = 64 };
size_t json_piece(const char **text, const char *end, char to[static JSON_PIECE]);

/* A whole string, with its quotes. */
void json_quote(struct out *o, const char *text, size_t len);

void json_string(struct json *j, const char *text, size_t len);
void json_text(struct json *j, const char *text); /* NULL: null */
void json_number(struct json *j, uint64_t n);
void json_ratio(struct json *j, double x); /* finite; as many digits as tell it from every other one */
void json_bool(struct json *j, bool yes);
void json_null(struct json *j);
void json_literal(struct json *j, const char *value); /* a value as JSON has it */
void json_bytes(struct json *j, const char *value, size_t len); /* the same, not ended by a NUL */

/* The same, put together in place: OUT_ROOM bytes have room; json_put tells where it ended. */
char *json_room(struct json *j);
void json_put(struct json *j, const char *end);

#endif
