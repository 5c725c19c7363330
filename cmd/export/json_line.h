/*
 * JSON of a line for each event, where that is most of the work: no blanks, every value is a copy or two into the
 * buffer, and whoever writes knows what is an object. For documents that people read there is json.h.
 */
#ifndef THRACE_CMD_EXPORT_JSON_LINE_H
#define THRACE_CMD_EXPORT_JSON_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cmd/export/json.h"
#include "cmd/export/out.h"

#define LINE_INLINE static inline __attribute__((always_inline)) void

struct json_line {
    struct out out;
    bool follows; /* something stands before in the same object, or in the array of lines */
};

LINE_INLINE line_key(struct json_line *l, const char *key)
{
    size_t len = strlen(key);
    char *to = out_room(&l->out);
    if (l->follows)
        *to++ = ',';
    *to++ = '"';
    to = mempcpy(to, key, len);
    out_end(&l->out, mempcpy(to, "\":", 2));
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
    line_key(l, key);
    out_end(&l->out, out_us(out_room(&l->out), ns));
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
