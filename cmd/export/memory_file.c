#include "config.h"

#include "cmd/export/memory_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    char **text, *at;
    size_t *size, n, cap;
    bool failed;
};

static bool make_room(struct memory *m, size_t n)
{
    size_t cap = m->cap;
    while (cap - m->n <= n) /* and for a 0 */
        if (__builtin_mul_overflow(cap, 2, &cap))
            return false;
    char *at = cap == m->cap ? m->at : realloc(m->at, cap);
    if (!at)
        return false;
    m->at = at;
    m->cap = cap;
    return true;
}

static ssize_t put(void *cookie, const char *text, size_t n)
{
    struct memory *m = cookie;
    if (m->failed || !make_room(m, n)) {
        m->failed = true;
        return 0;
    }
    memcpy(m->at + m->n, text, n);
    m->n += n;
    return (ssize_t)n;
}

static int end(void *cookie)
{
    struct memory *m = cookie;
    bool failed = m->failed;
    m->at[m->n] = 0;
    *m->text = m->at;
    *m->size = m->n;
    free(m);
    return failed ? -1 : 0;
}

FILE *memory_file(char **text, size_t *size)
{
    enum { AT_FIRST = 256 };
    struct memory *m = malloc(sizeof *m);
    char *at = malloc(AT_FIRST);
    FILE *f = m && at ? fopencookie(m, "w", (cookie_io_functions_t){.write = put, .close = end}) : NULL;
    *text = NULL;
    *size = 0;
    if (f) {
        *m = (struct memory){.text = text, .at = at, .size = size, .cap = AT_FIRST};
    } else {
        free(m);
        free(at);
    }
    return f;
}
