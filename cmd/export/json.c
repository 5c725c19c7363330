#include "cmd/export/json.h"

#include <stdlib.h>
#include <string.h>

#include "parser/utf8.h"

static __attribute__((noinline)) void new_line(struct json *j)
{
    out_text(&j->out, "\n");
    for (unsigned i = 0; i < j->depth; i++)
        out_text(&j->out, "  ");
}

/* Behind a value. */
static void end_value(struct json *j)
{
    if (!j->depth)
        out_flush(&j->out);
}

/* A comma where one is due, and the line or the blank before the next item. */
static inline __attribute__((always_inline)) void item(struct json *j)
{
    if (j->has_key) {
        j->has_key = false;
        return;
    }
    bool line = j->depth && j->depth <= j->lines;
    if (j->follows && !line)
        out_text(&j->out, ", ");
    else if (j->follows)
        out_text(&j->out, ",");
    if (line)
        new_line(j);
    j->follows = true;
}

void json_open(struct json *j, char bracket)
{
    item(j);
    out_bytes(&j->out, &bracket, 1);
    j->depth++;
    j->follows = false;
}

void json_close(struct json *j, char bracket)
{
    bool empty = !j->follows;
    j->depth--;
    if (!empty && j->depth < j->lines)
        new_line(j);
    out_bytes(&j->out, &bracket, 1);
    j->follows = true;
    end_value(j);
}

static bool is_plain(uint8_t c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

size_t json_piece(const char **text, const char *end, char to[static JSON_PIECE])
{
    const uint8_t *p = (const uint8_t *)*text, *last = (const uint8_t *)end;
    size_t n = 0;
    for (; n < JSON_PIECE && p < last && is_plain(*p); n++)
        to[n] = (char)*p++;
    if (!n && p < last) {
        uint32_t rune = RUNE_REPLACEMENT;
        size_t taken = utf8_get(p, last, &rune);
        p += taken ? taken : 1;
        if (rune == '"' || rune == '\\' || rune == '\n') {
            to[n++] = '\\';
            to[n++] = rune == '\n' ? 'n' : (char)rune;
        } else if (rune < 0x20 || rune == 0x7f) {
            n = (size_t)sprintf(to, "\\u%04x", (unsigned)rune);
        } else {
            n = (size_t)(utf8_put((uint8_t *)to, rune) - (uint8_t *)to);
        }
    }
    *text = (const char *)p;
    return n;
}

void json_quote(struct out *o, const char *text, size_t len)
{
    const char *end = len ? text + len : text;
    out_text(o, "\"");
    while (text < end) {
        char *to = out_room(o);
        out_end(o, to + json_piece(&text, end, to));
    }
    out_text(o, "\"");
}

void json_key(struct json *j, const char *key)
{
    item(j);
    out_text(&j->out, "\"");
    out_bytes(&j->out, key, strlen(key));
    out_text(&j->out, "\": ");
    j->has_key = true;
}

void json_string(struct json *j, const char *text, size_t len)
{
    item(j);
    json_quote(&j->out, text, len);
    end_value(j);
}

void json_text(struct json *j, const char *text)
{
    if (text)
        json_string(j, text, strlen(text));
    else
        json_null(j);
}

void json_number(struct json *j, uint64_t n)
{
    item(j);
    out_number(&j->out, n);
    end_value(j);
}

void json_ratio(struct json *j, double x)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    json_literal(j, text);
}

void json_bool(struct json *j, bool yes) { json_literal(j, yes ? "true" : "false"); }
void json_null(struct json *j) { json_literal(j, "null"); }

void json_literal(struct json *j, const char *value) { json_bytes(j, value, strlen(value)); }

void json_bytes(struct json *j, const char *value, size_t len)
{
    item(j);
    out_bytes(&j->out, value, len);
    end_value(j);
}

char *json_room(struct json *j)
{
    item(j);
    return out_room(&j->out);
}

void json_put(struct json *j, const char *end)
{
    out_end(&j->out, end);
    end_value(j);
}
