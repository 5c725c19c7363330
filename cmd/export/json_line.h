/*
 * JSON of a line for each event, where that is most of the work: every value is a copy or two into the buffer, and
 * whoever writes knows what is an object. For documents that people read there is json.h.
 */
#ifndef THRACE_CMD_EXPORT_JSON_LINE_H
#define THRACE_CMD_EXPORT_JSON_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cmd/export/json.h"
#include "cmd/export/out.h"

#define LINE_INLINE static inline __attribute__((always_inline)) void

enum { LINE_KEY_MAX = 16 };

struct json_line {
    struct out out;
    bool follows; /* something stands before in the same object, or in the array of lines */
};

LINE_INLINE line_key(struct json_line *l, const char *key)
{
    size_t len = strlen(key);
    char *to = out_room(&l->out, LINE_KEY_MAX + sizeof ", \"\": ");
    if (l->follows)
        to = mempcpy(to, ", ", 2);
    *to++ = '"';
    to = mempcpy(to, key, len);
    out_end(&l->out, mempcpy(to, "\": ", 3));
    l->follows = true;
}

/* A value of whatever bytes. */
static inline void line_string(struct json_line *l, const char *text, size_t len) { json_quote(&l->out, text, len); }

LINE_INLINE line_text(struct json_line *l, const char *key, const char *text)
{
    line_key(l, key);
    line_string(l, text, strlen(text));
}

/* Without escapes: the text is one of ours, or has them already. */
LINE_INLINE line_quoted(struct json_line *l, const char *key, const char *text, size_t len)
{
    line_key(l, key);
    out_text(&l->out, "\"");
    out_bytes(&l->out, text, len);
    out_text(&l->out, "\"");
}

LINE_INLINE line_word(struct json_line *l, const char *key, const char *word)
{
    line_quoted(l, key, word, strlen(word));
}

LINE_INLINE line_number(struct json_line *l, const char *key, uint64_t n)
{
    line_key(l, key);
    out_number(&l->out, n);
}

/* Nanoseconds as microseconds, exactly. */
LINE_INLINE line_us(struct json_line *l, const char *key, uint64_t ns)
{
    unsigned part = (unsigned)(ns % 1000);
    line_key(l, key);
    char *to = out_digits(out_room(&l->out, OUT_NUMBER + 4), ns / 1000);
    *to++ = '.';
    *to++ = (char)('0' + part / 100);
    *to++ = (char)('0' + part / 10 % 10);
    *to++ = (char)('0' + part % 10);
    out_end(&l->out, to);
}

static inline void line_open(struct json_line *l)
{
    out_text(&l->out, "{");
    l->follows = false;
}

static inline void line_close(struct json_line *l)
{
    out_text(&l->out, "}");
    l->follows = true;
}

#endif
