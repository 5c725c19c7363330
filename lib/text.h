/* A line of text being put together in a buffer, without libc. What does not fit is left out. */
#ifndef THRACE_LIB_TEXT_H
#define THRACE_LIB_TEXT_H

#include <stdint.h>

struct text {
    char *p, *end;
};

static inline void text_put(struct text *t, char c)
{
    if (t->p < t->end)
        *t->p++ = c;
}

static inline void text_put_string(struct text *t, const char *s, uint32_t max)
{
    for (; *s && max; s++, max--)
        text_put(t, *s);
}

/* What somebody else has written may command a terminal: it becomes a line of text. */
static inline void text_make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static inline void text_put_number(struct text *t, uint32_t v)
{
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        text_put(t, digits[--n]);
}

#endif
