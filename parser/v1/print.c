#include "parser/v1/print.h"

#include <string.h>

/* A line without strings is shorter: four numbers, three arguments, names of up to 16 letters. */
enum { LINE_MAX_SIZE = 256, DIGITS = 20 };

static char *put_text(char *p, const char *text)
{
    size_t n = strlen(text);
    memcpy(p, text, n);
    return p + n;
}

static char *put_number(char *p, uint64_t v)
{
    char digits[DIGITS], *d = digits + DIGITS;
    do
        *--d = (char)('0' + v % 10);
    while (v /= 10);
    size_t n = (size_t)(digits + DIGITS - d);
    memcpy(p, d, n);
    return p + n;
}

static char *put_signed(char *p, int64_t v)
{
    if (v < 0)
        *p++ = '-';
    return put_number(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void add_named(struct raw_buffer *o, const char *name, struct v1_text text)
{
    raw_buffer_add(o, " ", 1);
    raw_buffer_add_text(o, name);
    raw_buffer_add(o, "=", 1);
    raw_buffer_add(o, text.data, text.size);
}

void v1_print(struct raw_buffer *o, const struct v1_trace *t, const struct v1_event *ev)
{
    const struct v1_info *info = &v1_events[ev->id];
    char *start = (char *)raw_buffer_reserve(o, LINE_MAX_SIZE), *p = start;
    bool says_something;
    if (!p)
        return;
    p = put_signed(p, ev->time);
    *p++ = ' ';
    p = put_text(p, info->name);
    p = put_signed(put_text(p, " p="), v1_p(t, ev));
    p = put_number(put_text(p, " g="), v1_g(t, ev));
    p = put_number(put_text(p, " off="), ev->at);
    for (unsigned i = 0; i < info->nargs; i++) {
        *p++ = ' ';
        p = put_text(p, info->args[i]);
        *p++ = '=';
        p = put_number(p, ev->args[i]);
    }
    o->size += (size_t)(p - start);
    if (info->text != V1_TEXT_NONE) {
        add_named(o, info->text_name, v1_words(t, ev, &says_something));
        if (ev->id == V1_UserLog)
            add_named(o, "message", v1_message(t, ev));
    }
    raw_buffer_add(o, "\n", 1);
}
