#include "lib/options/out_path.h"

#include <string.h>

#include "lib/text.h"

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

bool out_path(char *path, size_t size, const char *pattern, uint32_t pid, uint32_t n)
{
    struct text t = {path, path + size};
    bool numbered = out_pattern_has(pattern, 'n');
    const char *last = last_component(pattern);
    for (const char *p = pattern; *p; p++) {
        if (*p != '%' || p < last)
            text_put(&t, *p);
        else if (*++p == 'p')
            text_put_number(&t, pid);
        else if (*p == 'n')
            text_put_number(&t, n);
        else
            text_put(&t, '%');
    }
    if (!numbered && n) {
        text_put(&t, '.');
        text_put_number(&t, n);
    }
    text_put(&t, 0);
    return !t.p[-1];
}
