#include "preload/out_path.h"

#include <string.h>

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool out_pattern_ok(const char *pattern)
{
    for (const char *p = strchr(last_component(pattern), '%'); p; p = strchr(p + 2, '%'))
        if (!p[1] || !strchr("pn%", p[1]))
            return false;
    return true;
}

bool out_pattern_has(const char *pattern, char c)
{
    for (const char *p = strchr(last_component(pattern), '%'); p && p[1]; p = strchr(p + 2, '%'))
        if (p[1] == c)
            return true;
    return false;
}

struct text {
    char *p, *end;
};

static void put(struct text *t, char c)
{
    if (t->p < t->end)
        *t->p++ = c;
}

static void put_number(struct text *t, uint32_t v)
{
    char digits[10];
    int n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        put(t, digits[--n]);
}

bool out_path(char *path, size_t size, const char *pattern, uint32_t pid, uint32_t n)
{
    struct text t = {path, path + size};
    bool numbered = out_pattern_has(pattern, 'n');
    const char *last = last_component(pattern);
    for (const char *p = pattern; *p; p++) {
        if (*p != '%' || p < last)
            put(&t, *p);
        else if (*++p == 'p')
            put_number(&t, pid);
        else if (*p == 'n')
            put_number(&t, n);
        else
            put(&t, '%');
    }
    if (!numbered && n) {
        put(&t, '.');
        put_number(&t, n);
    }
    put(&t, 0);
    return !t.p[-1];
}
