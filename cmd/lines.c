#include "cmd/lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

size_t lines_columns(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += (text[i] & 0xc0) != 0x80;
    return n;
}

void lines_begin(struct lines *l, size_t indent)
{
    fprintf(l->out, "\n%*s", (int)indent, "");
    l->at = indent;
}

/* How many bytes of a word go into so many columns, if possible up to the end of a part of a name. */
static size_t part_of_word(const char *word, size_t len, size_t columns)
{
    size_t n = 0, part = 0;
    for (size_t at = 0; n < len && at < columns; at++) {
        part = at > columns / 2 && strchr(":,<>()/", word[n - 1]) ? n : part;
        for (n++; n < len && (word[n] & 0xc0) == 0x80;)
            n++;
    }
    return n < len && part ? part : n;
}

/* A name of C++ or Rust may be wider than a line. */
static void put_word(struct lines *l, const char *word, size_t len, size_t deeper)
{
    size_t wide = lines_columns(word, len);
    while (l->at + wide + 1 > l->width && l->at + 1 < l->width) {
        size_t n = part_of_word(word, len, l->width - l->at - 1);
        fwrite(word, 1, n, l->out);
        word += n;
        len -= n;
        wide = lines_columns(word, len);
        if (!len)
            return;
        lines_begin(l, deeper);
    }
    fwrite(word, 1, len, l->out);
    l->at += wide;
}

/* len bytes of the text. */
static void put_words(struct lines *l, const char *item, size_t rest)
{
    size_t deeper = l->deeper ? l->deeper : LINES_DEEPER;
    for (size_t len; rest; item += len, rest -= len) {
        const char *blank = memchr(item + 1, ' ', rest - 1);
        len = blank ? (size_t)(blank - item) : rest;
        bool space = *item == ' ';
        if (l->at + lines_columns(item, len) + 1 > l->width && l->at > deeper) {
            lines_begin(l, deeper);
            item += space;
            rest -= space;
            len -= space;
        }
        put_word(l, item, len, deeper);
    }
}

void lines_words(struct lines *l, const char *text) { put_words(l, text, strlen(text)); }

void lines_stack(struct lines *l, const char *text)
{
    for (size_t len; *text; text += len + !!text[len]) {
        len = strcspn(text, "\n");
        lines_begin(l, LINES_STACK);
        put_words(l, text, len);
    }
}

bool lines_put(struct lines *l, const char *before, const char *fmt, ...)
{
    va_list ap;
    char *item;
    va_start(ap, fmt);
    int n = vasprintf(&item, fmt, ap);
    va_end(ap);
    if (n < 0)
        return false;
    size_t wide = lines_columns(item, (size_t)n);
    fputs(before, l->out);
    l->at += strlen(before);
    if (l->at + wide + 2 > l->width && LINES_DEEPER + wide + 1 <= l->width) {
        lines_begin(l, LINES_DEEPER);
    } else if (*before) {
        putc(' ', l->out);
        l->at++;
    }
    lines_words(l, item);
    free(item);
    return true;
}

static size_t at_least(size_t columns)
{
    enum { LEAST = 40 }; /* below that a table cannot be shown at all */
    return columns < LEAST ? LEAST : columns;
}

size_t lines_width(FILE *out)
{
    enum { WIDTH = 120, MOST = 10000 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    char *end;
    unsigned long n = columns ? strtoul(columns, &end, 10) : 0;
    if (n && n <= MOST && !*end)
        return at_least(n);
    if (fileno(out) < 0 || ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
        return WIDTH;
    return at_least(size.ws_col);
}
