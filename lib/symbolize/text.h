/* A name that is put together; what does not fit is left out. */
#ifndef THRACE_LIB_SYMBOLIZE_TEXT_H
#define THRACE_LIB_SYMBOLIZE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct text {
    char bytes[4096];
    size_t len;
};

__attribute__((format(printf, 2, 3))) static inline void text_add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->bytes + t->len, sizeof t->bytes - t->len, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->len = (size_t)n < sizeof t->bytes - t->len ? t->len + (size_t)n : sizeof t->bytes - 1;
}

#endif
